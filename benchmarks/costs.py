"""Whether `repave costs` is right: on every workload, its dollars beside those of the journal.

`make costs` needs a session with Repave alone. The second run of each workload
answers one request in twenty with 503 SlowDown, which Amazon does not bill.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.folders import save
from benchmarks.prices import dollars
from benchmarks.run_context import Lake
from benchmarks.session import start_session
from benchmarks.sites import SERVER, store_conf
from benchmarks.victim import death_of, kill_when
from benchmarks.workload import Workload, load_workload, workload_names
from repave import Costs, costs, spark_conf
from repave_lab.proxy import Entry, Fault, Proxy
from repave_lab.servers import S3Server, embedded_s3

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUSY: Final = Fault("error", probability=0.05)
KINDS: Final = ("listing", "snapshot")
SERVER_ERROR: Final = 500
AT_MOST: Final = 0.01
HEADING: Final = """\
| workload | readers | store | files | recorded | billed | 503s | recorded $ | billed $ | |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


@dataclass(frozen=True)
class Compared:
    """The requests of one write, by the records and by the journal."""

    workload: str
    readers: str
    is_busy: bool
    files: int
    recorded: dict[str, int]
    sent: dict[str, int]
    recorded_dollars: float
    refused: int
    """Requests that were answered with an error of the server."""

    @property
    def difference(self) -> float:
        """By what part of the journal's dollars the records are off."""
        return self.recorded_dollars / dollars(self.sent) - 1

    def line(self) -> str:
        store = "5 % 503s" if self.is_busy else "calm"
        return (
            f"| {self.workload} | {self.readers} | {store} | {self.files:,} | "
            f"{sum(self.recorded.values()):,} | {sum(self.sent.values()):,} | {self.refused:,} | "
            f"{self.recorded_dollars:.5f} | {dollars(self.sent):.5f} | {self.difference:+.2%} |"
        )


def billed(entries: Iterable[Entry]) -> Counter[str]:
    """Count what Amazon bills: no answer of 500 and above."""
    return Counter(
        one.op for one in entries if one.status is not None and one.status < SERVER_ERROR
    )


class Scales:
    """A store behind a proxy, a session with Repave, and a folder for each comparison."""

    def __init__(self, server: S3Server, proxy: Proxy, spark: "SparkSession") -> None:
        self._server = server
        self._proxy = proxy
        self._spark = spark

    def compare(self, work: Workload, readers: str, *, is_busy: bool) -> Compared:
        """Write the old rows, then the workload, and compare what the second write cost."""
        lake = Lake(folder=f"{work.name}-{work.partitions}-{readers}-{is_busy}")
        self._spark.conf.set("repave.readers", readers)
        save(work.old(self._spark), "append", lake.url)
        for _ in range(work.earlier_commits):
            save(work.again(self._spark), work.write, lake.url)
        before = len(self._costs(lake).jobs)
        self._proxy.settle()
        self._proxy.reset()
        if work.crash:
            self._crash(work, f"repave-{readers}", lake)
        self._proxy.set_faults([BUSY] if is_busy else [])
        with ThreadPoolExecutor(work.writers) as pool:
            shares = work.shares(work.new(self._spark))
            list(pool.map(lambda share: save(share, work.write, lake.url), shares))
        self._proxy.settle()
        entries = self._proxy.journal()
        self._proxy.set_faults([])
        found = self._costs(lake).jobs
        jobs = found[: len(found) - before]
        recorded: Counter[str] = Counter()
        for job in jobs:
            recorded.update(job.requests or {})
        return Compared(
            workload=work.name,
            readers=readers,
            is_busy=is_busy,
            files=work.files,
            recorded=dict(recorded),
            sent=dict(billed(entries)),
            recorded_dollars=sum(job.dollars or 0 for job in jobs),
            refused=sum(one.status is not None and one.status >= SERVER_ERROR for one in entries),
        )

    def _costs(self, lake: Lake) -> Costs:
        return costs(lake.url, endpoint_url=self._server.endpoint)

    def _crash(self, work: Workload, system: str, lake: Lake) -> None:
        """Let an earlier run of the job die in its commit, on the same journal."""
        self._proxy.set_faults([death_of(system).fault(work.files, lake.table)])
        conf = store_conf(self._proxy.endpoint, self._server.region, _keys(self._server))
        kill_when(
            lambda: any(one["hit"] for one in self._proxy.status()["faults"]),
            system,
            work,
            lake,
            conf,
        )


def _keys(server: S3Server) -> tuple[str, str]:
    return server.access_key, server.secret_key


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description=__doc__)
    writing = [name for name in workload_names() if not load_workload(name)[0].query]
    parser.add_argument("--workloads", default=",".join(writing), help="a,b,c")
    parser.add_argument("--partitions", type=int, help="instead of the workload's")
    parser.add_argument("--scale", type=float, default=1.0, help="times the rows in each file")
    options = parser.parse_args()
    works = []
    for name in options.workloads.split(","):
        sizes = load_workload(name)
        sizes = [sizes[0].sized(options.partitions)] if options.partitions else sizes
        works += [one.scaled(options.scale) for one in sizes]
    sys.stdout.write(f"{HEADING}\n")
    worst = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="repave-costs-") as folder,
        embedded_s3(SERVER) as server,
        Proxy(server.endpoint) as proxy,
    ):
        server.client().create_bucket(Bucket=Lake().bucket)
        keys = _keys(server)
        os.environ |= {"AWS_ACCESS_KEY_ID": keys[0], "AWS_SECRET_ACCESS_KEY": keys[1]}
        events = Path(folder) / "events"
        events.mkdir()
        store = store_conf(proxy.endpoint, server.region, keys)
        spark = start_session(store, Path(folder), events, spark_conf())
        # A bucket's first table tries the store out, which belongs to no job.
        spark.range(1).write.parquet(f"s3a://{Lake().bucket}/first-table")
        scales = Scales(server, proxy, spark)
        for work in works:
            for readers in KINDS:
                for is_busy in (False, True):
                    found = scales.compare(work, readers, is_busy=is_busy)
                    sys.stdout.write(found.line() + "\n")
                    sys.stdout.flush()
                    worst = max(worst, abs(found.difference))
        spark.stop()
    sys.stdout.write(f"\nThe largest difference is {worst:.2%}, and may be {AT_MOST:.0%}.\n")
    sys.exit(worst > AT_MOST)


if __name__ == "__main__":
    main()
