"""Readers of Delta tables without a Spark of their own, at a folder of this machine and over S3."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import repave
from e2e.delta_scan import UNSIGNED, delta_extension, let_scan_delta
from e2e.lake import TableFolder

deltalake = pytest.importorskip("deltalake", reason="pip install deltalake")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

# ruff: noqa: ANN401 - rows of any type

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Place:
    """Where a Delta table is: a folder of this machine, or a URL and the store's endpoint."""

    url: str
    endpoint: str = ""

    @property
    def options(self) -> dict[str, str] | None:
        """Return what delta-rs and Polars have to know of the store."""
        if not self.endpoint:
            return None
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }


Reader = Callable[[Place, int | None], Rows]


def copied(table: TableFolder, to: Path) -> Place:
    """Copy the table's folder to this machine."""
    for key in table.listing():
        if key and not key.endswith("/"):
            place = to / key
            place.parent.mkdir(parents=True, exist_ok=True)
            table.lake.client.download_file(table.lake.bucket, f"{table.name}/{key}", str(place))
    return Place(str(to))


def stored(table: TableFolder) -> Place:
    """Return the table where Spark wrote it."""
    return Place(f"s3://{table.lake.bucket}/{table.name}", table.lake.proxy.endpoint)


def delta_table(place: Place, version: int | None = None) -> Any:
    return deltalake.DeltaTable(place.url, version=version, storage_options=place.options)


def by_delta_rs(place: Place, version: int | None = None) -> Rows:
    rows: Rows = delta_table(place, version).to_pyarrow_table().to_pylist()
    return rows


def by_polars(place: Place, version: int | None = None) -> Rows:
    found = pl.scan_delta(place.url, version=version, storage_options=place.options)
    rows: Rows = found.collect().to_arrow().to_pylist()
    return rows


def by_duckdb(place: Place, version: int | None = None) -> Rows:
    with duckdb.connect(config=UNSIGNED) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        let_scan_delta(connection, place.endpoint.partition("://")[2])
        scan = f"delta_scan('{place.url}')"
        if version is not None:
            connection.execute(f"ATTACH '{place.url}' AS past (TYPE delta, VERSION {version})")
            scan = "past"
        rows: Rows = connection.sql(f"SELECT * FROM {scan}").to_arrow_table().to_pylist()
        return rows


def by_polars_and_pyarrow(place: Place, version: int | None = None) -> Rows:
    found = pl.scan_delta(
        place.url, version=version, storage_options=place.options, use_pyarrow=True
    )
    rows: Rows = found.collect().to_arrow().to_pylist()
    return rows


POLARS = "Polars"
READERS: dict[str, Reader] = {
    "delta-rs": by_delta_rs,
    POLARS: by_polars,
    "Polars, use_pyarrow": by_polars_and_pyarrow,
}
# Polars encodes these in a key on S3 and does not find the file (its issues 20944 and 26984).
ENCODED_BY_POLARS = re.compile(r"[^!-~]|[<>`}]")
if delta_extension():
    READERS["DuckDB"] = by_duckdb


def places(table: TableFolder, to: Path) -> tuple[Place, Place]:
    """Return the table where it is stored, and a copy of it."""
    return stored(table), copied(table, to)


def assert_read(places: Iterable[Place], wanted: list[str], version: int | None = None) -> None:
    """Assert that every reader finds these rows in each place."""
    for place in places:
        for name, read in READERS.items():
            if name == POLARS and is_lost_to_polars(place, version):
                with pytest.raises(FileNotFoundError, match="not found"):
                    read(place, version)
            else:
                assert plain(read(place, version)) == wanted, (name, place.url, version)


def is_lost_to_polars(place: Place, version: int | None = None) -> bool:
    """Whether Polars cannot read a version over S3 because of its files' names."""
    if not place.endpoint:
        return False
    files = delta_table(place, version).file_uris()
    return any(ENCODED_BY_POLARS.search(unquote(file)) for file in files)


def expected(table: TableFolder) -> list[str]:
    """Return the rows of the newest version, as Repave's own reader finds them."""
    snap = repave.snapshot(table.url, endpoint_url=table.lake.proxy.endpoint)
    return plain(snap.arrow().to_table().to_pylist())


def plain(rows: Rows) -> list[str]:
    """Return rows in a form and an order that all libraries have in common."""
    return sorted(repr({name: _plain(row[name]) for name in sorted(row)}) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat()
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return tuple(value) if isinstance(value, tuple) else value
