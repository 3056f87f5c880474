"""Kill drivers and executors at random moments of a task of five statements, and retry it.

`python -m campaigns.kills --kills 50 --seed 1 --mode local` prints the row of
docs/testing/kills.md. Every task ends with an attempt that nobody kills. Rows are compared after
every death that `recover` followed, and at the end of every task.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaigns.mini_yarn import MiniYarn, mini_yarn
from campaigns.standalone import Cluster, standalone
from campaigns.store import campaign_lake, described, listed_rows, wait_for_line
from e2e.driver import driver
from e2e.lake import Lake, TableFolder
from e2e.nightly import STATEMENTS, begun_in, expected_sales, expected_totals, finished
from e2e.processes import kill
from e2e.sessions import session_builder
from repave import RepaveTable

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession

SECONDS = 600
PER_DAY = 20
MOST_DEATHS = 4
MOST_SECONDS = 3.0
WORKERS = 2
EXECUTOR_SHARE = 0.6
PATIENT = {"spark.task.maxFailures": "20"}


@dataclass
class Tally:
    """What happened so far."""

    drivers: int = 0
    executors: int = 0
    tasks: int = 0
    failed_attempts: int = 0
    checks: int = 0
    lost: int = 0
    surplus: int = 0
    killed_in: Counter[int] = field(default_factory=Counter)

    def kills(self) -> int:
        return self.drivers + self.executors

    def row(self) -> str:
        where = ", ".join(f"{number}: {n}" for number, n in sorted(self.killed_in.items()))
        return (
            f"{self.drivers} driver kills (in statement {where}), {self.executors} executor kills,"
            f" {self.tasks} tasks, {self.failed_attempts} attempts that failed by themselves,"
            f" {self.checks} comparisons: {self.lost} rows lost, {self.surplus} rows doubled"
        )


class Campaign:
    """Tasks that are killed and retried until so many kills are done."""

    def __init__(
        self, lake: Lake, spark: "SparkSession", folder: Path, draws: random.Random
    ) -> None:
        self._lake = lake
        self._spark = spark
        self._folder = folder
        self._draws = draws
        self.cluster: Cluster | MiniYarn | None = None
        self.most_deaths = MOST_DEATHS
        self.tally = Tally()
        self._attempts = 0

    def task(self, number: int) -> None:
        """Run one task to its end, through several deaths."""
        sales = self._lake.table(f"sales-{number}")
        totals = self._lake.table(f"totals-{number}")
        work = {
            "endpoint": self._lake.proxy.endpoint,
            "sales": sales.url,
            "totals": totals.url,
            "run": f"task {number}",
            "per_day": PER_DAY,
            "conf": {**self.cluster.conf(), **PATIENT} if self.cluster else {},
        }
        progress = 0
        for _ in range(self._draws.randint(1, self.most_deaths)):
            progress = max(progress, self._attempt(number, work))
            if self._draws.random() < 0.5:
                progress = self._recovered(sales, totals, progress)
        home = self._home(number, 0)
        while True:
            with self._driver(home, work) as child:
                if child.wait(SECONDS) == 0:
                    break
            self.tally.failed_attempts += 1
            print((home / "driver.log").read_text()[-3000:])
        self._recovered(sales, totals, STATEMENTS)
        self.tally.tasks += 1

    def _attempt(self, number: int, work: dict[str, Any]) -> int:
        """Return the number of statements that were done when the driver died."""
        self._attempts += 1
        home = self._home(number, self._attempts)
        log = home / "driver.log"
        with self._driver(home, work) as child:
            statement = self._draws.randint(1, STATEMENTS)
            delay, kills_executor = self._draws.uniform(0, MOST_SECONDS), self._draws.random()
            wait_for_line(log, f"begin {statement}", child, SECONDS)
            end = time.monotonic() + delay
            if self.cluster and kills_executor < EXECUTOR_SHARE:
                self._kill_executor(self.cluster)
            while child.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            if child.poll() is None:
                self.tally.drivers += 1
                kill(child)
                begun = begun_in(log.read_text())
                self.tally.killed_in[begun] += 1
            elif child.returncode:
                self.tally.failed_attempts += 1
                print(log.read_text()[-3000:])
        return finished(log.read_text())

    def _driver(
        self, home: Path, work: dict[str, Any]
    ) -> AbstractContextManager["subprocess.Popen[str]"]:
        more = self.cluster.environment() if self.cluster else {}
        return driver(home, work, "e2e.nightly", more)

    def _kill_executor(self, cluster: Cluster | MiniYarn) -> None:
        time.sleep(self._draws.uniform(0, 1))
        running = sorted(cluster.executors())
        if running:
            with suppress(ProcessLookupError):
                os.kill(self._draws.choice(running), signal.SIGKILL)
                self.tally.executors += 1

    def _recovered(self, sales: TableFolder, totals: TableFolder, progress: int) -> int:
        """Recover, compare, and return how many statements the rows are of."""
        self._lake.proxy.settle()  # what a dead driver sent may still arrive
        for table in (sales, totals):
            if table.has_head():
                RepaveTable.for_path(self._spark, table.url).recover()
        found = [listed_rows(table) for table in (sales, totals)]
        # The statement in which the driver died may be decided or not.
        possible = [progress, min(progress + 1, STATEMENTS)]
        right = [
            [expected_sales(number, PER_DAY), expected_totals(number, PER_DAY)]
            for number in possible
        ]
        self.tally.checks += 1
        if found in right:
            return possible[right.index(found)]
        for table, rows, expected in zip((sales, totals), found, right[0], strict=True):
            self.tally.lost += (expected - rows).total()
            self.tally.surplus += (rows - expected).total()
            print(f"WRONG after {progress} statements, {table.url}: {rows} is not {expected}")
        return progress

    def _home(self, number: int, attempt: int) -> Path:
        home = self._folder / f"task-{number}-{attempt}"
        home.mkdir()
        return home


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m campaigns.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="how many, of drivers and executors")
    parser.add_argument("--seconds", type=float, default=36_000, help="no new task after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deaths", type=int, default=MOST_DEATHS, help="at most, of one task")
    parser.add_argument("--mode", choices=["local", "standalone", "yarn"], default="local")
    chosen = parser.parse_args()
    print(described(sys.argv[1:]), flush=True)
    begin = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="repave-kills-")))
        lake = stack.enter_context(campaign_lake("typical", chosen.seed))
        spark = session_builder(folder, {"": lake.proxy.endpoint}).getOrCreate()
        stack.callback(spark.stop)
        spark.sparkContext.setLogLevel("ERROR")
        draws = random.Random(chosen.seed)  # noqa: S311 - no secret
        campaign = Campaign(lake, spark, folder, draws)
        campaign.most_deaths = chosen.deaths
        if chosen.mode == "standalone":
            campaign.cluster = stack.enter_context(standalone(folder / "cluster", WORKERS))
        if chosen.mode == "yarn":
            campaign.cluster = stack.enter_context(mini_yarn(folder / "yarn"))
        number = 0
        while campaign.tally.kills() < chosen.kills and time.monotonic() - begin < chosen.seconds:
            number += 1
            campaign.task(number)
            print(f"{time.monotonic() - begin:.0f} s: {campaign.tally.row()}", flush=True)
    print(f"{chosen.mode}, seed {chosen.seed}: {campaign.tally.row()}")
    print(described(sys.argv[1:]))
    return 1 if campaign.tally.lost or campaign.tally.surplus else 0


if __name__ == "__main__":
    sys.exit(main())
