"""What Repave tells about a table, as values; docs/json.md says what each member means."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a table: its partition's folder, its path inside it, its size."""

    partition: str
    name: str
    bytes: int

    @property
    def path(self) -> str:
        """The path relative to the table; an URI if the partition lies elsewhere."""
        return f"{self.partition}/{self.name}" if self.partition else self.name


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
        return cls(
            commit=document["commit"],
            kind=document["kind"],
            state=document["state"],
            base=document["base"],
            version=document["version"],
            token=document["token"],
            reserved=datetime.fromtimestamp(document["reserved-millis"] / 1000, timezone.utc),
        )


@dataclass(frozen=True, slots=True)
class Status:
    """Where a table stands."""

    table: str
    table_id: str
    version: int
    oldest_version: int
    readers: str
    checkpoint_version: int
    active: tuple[ActiveCommit, ...]

    @property
    def known(self) -> bool:
        """True if Repave has written this table."""
        return bool(self.table_id)

    @classmethod
    def of(cls, document: Document) -> "Status":
        return cls(
            table=document["table"],
            table_id=document["table-id"],
            version=document["version"],
            oldest_version=document["oldest-version"],
            readers=document["readers"],
            checkpoint_version=document["checkpoint-version"],
            active=tuple(ActiveCommit.of(commit) for commit in document["active"]),
        )


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One commit; the counts are None while, or after, there is no manifest."""

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

    @property
    def started(self) -> datetime:
        """When the job began."""
        return commit_started(self.commit)

    @classmethod
    def of(cls, document: Document) -> "HistoryEntry":
        return cls(
            version=document["version"],
            commit=document["commit"],
            kind=document["kind"],
            state=document["state"],
            token=document["token"],
            partitions=document["partitions"],
            files_in=document["files-in"],
            bytes_in=document["bytes-in"],
            files_out=document["files-out"],
            bytes_out=document["bytes-out"],
            files_adopted=document["files-adopted"],
        )


@dataclass(frozen=True, slots=True)
class PartitionChange:
    """What a commit did to one partition."""

    partition: str
    added: tuple[DataFile, ...]
    removed: tuple[DataFile, ...]
    adopted: tuple[DataFile, ...]

    @classmethod
    def of(cls, document: Document) -> "PartitionChange":
        partition = document["partition"]
        return cls(
            partition=partition,
            added=_files(partition, document.get("in", ())),
            removed=_files(partition, document.get("out", ())),
            adopted=_files(partition, document.get("adopted", ())),
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a commit did, file by file."""

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

    @classmethod
    def of(cls, document: Document) -> "Manifest":
        return cls(
            version=document["version"],
            commit=document["commit"],
            kind=document["kind"],
            scope=tuple(document["scope"]),
            files_in=document["files-in"],
            bytes_in=document["bytes-in"],
            files_out=document["files-out"],
            bytes_out=document["bytes-out"],
            files_adopted=document["files-adopted"],
            partitions=tuple(PartitionChange.of(one) for one in document["partitions"]),
        )


@dataclass(frozen=True, slots=True)
class RecoveredCommit:
    """What became of an unfinished commit: finished, or reverted."""

    commit: str
    kind: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Recovery:
    """What `recover` found and did."""

    version: int
    commits: tuple[RecoveredCommit, ...]

    @classmethod
    def of(cls, document: Document) -> "Recovery":
        commits = document["commits"]
        return cls(
            version=document["version"],
            commits=tuple(RecoveredCommit(c["commit"], c["kind"], c["outcome"]) for c in commits),
        )


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
        return cls(
            dry_run=document["dry-run"],
            files=document["files"],
            bytes=document["bytes"],
            uploads=document["uploads"],
            records=document["records"],
            oldest_version=document["oldest-version"],
        )


@dataclass(frozen=True, slots=True)
class Rollback:
    """The version that an earlier one was made again."""

    version: int
    commit: str
    files_in: int
    files_out: int

    @classmethod
    def of(cls, document: Document) -> "Rollback":
        return cls(
            document["version"], document["commit"], document["files-in"], document["files-out"]
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """The version that took the files which lay there into the records."""

    version: int
    commit: str
    files: int
    bytes: int

    @classmethod
    def of(cls, document: Document) -> "Adoption":
        return cls(document["version"], document["commit"], document["files"], document["bytes"])


def live_files(document: Document) -> tuple[DataFile, ...]:
    """Return the files of a version, from the document `files`."""
    return tuple(
        file for one in document["partitions"] for file in _files(one["partition"], one["files"])
    )


def commit_started(commit: str) -> datetime:
    """Return when a commit began, from its folder's name.

    >>> commit_started("20261121T031500.123Z-1f0c9b7e").isoformat()
    '2026-11-21T03:15:00.123000+00:00'
    """
    began = commit.split("-", 1)[0]
    return datetime.strptime(began, "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=timezone.utc)


def _files(partition: str, documents: Any) -> tuple[DataFile, ...]:  # noqa: ANN401 - JSON
    return tuple(DataFile(partition, file["name"], file["bytes"]) for file in documents)
