"""A table whose records lie in memory, for the tests of what reads a version."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from repave._location import Location
from repave._snapshot.arrow_access import Access
from repave._snapshot.opening import Opener
from repave._snapshot.partitions import PartitionTypes, Typing
from repave._snapshot.snapshot import Snapshot
from unit.record_files import TABLE, MemoryObjects, head, logged, manifest

# ruff: noqa: ANN401 - JSON

Changes = Mapping[str, list[str]]


def commit_name(version: int) -> str:
    return f"202611{version // 24 + 1:02}T{version % 24:02}1500.000Z-{version:08}"


class MemoryTable(MemoryObjects):
    """Commits are added one by one; `dates` tells when each report was written."""

    def __init__(self, readers: str = "snapshot") -> None:
        super().__init__()
        self.readers = readers
        self.log: list[dict[str, Any]] = []
        self.head: dict[str, Any] = {}
        self.dates: dict[str, datetime] = {}
        self.listed: list[str] = []
        self.lists = 0

    def commit(
        self,
        kind: str,
        added: Changes | None = None,
        removed: Changes | None = None,
        **members: Any,
    ) -> str:
        """Publish a version; files are named by partition."""
        version = len(self.log) + 1
        name = commit_name(version)
        added, removed = added or {}, removed or {}
        partitions = sorted({*added, *removed})
        contents = [
            {
                "partition": one,
                "in": _entries(added.get(one, [])),
                "out": _entries(removed.get(one, [])),
            }
            for one in partitions
        ]
        content = {"kind": kind, "touched": partitions, "partitions": contents, **members}
        self.put(f"commits/{name}/manifest.json.gz", manifest(name, **content))
        self.log.append({**logged(name, version), "kind": kind})
        self.publish()
        return name

    def publish(self, **members: Any) -> None:
        """Write the head."""
        self.head |= members
        log = [one for one in self.log if one["version"] > self.head.get("checkpoint-version", 0)]
        known = {"version": len(self.log), "readers": self.readers, "log": log}
        self.put("head.json", head(**{**known, **self.head}))

    def checkpoint(self, files: Changes | None, **members: Any) -> None:
        """Write a checkpoint of the newest version; without files for None."""
        version = len(self.log)
        shards = []
        for number, (partition, names) in enumerate(sorted((files or {}).items())):
            shard = f"{version}-x-{number:05}.json.gz"
            content = [{"partition": partition, "files": _entries(names)}]
            self.put(
                f"checkpoints/{shard}",
                {"format": 1, "record": "checkpoint-shard", "partitions": content},
            )
            bounds = {"name": shard, "first": partition, "last": partition}
            shards.append({**bounds, "files": len(names), "sorted": True})
        since = self.head.get("checkpoint-version", 0)
        name = f"{version}-x.json.gz"
        index = {
            "format": 1,
            "record": "checkpoint",
            "version": version,
            "previous": self.head.get("checkpoint", ""),
            "previous-version": since,
            "files-checkpoint": "",
            "files-version": 0 if files is None else version,
            "shards": shards,
            "commits": self.log[since:],
        }
        self.put(f"checkpoints/{name}", {**index, **members})
        self.publish(**{"checkpoint": name, "checkpoint-version": version})

    def modified(self, location: Location) -> datetime | None:
        self.reads.append(f"HEAD {location.key}")
        return self.dates.get(location.key.split("/")[-2])

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
        self.lists += 1
        assert str(folder) == str(TABLE)
        shown = (key for key in sorted(self.listed) if not key.startswith(skipped))
        yield from (key for key in shown if after < key <= until)

    def open(
        self,
        version: int | None = None,
        when: datetime | None = None,
        *,
        partition_types: PartitionTypes | None = None,
        locations: Mapping[str, str] | None = None,
    ) -> Snapshot:
        typing = Typing.of(partition_types, locations, "UTC")
        return Opener(self, TABLE).open(version, when, typing, lambda: Access(None, None))

    def paths(self, version: int | None = None) -> list[str]:
        return [file.path for file in self.open(version).files]


def _entries(names: list[str]) -> list[dict[str, Any]]:
    return [{"name": name, "bytes": 10} for name in names]
