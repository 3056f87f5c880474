"""What the commits of a table cost: requests by kind, and dollars by a price list.

A job's requests come from two records: its report has those of the commit, and its ledger shows
those of its tasks. A few more surround every write of Spark. Nothing is measured again.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from importlib import resources
from pathlib import Path
from typing import Any, Final

from repave._bucket import BucketObjects, client
from repave._errors import UsageError
from repave._location import Location
from repave._read import TableRecords
from repave._records import EPOCH, LAST_MILLIS, commit_started
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order
from repave._snapshot.publication import moment

# The jar's own table: its log line of a commit shows the same dollars.
TABLE: Final = json.loads((resources.files("repave") / "prices.json").read_text("utf-8"))
# The kinds of request in a report, by what Amazon charges for them.
WRITES: Final = tuple(TABLE["writes"]["kinds"])
READS: Final = tuple(TABLE["reads"]["kinds"])
KINDS: Final = (*WRITES, *READS, *TABLE["free"]["kinds"])

# What Spark and the jar ask before a job's transaction and after its report, by the job's kind.
SURROUNDING: Final[Mapping[str, Mapping[str, int]]] = TABLE["surrounding"]


@dataclass(frozen=True)
class Prices:
    """Dollars for 1,000 requests, and for a GB of storage in a month.

    By default those of S3 Standard in us-east-1.
    """

    writes: float = TABLE["writes"]["dollars-for-1000"]  # PUT, POST, LIST
    reads: float = TABLE["reads"]["dollars-for-1000"]  # GET, HEAD
    storage: float = 0.023

    @classmethod
    def read(cls, path: Path) -> "Prices":
        """Read a JSON file such as `{"writes": 0.005, "reads": 0.0004}`.

        Raises:
            UsageError: the file is not a price list.
        """
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            message = f"The price list {path} cannot be read: {error}"
            raise UsageError(message) from None
        names = set(cls.__dataclass_fields__)
        if not isinstance(found, dict) or not found.keys() <= names or not _are_prices(found):
            message = (
                f"The price list {path} must be a JSON object with dollars for 1,000 requests and "
                'for a GB in a month, such as {"writes": 0.005, "reads": 0.0004, "storage": 0.023}.'
            )
            raise UsageError(message)
        return cls(**found)

    def dollars(self, requests: Mapping[str, int]) -> float:
        """Return the price of requests.

        >>> round(Prices().dollars({"put": 1000, "get": 1000, "delete": 7}), 6)
        0.0054
        """
        writes = sum(requests.get(kind, 0) for kind in WRITES)
        reads = sum(requests.get(kind, 0) for kind in READS)
        return (writes * self.writes + reads * self.reads) / 1000

    def dollars_a_month(self, stored: int) -> float:
        """Return the price of keeping bytes for a month.

        >>> Prices().dollars_a_month(1 << 30)
        0.023
        """
        return stored / (1 << 30) * self.storage


@dataclass(frozen=True)
class JobCost:
    """One job; `requests` is None when a record that is needed for it was removed."""

    version: int
    commit: str
    kind: str
    requests: Mapping[str, int] | None
    dollars: float | None

    @property
    def began(self) -> datetime:
        """When the job began."""
        return commit_started(self.commit)


@dataclass(frozen=True)
class Costs:
    """The published jobs of a table, newest first; the sums are of those that are known."""

    table: str
    jobs: tuple[JobCost, ...]

    @property
    def requests(self) -> Mapping[str, int]:
        """The requests of all jobs, by kind."""
        total: Counter[str] = Counter()
        for job in self.jobs:
            total.update(job.requests or {})
        return dict(total)

    @property
    def dollars(self) -> float:
        """The price of all jobs."""
        return sum(job.dollars or 0 for job in self.jobs)

    @property
    def unknown(self) -> int:
        """The number of jobs whose records were removed."""
        return sum(job.requests is None for job in self.jobs)

    def document(self) -> dict[str, Any]:
        """Return the costs as docs/json.md describes them."""
        return {
            "table": self.table,
            "jobs": [
                {
                    "version": job.version,
                    "commit": job.commit,
                    "kind": job.kind,
                    "requests": job.requests,
                    "dollars": job.dollars,
                }
                for job in self.jobs
            ],
            "requests": self.requests,
            "dollars": self.dollars,
            "unknown": self.unknown,
        }


def costs(
    path: str,
    since: datetime | timedelta | str | None = None,
    *,
    prices: Prices | None = None,
    profile: str | None = None,
    endpoint_url: str | None = None,
) -> Costs:
    """Return what the jobs of a table cost, from its records, without Spark or a JVM.

        print(repave.costs("s3://lake/sales", since=timedelta(days=30)).dollars)

    Args:
        path: the table, say `s3://lake/sales`.
        since: only jobs that began after this time (a datetime, or text such as
            "2026-11-20T03:00Z"; UTC if it names no time zone), or within this timedelta before now.
        prices: dollars for 1,000 requests; by default S3 Standard in us-east-1.
        profile: the AWS profile; by default what boto3 finds.
        endpoint_url: the store, if it is not Amazon's.

    Raises:
        UsageError: the path is not on S3, or there is no table.
        InvalidRecordError: a record of the table is missing or damaged.
    """
    if isinstance(since, timedelta):
        since = _ago(since)
    after = None if since is None else _began_after(since)
    records = TableRecords(BucketObjects(client(endpoint_url, profile)), Location.of(path))
    return costs_of(records, prices or Prices(), after)


def _ago(age: timedelta) -> datetime:
    try:
        return datetime.now(timezone.utc) - age
    except OverflowError:
        # The calendar ends. All jobs are from after the first of these times and before the other.
        return EPOCH if age > timedelta() else EPOCH + timedelta(milliseconds=LAST_MILLIS)


def _began_after(since: datetime | str) -> datetime:
    try:
        return moment(since)
    except UsageError as error:
        message = f"{error} For an age, give a timedelta, such as timedelta(days=30)."
        raise UsageError(message) from None


def costs_of(records: TableRecords, prices: Prices, since: datetime | None = None) -> Costs:
    """Return what the published jobs of a table cost.

    Requests, all GETs: the head, 1 for each checkpoint that is read, and 2 for each job, and more
    for a ledger with shards; up to 16 at once.
    """
    head = records.head()
    if not head["table-id"]:
        raise records.no_versions()
    return Costs(str(records.table), tuple(job_costs(records, _jobs(records, head, since), prices)))


def job_costs(
    records: TableRecords, commits: Iterable[dict[str, Any]], prices: Prices
) -> Iterator[JobCost]:
    """Yield what each of these published commits cost, in their order."""
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        found = in_order(pool, lambda commit: _sent(records, commit["commit"]), commits)
        # What jobs completed for commits before them, whose drivers had died.
        for_others = 0
        for commit, sent in found:
            if sent is None:
                yield _job(commit, None, prices)
                continue
            for_others += sent.requests["complete"] - sent.uploads
            if for_others < 0:
                # No report has the requests of a driver that died.
                sent.requests["complete"] -= for_others
                for_others = 0
            yield _job(commit, sent.requests, prices)


def _jobs(
    records: TableRecords, head: dict[str, Any], since: datetime | None
) -> Iterator[dict[str, Any]]:
    for commit in records.logged(head):
        # Jobs are in the order of their publication, and a long one may have begun much earlier.
        if commit["version"] and (since is None or commit_started(commit["commit"]) >= since):
            yield commit


def _job(commit: dict[str, Any], requests: Counter[str] | None, prices: Prices) -> JobCost:
    known = None if requests is None else {kind: requests[kind] for kind in KINDS if requests[kind]}
    price = None if known is None else prices.dollars(known)
    return JobCost(commit["version"], commit["commit"], commit["kind"], known, price)


@dataclass(frozen=True)
class _Sent:
    """The requests that the records of a job show, and how many uploads its files were."""

    requests: Counter[str]
    uploads: int


def _sent(records: TableRecords, commit: str) -> _Sent | None:
    report = records.commit_report(commit)
    ledger = records.ledger(commit)
    if report is None or ledger is None:
        return None
    found = Counter({kind: report["requests"].get(kind, 0) for kind in KINDS})
    found.update(SURROUNDING[ledger["kind"]])
    # The report was written before itself, `_SUCCESS`, the token's record and the last head.
    found["put"] += 2 + bool(ledger["marker"]) + bool(ledger["token"])
    tasks: Counter[str] = Counter()
    for shard in range(ledger["shards"]):
        _add_tasks(tasks, records.ledger_shard(commit, shard))
    _add_tasks(tasks, ledger["uploads"])
    return _Sent(found + tasks, tasks["create"])


def _add_tasks(found: Counter[str], uploads: Iterable[dict[str, Any]]) -> None:
    """Add the requests that made files before the commit."""
    for upload in uploads:
        parts = len(upload["etags"])
        if upload["upload"]:
            found.update(create=1, part=parts)
        elif upload["bytes"] > upload["part-bytes"] > 0:
            # A file of a snapshot table that is larger than one part.
            parts = -(-upload["bytes"] // upload["part-bytes"])
            found.update(create=1, part=parts, complete=1)
        else:
            found.update(put=1)


def _are_prices(found: Mapping[str, Any]) -> bool:
    return all(type(one) in (int, float) and one >= 0 for one in found.values())
