"""Opens a version of a table: everything up to the list of its files."""

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from datetime import datetime
from typing import Any, Final, Literal, Protocol

from repave._aws import check_endpoint
from repave._bucket import BucketObjects
from repave._errors import InvalidRecordError, RepaveError, UsageError
from repave._location import Location
from repave._read import Objects, TableRecords
from repave._records import Status
from repave._snapshot.arrow_access import Access
from repave._snapshot.folder_listing import FolderListing, Keys
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.garbage import RARE_COLLECTIONS
from repave._snapshot.live_files import LiveFiles
from repave._snapshot.partitions import PartitionTypes, Typing
from repave._snapshot.publication import Dates, moment, version_at
from repave._snapshot.recent_sessions import RECENT_SESSIONS
from repave._snapshot.snapshot import Snapshot
from repave._snapshot.unfinished import UnfinishedCommits
from repave._snapshot.unrecorded import FilesDifferError, check_files
from repave._versions import in_path, number_of, refuse_absent

ATTEMPTS: Final = 4


class Store(Objects, Dates, Keys, Protocol):
    """Reads, dates and lists objects."""


def snapshot(  # noqa: PLR0913 - each is an option of its own
    path: str,
    version: int | None = None,
    as_of: datetime | str | None = None,
    *,
    profile: str | None = None,
    endpoint_url: str | None = None,
    partition_types: PartitionTypes | None = None,
    time_zone: str = "UTC",
    locations: Mapping[str, str] | None = None,
    unrecorded: Literal["refuse", "ignore"] = "refuse",
) -> Snapshot:
    """Open one version of a table, without Spark or a JVM; docs/readers.md shows how to read it.

        repave.snapshot("s3://lake/sales").pandas()

    Args:
        path: the table, say `s3://lake/sales`.
        version: the newest by default. Tables whose readers list folders keep no other.
        as_of: the version that was the newest at this moment; UTC if it names no time zone.
        profile: the AWS profile; by default what boto3 finds.
        endpoint_url: the store, if it is not Amazon's; by default what the profile,
            AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL says.
        partition_types: types of partition columns by name, as Spark SQL calls them, or "string"
            for all; by default what Spark would infer.
        time_zone: in which timestamps in folders' names are meant, Spark's session time zone.
        locations: the partition of each folder outside the table whose name does not contain it, as
            `{"s3://annex/old": "dt=2025-01-01"}`.
        unrecorded: "ignore" reads a table that also holds files of other writers without them. By
            default such a table is refused, for which a table that readers list is listed.

    Raises:
        UsageError: there is no such table or version, or its files are deleted.
        InvalidRecordError: a record of the table is missing or damaged.
    """
    location = _table(path)
    typing = Typing.of(partition_types, locations, time_zone)
    when = None if as_of is None else moment(as_of)
    if version is not None and when is not None:
        message = "Pass the number of a version or a time (as_of), not both."
        raise UsageError(message)
    version = None if version is None else number_of(version)
    if unrecorded not in ("refuse", "ignore"):
        message = f'unrecorded is "refuse" or "ignore", not {unrecorded!r}.'
        raise UsageError(message)
    check_endpoint(endpoint_url)
    s3, region = RECENT_SESSIONS.of(profile).client(location.bucket, endpoint_url)
    opener = Opener(BucketObjects(s3), location)
    opener.lists = unrecorded == "refuse"
    with RARE_COLLECTIONS.during():
        return opener.open(
            version, when, typing, lambda: Access(endpoint_url, profile, region.name)
        )


class Opener:
    """Computes the files of a version."""

    def __init__(self, store: Store, table: Location) -> None:
        self._store = store
        self._table = table
        self._records = TableRecords(store, table)
        self.lists = True

    def open(
        self,
        version: int | None,
        when: datetime | None,
        typing: Typing,
        access: Callable[[], Access],
    ) -> Snapshot:
        """Return the version; a commit that replaces files meanwhile makes it look again.

        `access` is asked for after the head has been read.
        """
        head = self._records.head()
        for _ in range(ATTEMPTS):
            status = self._status(head)
            wanted = status.version if version is None else version
            if when is not None:
                wanted = version_at(self._records, self._store, head, when)
            refuse_absent(wanted, status)
            try:
                return self._read(head, wanted, typing, access())
            except (FilesDifferError, InvalidRecordError) as error:
                before, head = head, self._records.head()
                if head != before:
                    continue
                if isinstance(error, FilesDifferError):
                    raise UsageError(str(error)) from None
                raise
        message = f"{self._table} changed {ATTEMPTS} times while its files were listed. Try again."
        raise RepaveError(message)

    def _read(self, head: dict[str, Any], version: int, typing: Typing, access: Access) -> Snapshot:
        if not self.lists or head["readers"] != "listing":
            live = LiveFiles(self._records)
            files = live.at(head, version)
            return Snapshot(str(self._table), version, files, live.newest, typing, access)
        with closing(FolderListing(self._store, self._table)) as listing:
            live = LiveFiles(self._records)
            files = live.at(head, version)
            snapshot = Snapshot(str(self._table), version, files, live.newest, typing, access)
            inside = {it.path for it in files if not it.partition.startswith(OUTSIDE)}
            unfinished = UnfinishedCommits(self._records, head)
            check_files(listing, inside, unfinished, lambda: _prepare(snapshot))
        return snapshot

    def _status(self, head: dict[str, Any]) -> Status:
        if head["version"]:
            # Active commits and followers do not matter here.
            return Status.of({"table": str(self._table), **head, "active": (), "followers": ()})
        if head["table-id"]:
            self._records.require_version(head)
        above = self._records.enclosing()
        message = (
            f"{self._table} is not a Repave table: it has no records under _repave/. Check the "
            "path."
        )
        if above is not None:
            message = (
                f"{self._table} is inside the table {above}, which Repave writes: open that "
                "one and filter by partition."
            )
        raise UsageError(message)


def _prepare(snapshot: Snapshot) -> None:
    """Do what most readers need. What is wrong with partitions matters only to some of them."""
    with suppress(RepaveError):
        snapshot.partitions()


def _table(path: str) -> Location:
    location = Location.of(path)
    number = in_path(location)
    if number is not None:
        message = (
            f"{location} names version {number} in its path. Use the path of the table, and "
            "pass the version separately."
        )
        raise UsageError(message)
    return location.with_scheme("s3")
