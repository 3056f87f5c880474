"""A standalone cluster: master and two workers; the driver and an executor die in a commit."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from campaigns.standalone import Cluster, standalone
from campaigns.store import listed_rows
from clients.site import SECONDS
from e2e.deaths import until
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import kill
from repave_lab.proxy.faults import Fault

WORKERS = 2
PUBLISHED = 2  # a commit's second write of the head


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with standalone(tmp_path / "cluster", WORKERS) as running:
        yield running


def work(table: TableFolder, cluster: Cluster, days: list[int], note: str) -> dict[str, Any]:
    conf = {"spark.master": cluster.url, "spark.executor.memory": "512m"}
    return {
        "endpoint": table.lake.proxy.endpoint,
        "url": table.url,
        "days": days,
        "note": note,
        "tasks": WORKERS,
        "conf": {**conf, "spark.hadoop.repave.heartbeat": "500ms"},
    }


def finish(folder: Path, task: dict[str, Any]) -> None:
    with driver(folder, task) as child:
        code = child.wait(SECONDS)
    assert code == 0, (folder / "driver.log").read_text()[-4000:]


def kill_executors(cluster: Cluster, chosen: slice) -> None:
    running = sorted(cluster.executors())
    assert running
    for pid in running[chosen]:
        os.kill(pid, signal.SIGKILL)


def sold(notes: dict[int, str]) -> Counter[tuple[object, ...]]:
    return Counter((day * 100 + n, note, day) for day, note in notes.items() for n in range(2))


def home(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


def states(table: TableFolder) -> Iterable[str]:
    return [one["state"] for one in table.head()["active"]]


def test_rows_are_exact_when_executors_and_the_driver_die(
    table: TableFolder, cluster: Cluster, tmp_path: Path
) -> None:
    finish(home(tmp_path, "first"), work(table, cluster, [1, 2, 3], "old"))
    assert listed_rows(table) == sold(dict.fromkeys((1, 2, 3), "old"))

    # An executor dies while it uploads: another one writes its task's files again.
    table.lake.proxy.set_faults([Fault("hang", op="UploadPart", key=table.name, times=1)])
    second = home(tmp_path, "second")
    with driver(second, work(table, cluster, [2, 3], "new")) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        kill_executors(cluster, slice(None))
        code = child.wait(SECONDS)
    assert code == 0, (second / "driver.log").read_text()[-4000:]
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "new"})
    table.await_no_uploads()

    # The driver and an executor die when the commit is published and not finished.
    head = rf"^{table.name}/_repave/head\.json$"
    fault = Fault("hang_after", op="PutObject", key=head, nth=PUBLISHED)
    table.lake.proxy.set_faults([fault])
    with driver(home(tmp_path, "third"), work(table, cluster, [3, 4], "dead")) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        time.sleep(0.3)  # the request's body follows its head
        kill_executors(cluster, slice(1))
        kill(child)
    until(lambda: states(table) == ["cleaning"])
    table.lake.proxy.set_faults([])

    # The next job finishes what the dead one left.
    finish(home(tmp_path, "fourth"), work(table, cluster, [4], "last"))
    assert listed_rows(table) == sold({1: "old", 2: "new", 3: "dead", 4: "last"})
    assert table.head()["version"] == 4
    table.assert_settled()
