"""Drivers that a cluster starts again: YARN's cluster mode, and a supervised driver."""

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from campaigns.killed_tasks import Task
from campaigns.mini_yarn import APPLICATION_MASTER, MiniYarn, mini_yarn
from clients import supervised_job, yarn_job
from clients.cluster_job import PER_DAY, expected_audit
from clients.site import Site
from e2e.lake import Lake
from e2e.nightly import expected_sales, expected_totals
from e2e.standalone import Cluster, master, worker

if TYPE_CHECKING:
    import subprocess

    from e2e.frames import Row

ATTEMPTS = 20
WRITES = (
    "append:1,2:one",
    "overwrite:2,3:two",
    "append:1,3:three",
    "overwrite:1,4:four",
    "append:4:five",
)


@dataclass
class YarnSubmission:
    """A spark-submit in cluster mode; each driver has a container and a log of its own."""

    child: "subprocess.Popen[str]"
    log: Path
    yarn: MiniYarn
    old: set[Path]

    def told(self) -> str:
        new = sorted(self._logs() - self.old)
        return new[-1].read_text("utf-8", "replace") if new else ""

    def executors(self) -> list[int]:
        return self.yarn.executors()

    def kill(self) -> bool:
        if not self.yarn.processes(APPLICATION_MASTER):
            return False
        seen = self._logs()
        self.yarn.kill(APPLICATION_MASTER)
        self.old |= seen
        return True

    def _logs(self) -> set[Path]:
        # A driver is in the first container of its attempt. Not "**": files come and go.
        logs = "target/test/data/repave/*/*-logDir-*/application_*/container_*_000001/stdout"
        return set(self.yarn.folder.glob(logs))


class YarnKind:
    def __init__(self, site: Site, yarn: MiniYarn) -> None:
        self._site, self._yarn = site, yarn
        self._urls: dict[str, str] = {}

    @classmethod
    @contextmanager
    def running(cls, site: Site) -> Iterator["YarnKind"]:
        with mini_yarn(site.folder / "yarn") as yarn:
            yield cls(site, yarn)

    def task(self, lake: Lake, number: int) -> Task:
        names = ("audit", "sales", "totals")
        tables = [lake.table(f"{name}-{number}") for name in names]
        self._urls = {name: table.url for name, table in zip(names, tables, strict=True)}

        def expected(done: int) -> "list[Counter[Row]]":
            return [expected_audit(), expected_sales(done, PER_DAY), expected_totals(done, PER_DAY)]

        return Task(tuple(tables), expected)

    @contextmanager
    def submitted(self, number: int) -> Iterator[YarnSubmission]:
        run, log = f"task {number}", self._site.folder / "submit.log"
        argument = json.dumps({**self._urls, "token": f"{run}/audit"}, separators=(",", ":"))
        words = yarn_job.command(self._yarn, "cluster", run, argument, ATTEMPTS)
        with self._site.running(log, *words, more=self._yarn.environment()) as child:
            submission = YarnSubmission(child, log, self._yarn, set())
            submission.old = submission._logs()
            yield submission


@dataclass
class SupervisedSubmission:
    """A spark-submit that waits for a driver on a worker; its drivers append to one log."""

    child: "subprocess.Popen[str]"
    log: Path
    jar: Path
    cluster: Cluster
    worker: Path
    old: dict[Path, int] = field(default_factory=dict)

    def told(self) -> str:
        new = [file.read_text("utf-8")[self.old.get(file, 0) :] for file in self._logs()]
        return "".join(new)

    def executors(self) -> list[int]:
        return self.cluster.executors()

    def kill(self) -> bool:
        running = supervised_job.drivers(self.jar)
        for pid in running:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.pass_over()
        return bool(running)

    def pass_over(self) -> None:
        """Ignore what is in the logs so far."""
        self.old = {file: len(file.read_text("utf-8")) for file in self._logs()}

    def _logs(self) -> list[Path]:
        return sorted(self.worker.glob("driver-*/stdout"))


class SupervisedKind:
    def __init__(self, site: Site, cluster: Cluster, folder: Path) -> None:
        self._site, self._cluster, self._folder = site, cluster, folder
        self._jar = supervised_job.compiled(site.folder)
        self._url = ""

    @classmethod
    @contextmanager
    def running(cls, site: Site) -> Iterator["SupervisedKind"]:
        # Spark ignores spark.driver.host in cluster mode: executors would look for the host's name.
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        folder = site.folder / "cluster"
        with master(folder) as url, worker(folder, url, "worker", cores=3) as machine:
            yield cls(site, Cluster(url, (machine.pid,)), folder / "worker")

    def task(self, lake: Lake, number: int) -> Task:
        table = lake.table(f"sales-{number}")
        self._url = table.url
        return Task((table,), lambda done: [written(WRITES[:done])], len(WRITES))

    @contextmanager
    def submitted(self, number: int) -> Iterator[SupervisedSubmission]:
        log, arguments = self._site.folder / "submit.log", [self._url, *WRITES]
        words = supervised_job.command(
            self._site, self._cluster.url, self._jar, f"task {number}", arguments
        )
        with self._site.running(log, *words) as child:
            submission = SupervisedSubmission(child, log, self._jar, self._cluster, self._folder)
            submission.pass_over()
            yield submission


def written(writes: tuple[str, ...]) -> "Counter[Row]":
    """Return the rows after the writes of `WriteDays`.

    >>> sorted(written(("append:1,2:one", "overwrite:2:two")))
    [(0, 'one', 1), (0, 'two', 2), (1, 'one', 1), (1, 'two', 2)]
    """
    days: dict[int, list[str]] = {}
    for write in writes:
        mode, numbers, note = write.split(":")
        for day in map(int, numbers.split(",")):
            kept = days.get(day, []) if mode == "append" else []
            days[day] = [*kept, note]
    return Counter((n, note, day) for day, all_ in days.items() for note in all_ for n in range(2))
