"""Drivers that their cluster starts again, and servers, killed at random moments of a task."""

import random
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from campaigns.killed_tasks import EXECUTOR_SHARE, MOST_SECONDS, SECONDS, Campaign
from campaigns.restarted_drivers import SupervisedKind, YarnKind
from campaigns.restarted_kinds import Kind, Submission
from campaigns.restarted_servers import connect_kind, thrift_kind
from clients.site import Site
from e2e.lake import Lake
from e2e.nightly import begun_in, finished

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS: dict[str, Callable[[Site], AbstractContextManager[Kind]]] = {
    "connect": connect_kind,
    "supervised": SupervisedKind.running,
    "thrift": thrift_kind,
    "yarn-cluster": YarnKind.running,
}


class RestartedCampaign(Campaign):
    """Submissions whose driver dies and is started again, by the cluster or as a new server."""

    def __init__(
        self, lake: Lake, spark: "SparkSession", folder: Path, draws: random.Random, kind: Kind
    ) -> None:
        super().__init__(lake, spark, folder, draws)
        self._kind = kind

    def task(self, number: int) -> None:
        """Submit one task, and submit it again if its client did not survive the deaths."""
        task = self._kind.task(self._lake, number)
        progress, deaths = 0, self.draws.randint(1, self.most_deaths)
        while True:
            before = self.tally.kills()
            with self._kind.submitted(number) as submission:
                while deaths and self._death(submission, task.statements):
                    deaths -= 1
                code = submission.child.wait(SECONDS)
                told = submission.told()
            progress = max(progress, finished(told))
            if code == 0:
                break
            if self.tally.kills() == before:
                self.tally.failed_attempts += 1
                print(submission.log.read_text("utf-8")[-3000:])
            if progress and self.draws.random() < 0.5:
                progress = self._recovered(task, progress)
        self._recovered(task, task.statements)
        self.tally.tasks += 1

    def _death(self, submission: Submission, statements: int) -> bool:
        """Kill the driver after a statement begins; return whether it was there to be killed."""
        line = f"begin {self.draws.randint(1, statements)}\n"
        end = time.monotonic() + SECONDS
        while submission.child.poll() is None and line not in submission.told():
            if time.monotonic() > end:
                raise TimeoutError(submission.log.read_text("utf-8")[-3000:])
            time.sleep(0.1)
        if self.draws.random() < EXECUTOR_SHARE and submission.executors():
            self._kill_executor(submission.executors)
        end = time.monotonic() + self.draws.uniform(0, MOST_SECONDS)
        while submission.child.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        begun = begun_in(submission.told())
        if submission.child.poll() is not None or not submission.kill():
            return False
        self.tally.drivers += 1
        self.tally.killed_in[begun] += 1
        return True
