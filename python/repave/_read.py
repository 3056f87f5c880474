"""Reads a table's records straight from S3, without Spark; changes nothing.

Records are hostile input: whoever can write one file of the table can write these. So a name out
of a record is checked before it becomes part of a key.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, Protocol

from repave._envelope import BYTES_MAX, open_record
from repave._errors import RecordRefusedError, UsageError
from repave._location import Location
from repave._shapes import SHAPES, check_shape

COMMIT: Final = re.compile(r"\d{8}T\d{6}\.\d{3}Z-[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
COUNTS: Final = ("files-in", "bytes-in", "files-out", "bytes-out", "files-adopted")
STATUS: Final = (
    "table-id",
    "version",
    "oldest-version",
    "readers",
    "checkpoint-version",
    "active",
)
NO_HEAD: Final[dict[str, Any]] = {
    "table-id": "",
    "version": 0,
    "oldest-version": 0,
    "readers": "",
    "checkpoint-version": 0,
    "checkpoint": "",
    "active": [],
    "log": [],
}
NEWEST: Final = -1


class Objects(Protocol):
    """Where the records lie."""

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        """Return an object's content, None if there is none."""


class TableRecords:
    """The records of one table, as the documents of docs/json.md."""

    def __init__(self, objects: Objects, table: Location) -> None:
        self._objects = objects
        self._table = table

    def status(self) -> dict[str, Any]:
        """Return where the table stands: one GET."""
        head = self._head()
        return {"table": str(self._table), **{name: head[name] for name in STATUS}}

    def overview(self) -> dict[str, Any] | None:
        """Return `status` and the commit of the newest version: one GET. None if there is no head.

        `last-commit` is "" if the head does not name it any more.
        """
        head = self._record("head.json", "head")
        if head is None:
            return None
        versions = {one["version"]: one["commit"] for one in (*head["log"], *head["active"])}
        newest = versions.get(head["version"], "") if head["version"] else ""
        status = {"table": str(self._table), **{name: head[name] for name in STATUS}}
        return {**status, "last-commit": newest and _checked(COMMIT, newest)}

    def enclosing(self) -> Location | None:
        """Return the table that this folder lies in, if Repave has written to one above it."""
        key = self._table.key
        while "/" in key:
            key = key.rpartition("/")[0]
            above = Location(self._table.scheme, self._table.bucket, key)
            if TableRecords(self._objects, above).status()["table-id"]:
                return above
        return None

    def history(self) -> Iterator[dict[str, Any]]:
        """Yield the commits, newest first, each for one GET; read only as many as needed."""
        head = self._head()
        for commit in sorted(head["active"], key=_reserved, reverse=True):
            yield self._entry(commit, commit["state"])
        # A commit that is being cleaned up after stands in both lists.
        active = {commit["commit"] for commit in head["active"]}
        for commit in self._logged(head):
            if commit["commit"] not in active:
                yield self._entry(commit, "published" if commit["version"] else "reverted")

    def manifest(self, version: int = NEWEST) -> dict[str, Any]:
        """Return what a version's commit did, file by file."""
        head = self._head()
        if not head["table-id"]:
            message = f"Repave has not committed to {self._table}: it has no versions."
            raise UsageError(message)
        wanted = head["version"] if version == NEWEST else version
        commits = (*head["active"], *self._logged(head))
        found = next((c for c in commits if c["version"] == wanted > 0), None)
        if found is None:
            message = f"{self._table} has no version {wanted}; its newest is {head['version']}."
            if 0 < wanted < head.get("history-from", 0):
                message = (
                    f"The record of version {wanted} of {self._table} was removed by vacuum: it "
                    "was older than repave.history.retention."
                )
            raise UsageError(message)
        index = self._manifest_index(found["commit"])
        if index is None:
            raise _missing(self._manifest_location(found["commit"]))
        partitions = list(index.get("partitions", ()))
        for shard in index.get("shards", ()):
            partitions += self._shard(found["commit"], shard)
        return {
            "version": wanted,
            **{name: index[name] for name in ("commit", "kind", "scope", "touched", *COUNTS)},
            "partitions": partitions,
        }

    def _head(self) -> dict[str, Any]:
        head = self._record("head.json", "head")
        return NO_HEAD if head is None else head

    def _logged(self, head: dict[str, Any]) -> Iterator[dict[str, Any]]:
        # Vacuum removed the records of older commits.
        first = head.get("history-from", 0)
        yield from (c for c in reversed(head["log"]) if not 0 < c["version"] < first)
        oldest = min((c["version"] for c in head["log"] if c["version"]), default=None)
        name, below = head["checkpoint"], head["checkpoint-version"] + 1
        while name:
            checkpoint = self._record(f"checkpoints/{_checked(NAME, name)}", "checkpoint")
            if checkpoint is None:
                raise _missing(self._place(f"checkpoints/{name}"))
            if checkpoint["version"] >= below:
                message = f"The checkpoints of {self._table} run in a circle."
                raise RecordRefusedError(message)
            for commit in reversed(checkpoint["commits"]):
                if commit["version"] >= first and (oldest is None or commit["version"] < oldest):
                    yield commit
            if checkpoint["previous-version"] < first:
                return
            name, below = checkpoint["previous"], checkpoint["version"]

    def _entry(self, commit: dict[str, Any], state: str) -> dict[str, Any]:
        index = self._manifest_index(commit["commit"])
        return {
            **{name: commit[name] for name in ("version", "commit", "kind")},
            "state": state,
            "token": commit["token"],
            "partitions": len(index["touched"]) if index else None,
            **{name: index[name] if index else None for name in COUNTS},
        }

    def _manifest_index(self, commit: str) -> dict[str, Any] | None:
        index = self._record(_manifest_path(commit), "manifest")
        if index is not None and index["commit"] != commit:
            message = f"The manifest of {commit} is another commit's."
            raise RecordRefusedError(message)
        return index

    def _shard(self, commit: str, shard: str) -> list[dict[str, Any]]:
        path = f"commits/{_checked(COMMIT, commit)}/{_checked(NAME, shard)}"
        record = self._record(path, "manifest-shard")
        if record is None:
            raise _missing(self._place(path))
        return list(record["partitions"])

    def _manifest_location(self, commit: str) -> Location:
        return self._place(_manifest_path(commit))

    def _place(self, path: str) -> Location:
        return self._table.under(f"_repave/{path}")

    def _record(self, path: str, record: str) -> dict[str, Any] | None:
        place = self._place(path)
        content = self._objects.read(place, BYTES_MAX)
        if content is None:
            return None
        members = open_record(content, record, str(place))
        check_shape(members, SHAPES[record], str(place))
        return members


def _manifest_path(commit: str) -> str:
    return f"commits/{_checked(COMMIT, commit)}/manifest.json.gz"


def _reserved(commit: dict[str, Any]) -> int:
    return int(commit["reserved-millis"])


def _checked(pattern: re.Pattern[str], name: object) -> str:
    if not isinstance(name, str) or not pattern.fullmatch(name) or ".." in name:
        message = f"A record names {name!r}, which no record of Repave is called."
        raise RecordRefusedError(message)
    return name


def _missing(location: Location) -> RecordRefusedError:
    return RecordRefusedError(f"The record {location} is missing: restore it from a backup.")
