"""What a kind of cluster or server is to a campaign whose drivers are started again."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from campaigns.killed_tasks import Task
from e2e.lake import Lake

if TYPE_CHECKING:
    import subprocess


class Submission(Protocol):
    """A client that waits for its task, and the driver that runs it now."""

    child: "subprocess.Popen[str]"
    log: Path

    def told(self) -> str:
        """Return which statements the newest driver has begun and done."""

    def executors(self) -> list[int]:
        """Return the executors' process ids."""

    def kill(self) -> bool:
        """Kill the driver, if it is there, and let it be started again."""


class Kind(Protocol):
    """A running cluster or site that gets one submission at a time."""

    def task(self, lake: Lake, number: int) -> Task: ...
    def submitted(self, number: int) -> AbstractContextManager[Submission]: ...
