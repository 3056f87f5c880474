"""What a table keeps in the store: live, replaced and orphaned files, and what vacuum would free.

The listing is compared with the records file by file and is never kept. What is kept are the names
of the live files, as `repave.snapshot` keeps them, and of the replaced files of a snapshot table.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final, Protocol

from repave._bucket import BucketObjects, Listed, client
from repave._location import Location
from repave._options import option
from repave._read import Objects, TableRecords
from repave._records import EPOCH, DataFile, commit_started
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.live_files import LiveFiles
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order

# As the jar names its files, see `_uploads.OURS`.
UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
COMMIT: Final = re.compile(rf"part-\d{{5,}}-({UUID})-\d+(?:[._][^/]*)?$")


class Listing(Objects, Protocol):
    """Reads and lists objects."""

    def listed(self, folder: Location) -> Iterator[Listed]:
        """Yield the objects below a folder, in the order of their keys."""


@dataclass(frozen=True)
class Amount:
    """Files and their bytes."""

    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Storage:
    """What a table keeps, by kind."""

    live: Amount  # of the newest version
    retained: Amount  # replaced, and kept for readers of older versions
    unfinished: Amount  # of commits that are not finished
    orphaned: Amount  # of jobs that never committed
    unrecorded: Amount  # of other writers
    records: Amount  # below _repave/, and other hidden names such as _SUCCESS
    freed: Amount  # of retained and orphaned ones: what vacuum would delete now

    def document(self) -> dict[str, dict[str, int]]:
        """Return the amounts as docs/json.md describes them."""
        return {
            name: {"files": one.files, "bytes": one.bytes}
            for name in self.__dataclass_fields__
            if isinstance(one := getattr(self, name), Amount)
        }

    @property
    def total_bytes(self) -> int:
        """All bytes of the table."""
        kinds = (self.live, self.retained, self.unfinished, self.orphaned, self.unrecorded)
        return sum(one.bytes for one in (*kinds, self.records))


def storage(
    path: str,
    *,
    retention: timedelta | str | None = None,
    profile: str | None = None,
    endpoint_url: str | None = None,
) -> Storage:
    """Return what a table keeps in the store, from its records and a listing of its folder.

        print(repave.storage("s3://lake/sales").freed.bytes)

    Args:
        path: the table, say `s3://lake/sales`.
        retention: the time for which vacuum keeps replaced files; by default the option
            `retention`.
        profile: the AWS profile; by default what boto3 finds.
        endpoint_url: the store, if it is not Amazon's.

    Raises:
        UsageError: the path is not on S3.
        InvalidRecordError: a record of the table is missing or damaged.
    """
    kept = option("retention")
    span = timedelta(milliseconds=kept.millis_of(retention or kept.default))
    objects = BucketObjects(client(endpoint_url, profile))
    return storage_of(objects, Location.of(path), span, datetime.now(timezone.utc))


def storage_of(objects: Listing, table: Location, retention: timedelta, now: datetime) -> Storage:
    """Compare a table's folder with its records.

    Requests: those of `LiveFiles`, 1 GET for each commit of a snapshot table since the last vacuum
    (more if its manifest has shards), and 1 LIST for each 1,000 objects.

    Args:
        objects: the store.
        table: where the table is.
        retention: the time for which vacuum keeps replaced files.
        now: the time.
    """
    records = TableRecords(objects, table)
    head = records.head()
    return compared(objects, records, head, live_files(records, head), now - retention)


def live_files(records: TableRecords, head: dict[str, Any]) -> Iterable[DataFile]:
    """Return the files of a head's version, one by one."""
    return LiveFiles(records).at(head, head["version"]) if head["version"] else ()


def compared(
    objects: Listing,
    records: TableRecords,
    head: dict[str, Any],
    live: Iterable[DataFile],
    cutoff: datetime,
) -> Storage:
    """Compare a table's folder with a head and its live files.

    Args:
        objects: the store.
        records: the table's records.
        head: the table's head.
        live: the live files of its version.
        cutoff: vacuum frees what no version has needed since then.
    """
    known = _Known.of(records, head, live)
    files: Counter[str] = Counter()
    stored: Counter[str] = Counter()

    def count(kind: str, size: int) -> None:
        files[kind] += 1
        stored[kind] += size

    for size in known.outside:
        count("live", size)
    for one in objects.listed(records.table):
        if one.path[-1:] in ("", "/"):
            continue  # S3A's mark of a folder
        kind = known.kind(one.path)
        count(kind, one.bytes)
        # Vacuum judges an orphan by its own age, and a replaced file by when it was replaced.
        since = one.modified if kind == "orphaned" else known.replaced.get(one.path)
        if kind in ("orphaned", "retained") and since is not None and since <= cutoff:
            count("freed", one.bytes)
    kinds = Storage.__dataclass_fields__
    return Storage(**{kind: Amount(files[kind], stored[kind]) for kind in kinds})


class _Known:
    """What the records say of the table's files."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.live: set[str] = set()
        self.outside: list[int] = []
        self.replaced: dict[str, datetime] = {}
        self.active = {_id(one["commit"]) for one in head["active"]}
        self.published: set[str] = set()
        self.snapshot = head["readers"] == "snapshot"

    @classmethod
    def of(cls, records: TableRecords, head: dict[str, Any], live: Iterable[DataFile]) -> "_Known":
        known = cls(head)
        if not head["version"]:
            return known
        for file in live:
            if file.partition.startswith(OUTSIDE):
                known.outside.append(file.bytes)
            else:
                known.live.add(file.path)
        commits = [one for one in records.logged(head) if one["version"]]
        known.published = {_id(one["commit"]) for one in commits}
        if known.snapshot:
            known.read_replaced(records, head, commits)
        return known

    def read_replaced(
        self, records: TableRecords, head: dict[str, Any], commits: list[dict[str, Any]]
    ) -> None:
        """Find the files that commits took out since the last vacuum, newest first."""
        since = [one for one in commits if one["version"] > head.get("vacuumed-version", 0)]
        with ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-records") as pool:
            found = in_order(pool, lambda one: records.manifest_index(one["commit"]), since)
            for commit, index in found:
                if index is None:
                    continue
                shards = [records.manifest_shard(commit["commit"], s) for s in index["shards"]]
                for entry in (e for part in (index["partitions"], *shards) for e in part):
                    for file in entry.get("out", ()):
                        path = "/".join(part for part in (entry["partition"], file["name"]) if part)
                        self.replaced.setdefault(path, _published(commit))

    def kind(self, path: str) -> str:
        """Return what a listed object is."""
        if any(part[:1] in ("_", ".") and "=" not in part for part in path.split("/")):
            return "records"
        if path in self.live:
            return "live"
        if path in self.replaced:
            return "retained"
        found = COMMIT.search(path)
        commit = found.group(1) if found else ""
        if commit in self.active:
            return "unfinished"
        if commit in self.published:
            return "retained"
        # The files of a listing table are completed by commits that are decided.
        return "orphaned" if commit and self.snapshot else "unrecorded"


def _id(commit: str) -> str:
    """Return the id in the name of a commit's folder.

    >>> _id("20261121T031500.123Z-1f2e-3d")
    '1f2e-3d'
    """
    return commit.partition("-")[2]


def _published(commit: dict[str, Any]) -> datetime:
    millis = commit.get("published-millis", 0)
    # Version 0.1 recorded no time; its commits are older than any that did.
    return EPOCH + timedelta(milliseconds=millis) if millis else commit_started(commit["commit"])
