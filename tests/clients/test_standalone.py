"""A standalone cluster: drivers, executors and an external shuffle service die in a commit."""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from campaigns.store import listed_rows
from clients.cluster_days import finish, home, sold, uploading, work
from clients.site import SECONDS
from e2e.deaths import head_of, until
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import kill
from e2e.standalone import Cluster, master, standalone, worker
from repave_lab.child import free_port
from repave_lab.proxy.faults import Fault

WORKERS = 2
PUBLISHED = 2  # a commit's second write of the head
CORES = 3
IDLE_MS = 30_000


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with standalone(tmp_path / "cluster", WORKERS) as running:
        yield running


def kill_executors(cluster: Cluster, chosen: slice) -> None:
    running = sorted(cluster.executors())
    assert running
    for pid in running[chosen]:
        os.kill(pid, signal.SIGKILL)


def states(table: TableFolder) -> Iterable[str]:
    return [one["state"] for one in table.head()["active"]]


def test_rows_are_exact_when_executors_and_the_driver_die(
    table: TableFolder, cluster: Cluster, tmp_path: Path
) -> None:
    finish(home(tmp_path, "first"), work(table, cluster.conf(), [1, 2, 3], "old"))
    assert listed_rows(table) == sold(dict.fromkeys((1, 2, 3), "old"))

    # An executor dies while it uploads: another one writes its task's files again.
    table.lake.proxy.set_faults([uploading(table)])
    second = home(tmp_path, "second")
    with driver(second, work(table, cluster.conf(), [2, 3], "new")) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        kill_executors(cluster, slice(None))
        code = child.wait(SECONDS)
    assert code == 0, (second / "driver.log").read_text()[-4000:]
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "new"})
    table.await_no_uploads()

    # The driver and an executor die when the commit is published and not finished.
    fault = Fault("hang_after", op="PutObject", key=head_of(table), nth=PUBLISHED)
    table.lake.proxy.set_faults([fault])
    with driver(home(tmp_path, "third"), work(table, cluster.conf(), [3, 4], "dead")) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        time.sleep(0.3)  # the request's body follows its head
        kill_executors(cluster, slice(1))
        kill(child)
    until(lambda: states(table) == ["cleaning"])
    table.lake.proxy.set_faults([])

    # The next job finishes what the dead one left.
    finish(home(tmp_path, "fourth"), work(table, cluster.conf(), [4], "last"))
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "dead", 4: "last"})
    assert table.head()["version"] == 4
    table.assert_settled()


def test_rows_are_exact_when_executors_come_and_go_and_the_shuffle_service_dies(
    table: TableFolder, tmp_path: Path
) -> None:
    proxy, folder = table.lake.proxy, tmp_path / "cluster"
    service = {
        "spark.shuffle.service.enabled": "true",
        "spark.shuffle.service.port": str(free_port()),
    }
    dynamic = {
        **service,
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.executorIdleTimeout": "1s",
        "spark.executor.cores": "1",
        "spark.shuffle.io.retryWait": "1s",
    }
    with master(folder) as url, worker(folder, url, "first", CORES, service) as machine:
        cluster = Cluster(url, (machine.pid,))
        # The executors die while they upload. Others come, and leave while the commit publishes.
        delay = Fault("delay", op="PutObject", key=head_of(table), nth=PUBLISHED, ms=IDLE_MS)
        proxy.set_faults([uploading(table), delay])
        first = home(tmp_path, "first")
        with driver(first, work(table, {**cluster.conf(), **dynamic}, [1, 2, 3], "old")) as child:
            proxy.wait_for_hits(seconds=SECONDS)
            kill_executors(cluster, slice(None))
            proxy.wait_for_hits(2, seconds=SECONDS)
            until(lambda: cluster.executors() == [], IDLE_MS / 1000)
            assert states(table) == ["pending"]
            code = child.wait(SECONDS)
        assert code == 0, (first / "driver.log").read_text()[-4000:]
        assert listed_rows(table) == sold(dict.fromkeys((1, 2, 3), "old"))

        # The worker dies with its executors and all shuffle files, and another one takes over.
        proxy.set_faults([uploading(table)])
        second = home(tmp_path, "second")
        with driver(second, work(table, {**cluster.conf(), **dynamic}, [2, 3], "new")) as child:
            proxy.wait_for_hits(seconds=SECONDS)
            kill(machine)
            with worker(folder, url, "second", CORES, service):
                code = child.wait(SECONDS)
        assert code == 0, (second / "driver.log").read_text()[-4000:]
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "new"})
    table.await_no_uploads()
    table.assert_settled()
