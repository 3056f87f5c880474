"""Clusters with dynamic allocation whose node dies with the external shuffle service."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from campaigns.mini_yarn import EXECUTOR, MiniYarn, mini_yarn
from campaigns.shuffle_node import DYNAMIC, ShuffleNode
from e2e.processes import kill
from e2e.standalone import Cluster, master, worker
from repave_lab.child import free_port

if TYPE_CHECKING:
    import subprocess

CORES = 3
# Executors live from one statement to the next, mostly: each takes long to start.
IDLE = {"spark.dynamicAllocation.executorIdleTimeout": "10s"}


class ShuffleCluster(Protocol):
    """A cluster of one node; a node that is killed starts again."""

    def conf(self) -> dict[str, str]: ...
    def environment(self) -> dict[str, str]: ...
    def executors(self) -> list[int]: ...
    def kill_node(self) -> None: ...


class StandaloneShuffle:
    """A worker with the shuffle service; its successor has none of its shuffle files."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        self._service = {
            "spark.shuffle.service.enabled": "true",
            "spark.shuffle.service.port": str(free_port()),
        }
        self._url = stack.enter_context(master(folder))
        self._starts = 0
        self._worker = self._started()

    def conf(self) -> dict[str, str]:
        return {**self._cluster().conf(), **DYNAMIC, **self._service, **IDLE}

    def environment(self) -> dict[str, str]:
        return {}

    def executors(self) -> list[int]:
        return self._cluster().executors()

    def kill_node(self) -> None:
        kill(self._worker)
        self._worker = self._started()

    def _cluster(self) -> Cluster:
        return Cluster(self._url, (self._worker.pid,))

    def _started(self) -> "subprocess.Popen[str]":
        self._starts += 1
        name = f"worker-{self._starts}"
        started = worker(self._folder, self._url, name, CORES, self._service)
        return self._stack.enter_context(started)


class YarnShuffle:
    """A NodeManager with the shuffle service; half of its deaths leave it without its files."""

    def __init__(self, stack: ExitStack, yarn: MiniYarn, draws: random.Random) -> None:
        self._stack, self._yarn, self._draws = stack, yarn, draws
        self._node = ShuffleNode(yarn)
        self._process = stack.enter_context(self._node.running())

    def conf(self) -> dict[str, str]:
        own = {"spark.executor.instances": "0", "spark.yarn.maxAppAttempts": "20"}
        return {**self._yarn.conf(), **self._node.conf(), **own, **IDLE}

    def environment(self) -> dict[str, str]:
        return self._yarn.environment()

    def executors(self) -> list[int]:
        return self._yarn.executors()

    def kill_node(self) -> None:
        kill(self._process)
        if self._draws.random() < 0.5:
            self._yarn.kill(EXECUTOR)
        else:
            self._yarn.kill()
            self._node.lose_disks()
        self._process = self._stack.enter_context(self._node.running())


@contextmanager
def standalone_shuffle(folder: Path) -> Iterator[StandaloneShuffle]:
    with ExitStack() as stack:
        yield StandaloneShuffle(stack, folder)


@contextmanager
def yarn_shuffle(folder: Path, draws: random.Random) -> Iterator[YarnShuffle]:
    with mini_yarn(folder, nodes=0) as yarn, ExitStack() as stack:
        yield YarnShuffle(stack, yarn, draws)
