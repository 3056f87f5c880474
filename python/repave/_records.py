"""What Repave reports about a table, as values. docs/json.md explains each member."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, TypeVar

from repave._schemas import schema_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Record = TypeVar("Record", bound=DataclassInstance)

Document = Mapping[str, Any]
EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
LAST_MILLIS: Final = 253_402_300_799_999  # milliseconds: a datetime ends with the year 9999


def _moment(millis: int) -> datetime:
    """Return a moment; one that no calendar has is the last one."""
    return EPOCH + timedelta(milliseconds=min(millis, LAST_MILLIS))


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """What is known of a column's values in one file.

    `low` is at most each value that is not null, and `high` at least, as text: docs/protocol.md §3
    says how each type is written. `nulls` is the number of nulls. None is unknown.
    """

    name: str
    type: str
    low: str | None = None
    high: str | None = None
    nulls: int | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a table: its partition's folder, its path inside it, its size.

    `rows` is None when the number of rows is unknown. `schema` is the JSON text of the file's
    columns, without the partition's, as `StructType.fromJson` of Spark reads it; None when it is
    unknown. `columns` are the bounds of the columns that `repave.stats.columns` named. `ordered` is
    the order in which each page of the file sorts after the one before it, as far as `repave.order`
    named it; None when it is unknown.
    """

    partition: str
    name: str
    bytes: int
    rows: int | None = None
    schema: str | None = field(default=None, repr=False)
    columns: tuple[ColumnBounds, ...] = ()
    ordered: str | None = None

    @property
    def path(self) -> str:
        """The path relative to the table; a URI if the partition is elsewhere."""
        return f"{self.partition}/{self.name}" if self.partition else self.name


@dataclass(frozen=True, slots=True)
class PartitionSize:
    """Files of a folder; `partition` is "" for the table's own folder."""

    partition: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ActiveCommit:
    """A commit that is decided and not finished."""

    commit: str
    kind: str
    state: str
    base: int
    version: int
    token: str
    reserved: datetime

    @classmethod
    def of(cls, document: Document) -> "ActiveCommit":
        return record_of(cls, document, reserved=_moment(document["reserved-millis"]))


@dataclass(frozen=True, slots=True)
class FollowerStatus:
    """How far a follower is: the newest version that its readers see, 0 before the first one.

    `name` is the table's name in a catalog, "" for a Delta log.
    """

    follower: str
    version: int
    behind: int
    name: str = ""

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"{self.follower} {self.name}" if self.name else self.follower

    @classmethod
    def all_of(cls, document: Document) -> "tuple[FollowerStatus, ...]":
        return tuple(record_of(cls, one) for one in document.get("followers", ()))


@dataclass(frozen=True, slots=True)
class Followers:
    """The followers of a table after a change of them, and the table's version."""

    version: int
    followers: tuple[FollowerStatus, ...]

    @classmethod
    def of(cls, document: Document) -> "Followers":
        return record_of(cls, document, followers=FollowerStatus.all_of(document))


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a table."""

    table: str
    table_id: str
    version: int
    oldest_version: int
    readers: str
    checkpoint_version: int
    active: tuple[ActiveCommit, ...]
    followers: tuple[FollowerStatus, ...] = ()

    @property
    def known(self) -> bool:
        """True if Repave has written this table."""
        return bool(self.table_id)

    @classmethod
    def of(cls, document: Document) -> "Status":
        active = tuple(ActiveCommit.of(commit) for commit in document["active"])
        return record_of(cls, document, active=active, followers=FollowerStatus.all_of(document))


@dataclass(frozen=True, slots=True)
class LastCommit:
    """What a write committed; `repeated` if an earlier one with its token had done so already.

    The rows are None unless they are known of every file.
    """

    table: str
    version: int
    commit: str
    repeated: bool
    files_in: int
    bytes_in: int
    files_out: int
    bytes_out: int
    rows_in: int | None = None
    rows_out: int | None = None

    @classmethod
    def of(cls, document: Document) -> "LastCommit":
        return record_of(cls, document)


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One commit; the counts are None while, or after, there is no manifest.

    The rows are also None unless they are known of every file.
    """

    version: int
    commit: str
    kind: str
    state: str
    token: str
    partitions: int | None
    files_in: int | None
    bytes_in: int | None
    files_out: int | None
    bytes_out: int | None
    files_adopted: int | None
    rows_in: int | None = None
    rows_out: int | None = None
    published: datetime | None = None
    """When the version was published; `as_of` compares with it. None in records of version 0.1."""

    @property
    def started(self) -> datetime:
        """When the job began."""
        return commit_started(self.commit)

    @classmethod
    def of(cls, document: Document) -> "HistoryEntry":
        millis = document.get("published-millis")
        published = None if millis is None else _moment(millis)
        return record_of(cls, document, published=published)


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """What a commit did to one partition."""

    partition: str
    added: tuple[DataFile, ...]
    removed: tuple[DataFile, ...]
    adopted: tuple[DataFile, ...]

    @classmethod
    def of(cls, document: Document, manifest: Document) -> "PartitionChange":
        partition = document["partition"]
        return cls(
            partition=partition,
            added=_files(partition, document.get("in", ()), manifest),
            removed=_files(partition, document.get("out", ()), manifest),
            adopted=_files(partition, document.get("adopted", ()), manifest),
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a commit did, file by file; the rows are None unless they are known of every file."""

    version: int
    commit: str
    kind: str
    scope: tuple[str, ...]
    files_in: int
    bytes_in: int
    files_out: int
    bytes_out: int
    files_adopted: int
    partitions: tuple[PartitionChange, ...]
    rows_in: int | None = None
    rows_out: int | None = None

    @classmethod
    def of(cls, document: Document) -> "Manifest":
        partitions = tuple(PartitionChange.of(one, document) for one in document["partitions"])
        return record_of(cls, document, scope=tuple(document["scope"]), partitions=partitions)


@dataclass(frozen=True, slots=True)
class RecoveredCommit:
    """The result for an unfinished commit: finished, reverted or ended.

    `partitions` are the folders that it put files into.
    """

    commit: str
    kind: str
    outcome: str
    partitions: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Document) -> "RecoveredCommit":
        return record_of(cls, document, partitions=tuple(document.get("partitions", ())))


@dataclass(frozen=True, slots=True)
class CatalogUpdate:
    """A table of the catalog, and how many partitions were added to it."""

    name: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """What `recover` found and did.

    `catalog` names the tables of the session's catalog that partitions were added to; `notes` are
    sentences about tables that could not be searched or changed.
    """

    version: int
    commits: tuple[RecoveredCommit, ...]
    catalog: tuple[CatalogUpdate, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Document) -> "Recovery":
        commits = tuple(RecoveredCommit.of(one) for one in document["commits"])
        return record_of(cls, document, commits=commits, catalog=(), notes=())


@dataclass(frozen=True, slots=True)
class Vacuum:
    """What `vacuum` removed or, on a dry run, would remove."""

    dry_run: bool
    files: int
    bytes: int
    uploads: int
    records: int
    oldest_version: int

    @classmethod
    def of(cls, document: Document) -> "Vacuum":
        return record_of(cls, document)


@dataclass(frozen=True, slots=True)
class Rollback:
    """The version that restored an earlier one."""

    version: int
    commit: str
    files_in: int
    files_out: int

    @classmethod
    def of(cls, document: Document) -> "Rollback":
        return record_of(cls, document)


@dataclass(frozen=True, slots=True)
class Repair:
    """Records that were rebuilt from the files in the table.

    Nothing is known about `lost_commits` earlier commits. If lost records may have named partitions
    outside the table, `searched` are the folders of `repave.locations.allowed` in which they were
    looked for; rows in any other folder outside the table are not in the records.
    """

    version: int
    files: int
    bytes: int
    lost_commits: int
    searched: tuple[str, ...] = ()

    @classmethod
    def of(cls, document: Document) -> "Repair":
        return record_of(cls, document, searched=tuple(document.get("searched", ())))


def live_files(document: Document) -> tuple[DataFile, ...]:
    """Return the files of a version, from the document `files`."""
    return tuple(
        file
        for one in document["partitions"]
        for file in _files(one["partition"], one["files"], document)
    )


def commit_started(commit: str) -> datetime:
    """Return when a commit began, from its folder's name.

    >>> commit_started("20261121T031500.123Z-1f0c9b7e").isoformat()
    '2026-11-21T03:15:00.123000+00:00'
    """
    began = commit.split("-", 1)[0]
    return datetime.strptime(began, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=timezone.utc)


def record_of(record: "type[Record]", document: Document, **read: object) -> "Record":
    """Return a record from a document's members of the same names; `read` are those that differ.

    Documents of earlier versions lack the members that have a default.
    """
    for one in fields(record):
        name = one.name.replace("_", "-")
        if one.name not in read and (name in document or one.default is MISSING):
            read[one.name] = document[name]
    return record(**read)


def data_file(partition: str, file: Document, schema: str | None) -> DataFile:
    """Return a file of a record or of a document, with the text of its schema."""
    read = file.get
    bounds = tuple([record_of(ColumnBounds, one) for one in read("columns", ())])
    rows, ordered = read("rows"), read("ordered")
    return DataFile(partition, file["name"], file["bytes"], rows, schema, bounds, ordered)


def _files(partition: str, files: Any, document: Document) -> tuple[DataFile, ...]:  # noqa: ANN401
    return tuple(data_file(partition, one, schema_of(one, document)) for one in files)
