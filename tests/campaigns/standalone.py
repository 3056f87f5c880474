"""A standalone cluster of Spark on this machine: a master and workers as processes."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from campaigns.store import wait_for_line
from e2e.driver import is_executor
from e2e.processes import running
from repave._spark_home import find_spark
from repave_lab.child import free_port

SECONDS = 120
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


@dataclass(frozen=True)
class Cluster:
    """A running cluster; executors are children of its workers."""

    url: str
    workers: tuple[int, ...]

    def executors(self) -> list[int]:
        """Return the executors' process ids."""
        ids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in ids if any(is_executor(pid, worker) for worker in self.workers)]


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[Cluster]:
    """Run a master and workers with one core each; end them with the block."""
    folder.mkdir()
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    own = ["--host", "127.0.0.1", "--webui-port", "0"]
    java = [str(find_spark(os.environ) / "bin" / "spark-class")]
    with ExitStack() as stack:
        stack.enter_context(
            running(folder / "master.log", [*java, MASTER, *own, "--port", str(port)])
        )
        started = []
        for number in range(workers):
            limits = [
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                str(folder / f"work-{number}"),
            ]
            log = folder / f"worker-{number}.log"
            child = stack.enter_context(running(log, [*java, WORKER, *own, *limits, url]))
            wait_for_line(log, ".*Successfully registered.*", child, SECONDS)
            started.append(child.pid)
        yield Cluster(url, tuple(started))
