"""Spark's external shuffle service on YARN dies with its NodeManager while a job writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns.mini_yarn import EXECUTOR, MiniYarn, mini_yarn
from campaigns.shuffle_node import ShuffleNode
from campaigns.store import listed_rows
from clients.cluster_days import home, sold, uploading, work
from clients.site import SECONDS
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import kill

# A stage whose shuffle files cannot be read fails the job at once.
READS_OR_FAILS = {"spark.stage.maxConsecutiveAttempts": "1"}


@pytest.fixture
def yarn(tmp_path: Path) -> Iterator[MiniYarn]:
    with mini_yarn(tmp_path / "yarn", nodes=0) as running:
        yield running


def test_rows_are_exact_when_the_node_with_the_shuffle_service_dies(
    table: TableFolder, yarn: MiniYarn, tmp_path: Path
) -> None:
    proxy, more, node = table.lake.proxy, yarn.environment(), ShuffleNode(yarn)
    conf = {**yarn.conf(), **node.conf(), "spark.executor.instances": "0"}

    # The NodeManager and the executors die. It starts again and still has the shuffle files.
    proxy.set_faults([uploading(table)])
    first = home(tmp_path, "first")
    task = work(table, {**conf, **READS_OR_FAILS}, [1, 2, 3], "old")
    with node.running() as manager, driver(first, task, more=more) as child:
        proxy.wait_for_hits(seconds=SECONDS)
        kill(manager)
        yarn.kill(EXECUTOR)
        with node.running():
            code = child.wait(SECONDS)
            assert code == 0, (first / "driver.log").read_text()[-4000:] + yarn.logs()
            assert listed_rows(table) == sold(dict.fromkeys((1, 2, 3), "old"))

    with node.running() as manager:
        # The whole node dies with its disks, and an empty one takes its place.
        proxy.set_faults([uploading(table)])
        second = home(tmp_path, "second")
        with driver(second, work(table, conf, [2, 3], "new"), more=more) as child:
            proxy.wait_for_hits(seconds=SECONDS)
            kill(manager)
            yarn.kill()
            node.lose_disks()
            with node.running():
                code = child.wait(SECONDS)
        assert code == 0, (second / "driver.log").read_text()[-4000:] + yarn.logs()
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "new"})
    assert [registered(node, start) for start in range(1, node.starts + 1)] == [True] * 4
    table.await_no_uploads()
    table.assert_settled()


def registered(node: ShuffleNode, start: int) -> bool:
    """Return whether executors used the shuffle service of a start."""
    return "Registered executor" in node.log(start).read_text("utf-8")
