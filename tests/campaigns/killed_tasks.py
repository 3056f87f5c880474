"""Tasks of five statements whose drivers, executors and nodes are killed at random moments.

Every task ends with an attempt that nobody kills. Rows are compared after every death that
`recover` followed, and at the end of every task.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from campaigns.store import listed_rows
from e2e.driver import driver
from e2e.lake import Lake, TableFolder
from e2e.nightly import STATEMENTS, begun_in, expected_sales, expected_totals, finished
from e2e.processes import kill, wait_for_line
from repave import RepaveTable

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession

    from campaigns.mini_yarn import MiniYarn
    from campaigns.shuffle_clusters import ShuffleCluster
    from e2e.frames import Row
    from e2e.standalone import Cluster

SECONDS = 600
PER_DAY = 20
MOST_DEATHS = 4
MOST_SECONDS = 3.0
EXECUTOR_SHARE = 0.6
NODE_SHARE = 0.5
PATIENT = {"spark.task.maxFailures": "20"}


@dataclass
class Tally:
    """What happened so far."""

    drivers: int = 0
    executors: int = 0
    nodes: int = 0
    tasks: int = 0
    failed_attempts: int = 0
    checks: int = 0
    lost: int = 0
    surplus: int = 0
    killed_in: Counter[int] = field(default_factory=Counter)

    def kills(self) -> int:
        return self.drivers + self.executors + self.nodes

    def row(self) -> str:
        where = ", ".join(f"{number}: {n}" for number, n in sorted(self.killed_in.items()))
        nodes = f" {self.nodes} node kills," if self.nodes else ""
        return (
            f"{self.drivers} driver kills (in statement {where}), {self.executors} executor kills,"
            f"{nodes} {self.tasks} tasks,"
            f" {self.failed_attempts} attempts that failed by themselves,"
            f" {self.checks} comparisons: {self.lost} rows lost, {self.surplus} rows doubled"
        )


class Task(NamedTuple):
    """The tables of one task, and their rows after so many statements."""

    tables: tuple[TableFolder, ...]
    expected: Callable[[int], "list[Counter[Row]]"]
    statements: int = STATEMENTS


def nightly(lake: Lake, number: int) -> Task:
    """Return the task of `e2e.nightly`."""
    tables = (lake.table(f"sales-{number}"), lake.table(f"totals-{number}"))
    return Task(
        tables, lambda done: [expected_sales(done, PER_DAY), expected_totals(done, PER_DAY)]
    )


class Campaign:
    """Tasks that are killed and retried until so many kills are done."""

    def __init__(
        self, lake: Lake, spark: "SparkSession", folder: Path, draws: random.Random
    ) -> None:
        self._lake = lake
        self._spark = spark
        self._folder = folder
        self.draws = draws
        self.cluster: Cluster | MiniYarn | ShuffleCluster | None = None
        self.node: ShuffleCluster | None = None  # the same cluster, if its node dies
        self.most_deaths = MOST_DEATHS
        self.tally = Tally()
        self._attempts = 0

    def task(self, number: int) -> None:
        """Run one task to its end, through several deaths."""
        task = nightly(self._lake, number)
        sales, totals = task.tables
        work = {
            "endpoint": self._lake.proxy.endpoint,
            "sales": sales.url,
            "totals": totals.url,
            "run": f"task {number}",
            "per_day": PER_DAY,
            "conf": {**self.cluster.conf(), **PATIENT} if self.cluster else {},
            "shuffles": self.node is not None,
        }
        progress = 0
        for _ in range(self.draws.randint(1, self.most_deaths)):
            progress = max(progress, self._attempt(number, work))
            if self.draws.random() < 0.5:
                progress = self._recovered(task, progress)
        home = self._home(number, 0)
        while True:
            with self._driver(home, work) as child:
                if child.wait(SECONDS) == 0:
                    break
            self.tally.failed_attempts += 1
            print((home / "driver.log").read_text()[-3000:])
        self._recovered(task, STATEMENTS)
        self.tally.tasks += 1

    def _attempt(self, number: int, work: dict[str, Any]) -> int:
        """Return the number of statements that were done when the driver died."""
        self._attempts += 1
        home = self._home(number, self._attempts)
        log = home / "driver.log"
        with self._driver(home, work) as child:
            statement = self.draws.randint(1, STATEMENTS)
            delay, kills_executor = self.draws.uniform(0, MOST_SECONDS), self.draws.random()
            wait_for_line(log, f"begin {statement}", child, SECONDS)
            end = time.monotonic() + delay
            if self.node and self.draws.random() < NODE_SHARE:
                self._kill_node(self.node)
            if self.cluster and kills_executor < EXECUTOR_SHARE:
                self._kill_executor(self.cluster.executors)
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

    def _kill_node(self, cluster: "ShuffleCluster") -> None:
        time.sleep(self.draws.uniform(0, MOST_SECONDS))
        cluster.kill_node()
        self.tally.nodes += 1

    def _kill_executor(self, executors: Callable[[], list[int]]) -> None:
        time.sleep(self.draws.uniform(0, 1))
        running = sorted(executors())
        if running:
            with suppress(ProcessLookupError):
                os.kill(self.draws.choice(running), signal.SIGKILL)
                self.tally.executors += 1

    def _recovered(self, task: Task, progress: int) -> int:
        """Recover, compare, and return how many statements the rows are of."""
        self._lake.proxy.settle()  # what a dead driver sent may still arrive
        for table in task.tables:
            if table.has_head():
                RepaveTable.for_path(self._spark, table.url).recover()
        found = [listed_rows(table) for table in task.tables]
        # The statement in which the driver died may be decided or not.
        possible = [progress, min(progress + 1, task.statements)]
        right = [task.expected(number) for number in possible]
        self.tally.checks += 1
        if found in right:
            return possible[right.index(found)]
        for table, rows, expected in zip(task.tables, found, right[0], strict=True):
            self.tally.lost += (expected - rows).total()
            self.tally.surplus += (rows - expected).total()
            print(f"WRONG after {progress} statements, {table.url}: {rows} is not {expected}")
        return progress

    def _home(self, number: int, attempt: int) -> Path:
        home = self._folder / f"task-{number}-{attempt}"
        home.mkdir()
        return home
