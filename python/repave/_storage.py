"""What a table keeps in the store: live, replaced and orphaned files, and what vacuum would free.

The listing is compared with the recorded files in the order of their keys. Neither is kept in
memory: recorded files are sorted in temporary files, as vacuum does.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final, Protocol

from repave._bucket import BucketObjects, Listed, client
from repave._hidden import is_hidden_key
from repave._inner_tables import Dated, InnerTables
from repave._location import Location
from repave._read import Objects, TableRecords
from repave._records import EPOCH, DataFile, commit_started
from repave._retention import vacuum_retention
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.live_files import LiveFiles
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order
from repave._sorted_keys import NumberOf, SortedKeys
from repave._uploads import commit_id, commit_of

# The number of a live file. That of a replaced file is the time at which this happened, negative,
# so that the newest time counts, and being live before any of them. A replaced file that a follower
# may name has none, because vacuum keeps it for as long as it is one.
LIVE: Final = -(1 << 62)
FOLLOWED: Final = LIVE + 1


class Listing(Objects, Dated, Protocol):
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
        retention: the time for which vacuum keeps replaced files; by default the one
            that `repave vacuum` has here (`repave.retention` in spark-defaults.conf, or 7 days).
        profile: the AWS profile; by default what boto3 finds.
        endpoint_url: the store, if it is not Amazon's.

    Raises:
        UsageError: the path is not on S3, or there is no table.
        InvalidRecordError: a record of the table is missing or damaged.
    """
    now = datetime.now(timezone.utc)
    kept = vacuum_retention(retention, now)
    objects = BucketObjects(client(endpoint_url, profile))
    records = TableRecords(objects, Location.of(path))
    if not records.status()["table-id"]:
        raise records.no_versions()
    return storage_of(objects, records.table, kept, now)


def storage_of(objects: Listing, table: Location, retention: timedelta, now: datetime) -> Storage:
    """Compare a table's folder with its records.

    Requests: those of `LiveFiles`, 1 GET for each commit of a snapshot table since the last vacuum
    (more if its manifest has shards), 1 LIST for each 1,000 objects, and 1 HEAD for each folder
    that may be a table and holds files that no record names.

    Args:
        objects: the store.
        table: where the table is.
        retention: the time for which vacuum keeps replaced files.
        now: the time.
    """
    records = TableRecords(objects, table)
    head = records.head()
    return compared(objects, records, head, live_files(records, head), now - retention)


def live_files(records: TableRecords, head: dict[str, Any]) -> Iterator[DataFile]:
    """Yield the files of a head's version, one by one, as `LiveFiles.each` does."""
    if head["version"]:
        yield from LiveFiles(records).each(head, head["version"])


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
    files: Counter[str] = Counter()
    stored: Counter[str] = Counter()

    def count(kind: str, size: int) -> None:
        files[kind] += 1
        stored[kind] += size

    with closing(SortedKeys()) as recorded:
        for file in live:
            if file.partition.startswith(OUTSIDE):
                count("live", file.bytes)
            else:
                recorded.add(file.path, LIVE)
        commits = _Commits(records, head, recorded)
        inner = InnerTables(objects, records.table)
        number_of = NumberOf(recorded)
        freed_until = _millis(cutoff)
        for one in objects.listed(records.table):
            found = number_of(one.path)
            # S3A marks a folder by a key that ends in a slash.
            if one.path[-1:] in ("", "/") or (found is None and inner.contain(one.path)):
                continue
            kind = commits.kind(one.path, found)
            count(kind, one.bytes)
            # Vacuum judges an orphan by its own age, and a replaced file by when it was replaced.
            orphan = kind == "orphaned" and one.modified <= cutoff
            if orphan or (kind == "retained" and found is not None and -found <= freed_until):
                count("freed", one.bytes)
    kinds = Storage.__dataclass_fields__
    return Storage(**{kind: Amount(files[kind], stored[kind]) for kind in kinds})


class _Commits:
    """The commits of a table, which tell what a file is that no record names."""

    def __init__(self, records: TableRecords, head: dict[str, Any], recorded: SortedKeys) -> None:
        """Read the commits, and add the files that they replaced to those that are recorded."""
        self._records = records
        self._active = {commit_id(one["commit"]) for one in head["active"]}
        self._published: set[str] = set()
        self._snapshot = head["readers"] == "snapshot"
        since = self._since(head)
        if not self._snapshot:
            deque(since, maxlen=0)
            return
        needed = _needed_version(head)
        with ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-records") as pool:
            found = in_order(pool, lambda one: records.manifest_index(one["commit"]), since)
            for commit, index in found:
                number = -_published(commit) if commit["version"] <= needed else FOLLOWED
                for path in records.replaced(commit["commit"], index):
                    recorded.add(path, number)

    def _since(self, head: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the commits since the last vacuum, newest first, and remember all of them."""
        for commit in self._records.logged(head) if head["version"] else ():
            if commit["version"]:
                self._published.add(commit_id(commit["commit"]))
            if commit["version"] > head.get("vacuumed-version", 0):
                yield commit

    def kind(self, path: str, recorded: int | None) -> str:
        """Return what a listed object is."""
        if is_hidden_key(path):
            return "records"
        if recorded is not None:
            return "live" if recorded == LIVE else "retained"
        commit = commit_of(path.rpartition("/")[2])
        if commit in self._active:
            return "unfinished"
        if commit in self._published:
            return "retained"
        # The files of a listing table are completed by commits that are decided.
        return "orphaned" if commit and self._snapshot else "unrecorded"


def _needed_version(head: dict[str, Any]) -> int:
    """Return the newest version that all followers have: vacuum keeps its files and later ones."""
    following = (one for one in head.get("followers", ()) if not one.get("ending"))
    followed = min((max(0, one["next"] - 1) for one in following), default=head["version"])
    # Versions before the oldest readable one are kept for nobody.
    return int(max(followed, head["oldest-version"]))


def _published(commit: dict[str, Any]) -> int:
    """Return when a version was published, in milliseconds."""
    # Version 0.1 recorded no time; its commits are older than any that did.
    millis: int = commit.get("published-millis", 0)
    return millis or _millis(commit_started(commit["commit"]))


def _millis(at: datetime) -> int:
    return (at - EPOCH) // timedelta(milliseconds=1)
