"""The expected `files` documents follow from the manifests, as docs/protocol.md §3 says."""

from collections.abc import Iterable
from typing import Any

import pytest

from unit import golden

# States without some record that names files.
LOST = ("damaged-", "expired-", "missing-", "newer-", "other-", "wrong-")

# The size, the rows and the schema of each file, by partition and name.
Files = dict[str, dict[str, tuple[int, int | None, str | None]]]


def replaced(manifest: dict[str, Any], partition: str) -> bool:
    """Tell whether a commit empties a partition."""
    if manifest["kind"] == "dynamic":
        return partition in manifest["touched"]
    folders = manifest["scope"] if manifest["kind"] in ("static", "rollback") else []
    inside = not partition.startswith("s3://")
    return any(
        partition == folder or partition.startswith(f"{folder}/") or (inside and not folder)
        for folder in folders
    )


def applied(files: Files, manifest: dict[str, Any]) -> Files:
    """Return the live files after a commit."""
    live = {name: dict(those) for name, those in files.items() if not replaced(manifest, name)}
    for change in manifest["partitions"]:
        for file in change["out"]:
            live.get(change["partition"], {}).pop(file["name"], None)
        for file in (*change["adopted"], *change["in"]):
            schema = manifest["schemas"][file["schema"]] if "schema" in file else None
            facts = (file["bytes"], file["rows"], schema)
            live.setdefault(change["partition"], {})[file["name"]] = facts
    return {name: those for name, those in live.items() if those}


def in_utf8_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=str.encode)


def document(version: int, files: Files) -> dict[str, Any]:
    schemas: list[str] = []
    partitions = [
        {
            "partition": partition,
            "files": [
                entry(name, *files[partition][name], schemas)
                for name in in_utf8_order(files[partition])
            ],
        }
        for partition in in_utf8_order(files)
    ]
    found: dict[str, Any] = {"version": version, "partitions": partitions}
    return {**found, "schemas": schemas} if schemas else found


def entry(
    name: str, size: int, rows: int | None, schema: str | None, schemas: list[str]
) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "bytes": size, "rows": rows}
    if schema is not None:
        if schema not in schemas:
            schemas.append(schema)
        found["schema"] = schemas.index(schema)
    return found


@pytest.mark.parametrize("state", [one for one in golden.STATES if not one.startswith(LOST)])
def test_the_live_files_follow_from_the_manifests(state: str) -> None:
    expected = golden.expected(state)
    reader = golden.records(state)
    newest = reader.status()["version"]
    files: Files = {}
    for version in range(1, newest + 1):
        files = applied(files, reader.manifest(version))
        assert expected[f"files-{version}"] == document(version, files)
    if newest:
        assert expected["files-newest"] == document(newest, files)
