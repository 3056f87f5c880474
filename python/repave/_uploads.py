"""Uploads that are open below a table."""

import re
from typing import Any, Final

from repave._location import Location

PAGES_MAX: Final = 10
# As the jar names its files: part-<split>-<commit>-<attempt><suffix>. Stock Spark's names, whose
# middle is a UUID, end in -c000 where ours have the attempt.
OURS: Final = re.compile(r"part-\d{5,}-[A-Za-z0-9][A-Za-z0-9_-]{7,63}-\d+(?:[._].*)?$")
# The files of Spark's commits, whose ids are UUIDs; the jar has the same rule (PartFileName). The
# group is the id.
UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
OF_A_COMMIT: Final = re.compile(rf".*?part-\d{{5,}}-({UUID})-\d+(?:[._-].*)?", re.DOTALL | re.ASCII)
FOLDER: Final = re.compile(f"@{UUID}")


def commit_of(name: str) -> str:
    """Return the id of the commit that wrote a file of this name, or ""."""
    found = OF_A_COMMIT.fullmatch(name)
    return found[1] if found else ""


def is_commit_folder(name: str) -> bool:
    """Return whether a folder of this name has the files of one commit (PartFileName).

    >>> [is_commit_folder(it) for it in ("@1f2e3d4c-0000-4000-8000-000000000000", "@v2", "plain")]
    [True, False, False]
    """
    return FOLDER.fullmatch(name) is not None


def commit_id(folder: str) -> str:
    """Return the id in the name of a commit's folder.

    >>> commit_id("20261121T031500.123Z-1f2e-3d")
    '1f2e-3d'
    """
    return folder.partition("Z-")[2]


def open_uploads(s3: Any, table: Location) -> tuple[list[dict[str, Any]], bool]:  # noqa: ANN401
    """Return the open uploads, and whether these are all of them."""
    request = {"Bucket": table.bucket, "Prefix": table.prefix}
    uploads: list[dict[str, Any]] = []
    for _ in range(PAGES_MAX):
        page = s3.list_multipart_uploads(**request)
        uploads += page.get("Uploads", ())
        if not page.get("IsTruncated"):
            return uploads, True
        request["KeyMarker"] = page["NextKeyMarker"]
        request["UploadIdMarker"] = page["NextUploadIdMarker"]
    return uploads, False


def is_ours(upload: dict[str, Any]) -> bool:
    """Return whether an upload's key is one that Repave makes."""
    return OURS.search(upload["Key"].rsplit("/", 1)[-1]) is not None
