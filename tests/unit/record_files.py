"""Writes records as the jar does, for the tests of what reads them."""

import gzip
import hashlib
import json
from typing import Any

from repave._location import Location

FIRST = "20261119T031500.000Z-aaaaaaaa"
SECOND = "20261120T031500.000Z-bbbbbbbb"
THIRD = "20261121T031500.000Z-cccccccc"
TABLE = Location.of("s3://lake/sales")


class MemoryObjects:
    """Objects that lie in memory; counts what is read."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.reads: list[str] = []

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        self.reads.append(location.key)
        content = self.contents.get(location.key)
        return None if content is None else content[:bytes_max]

    def put(self, path: str, members: dict[str, Any]) -> None:
        content = sealed(members)
        packed = gzip.compress(content) if path.endswith(".gz") else content
        self.contents[f"sales/_repave/{path}"] = packed


def sealed(members: dict[str, Any]) -> bytes:
    return seal_bytes(json.dumps(members, separators=(",", ":")).encode())


def seal_bytes(body: bytes) -> bytes:
    checksum = hashlib.sha256(body).hexdigest()
    return body[:-1] + f',"checksum":"{checksum}"}}'.encode()


def head(**members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        "format": 1,
        "record": "head",
        "table-id": "t1",
        "nonce": "n",
        "version": 0,
        "oldest-version": 1,
        "readers": "listing",
        "checkpoint-version": 0,
        "checkpoint": "",
        "active": [],
        "log": [],
        **members,
    }


def logged(commit: str, version: int, token: str = "", kind: str = "dynamic") -> dict[str, Any]:
    return {"commit": commit, "kind": kind, "version": version, "token": token}


def active(commit: str, state: str, version: int = 0) -> dict[str, Any]:
    return {
        **logged(commit, version),
        "state": state,
        "base": 1,
        "reserved-millis": 1795230900123,
    }


def manifest(commit: str, **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        "format": 1,
        "record": "manifest",
        "commit": commit,
        "kind": "dynamic",
        "files-in": 1,
        "bytes-in": 10,
        "files-out": 1,
        "bytes-out": 9,
        "files-adopted": 0,
        "scope": [],
        "touched": ["dt=1"],
        "shards": [],
        "partitions": [
            {
                "partition": "dt=1",
                "in": [{"name": "part-new.parquet", "bytes": 10}],
                "out": [{"name": "part-old.parquet", "bytes": 9}],
            }
        ],
        **members,
    }


def checkpoint(version: int, previous: str, *commits: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": 1,
        "record": "checkpoint",
        "version": version,
        "previous": previous,
        "previous-version": 0,
        "shards": [],
        "commits": list(commits),
    }
