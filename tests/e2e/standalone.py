"""A standalone cluster of Spark on this machine: a master and workers as processes."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from e2e.driver import is_executor
from e2e.processes import running, wait_for_line
from repave._spark_home import find_spark
from repave_lab.child import free_port

if TYPE_CHECKING:
    import subprocess

SECONDS = 300
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
OWN = ("--webui-port", "0", "--host")
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Cluster:
    """A running cluster; executors are children of its workers."""

    url: str
    workers: tuple[int, ...]

    def environment(self) -> dict[str, str]:
        return {}

    def conf(self) -> dict[str, str]:
        """Return what a driver needs to use it, and to go on when executors die."""
        return {
            "spark.master": self.url,
            "spark.executor.memory": "512m",
            "spark.deploy.maxExecutorRetries": "-1",
        }

    def executors(self) -> list[int]:
        """Return the executors' process ids."""
        ids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in ids if any(is_executor(pid, worker) for worker in self.workers)]


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[Cluster]:
    """Run a master and workers with one core each; end them with the block.

    Each worker has a host of its own: Spark runs no speculative twin on the host of a task.
    """
    with ExitStack() as stack:
        url = stack.enter_context(master(folder))
        started = [
            stack.enter_context(
                worker(folder, url, f"worker-{number}", host=f"127.0.0.{number}")
            ).pid
            for number in range(1, workers + 1)
        ]
        yield Cluster(url, tuple(started))


@contextmanager
def master(folder: Path) -> Iterator[str]:
    """Run a master, and return its URL."""
    folder.mkdir()
    port = free_port()
    with running(folder / "master.log", [spark_class(), MASTER, *OWN, HOST, "--port", str(port)]):
        yield f"spark://127.0.0.1:{port}"


@contextmanager
def worker(
    folder: Path,
    url: str,
    name: str,
    cores: int = 1,
    conf: Mapping[str, str] | None = None,
    host: str = HOST,
) -> Iterator["subprocess.Popen[str]"]:
    """Run a worker that the master knows."""
    limits = ["--cores", str(cores), "--memory", f"{cores}g", "--work-dir", str(folder / name)]
    properties = " ".join(f"-D{key}={value}" for key, value in (conf or {}).items())
    env = {**os.environ, "SPARK_WORKER_OPTS": properties}
    log = folder / f"{name}.log"
    with running(log, [spark_class(), WORKER, *OWN, host, *limits, url], env=env) as child:
        wait_for_line(log, ".*Successfully registered.*", child, SECONDS)
        yield child


def spark_class() -> str:
    return str(find_spark(os.environ) / "bin" / "spark-class")
