"""What a report says of a table, from its records and one listing."""

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from repave._costs import JobCost, Prices, job_costs
from repave._location import Location
from repave._read import ACTIVE, TableRecords, counts_of
from repave._records import DataFile, commit_started
from repave._snapshot.live_files import LiveFiles
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order
from repave._storage import Listing, Storage, compared

# A job takes three GETs: its manifest, its report and its ledger.
JOBS_MAX: Final = 10_000
SMALL_BYTES: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class Job:
    """One published commit; None is what no record tells."""

    version: int
    commit: str
    kind: str
    began: datetime
    rows_in: int | None
    rows_out: int | None
    files_in: int | None
    files_out: int | None
    cost: JobCost


@dataclass(frozen=True, slots=True)
class PartitionSize:
    """The live files of one partition."""

    partition: str
    files: int
    bytes: int
    small: int


@dataclass(frozen=True)
class TableReport:
    """Everything that the page shows."""

    table: str
    made: datetime
    version: int
    readers: str
    jobs: tuple[Job, ...]  # newest first
    more_jobs: bool
    partitions: tuple[PartitionSize, ...]
    storage: Storage
    prices: Prices
    unfinished: tuple[dict[str, Any], ...]


def gather(
    objects: Listing, table: Location, prices: Prices, retention: timedelta, now: datetime
) -> TableReport:
    """Read what the page shows.

    Raises:
        UsageError: Repave has not committed to this table.
    """
    records = TableRecords(objects, table)
    head = records.head()
    if not head["table-id"]:
        raise records.no_versions()
    published = (one for one in records.logged(head) if one["version"])
    newest = list(islice(published, JOBS_MAX))
    live = LiveFiles(records).at(head, head["version"]) if head["version"] else ()
    return TableReport(
        str(table),
        now,
        head["version"],
        head["readers"],
        tuple(_jobs(records, newest, prices)),
        next(published, None) is not None,
        tuple(_partitions(live)),
        compared(objects, records, head, live, now - retention),
        prices,
        tuple({name: commit[name] for name in ACTIVE} for commit in head["active"]),
    )


def _jobs(records: TableRecords, commits: list[dict[str, Any]], prices: Prices) -> Iterator[Job]:
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        indexes = in_order(pool, lambda one: records.manifest_index(one["commit"]), commits)
        for (commit, index), cost in zip(indexes, job_costs(records, commits, prices), strict=True):
            counts = counts_of(index)
            yield Job(
                commit["version"],
                commit["commit"],
                commit["kind"],
                commit_started(commit["commit"]),
                counts["rows-in"],
                counts["rows-out"],
                counts["files-in"],
                counts["files-out"],
                cost,
            )


def _partitions(live: Iterable[DataFile]) -> Iterator[PartitionSize]:
    files: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for file in live:
        files[file.partition] += 1
        stored[file.partition] += file.bytes
        small[file.partition] += file.bytes < SMALL_BYTES
    for partition in files:
        yield PartitionSize(partition, files[partition], stored[partition], small[partition])
