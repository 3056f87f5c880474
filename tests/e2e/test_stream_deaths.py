"""A stream's driver is killed in a batch; the next one, from its checkpoint, doubles nothing."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from e2e.deaths import head_of, kill_at
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.stream import add_file, rows_after
from e2e.test_runs import SWAPS, rows
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS = 300
STREAM = "sales"


class Point(NamedTuple):
    """Where a batch dies: at a write of the head, or at the checkpoint's file if that is 0.

    `state` is that of the batch's commit in the head then, if it is unfinished.
    """

    name: str
    do: str
    swap: int
    state: str


RESERVE = Point("before-reserve", "hang", 1, "")
PUBLISH = Point("before-publish", "hang", 2, "pending")
PUBLISHED = Point("published", "hang_after", 2, "cleaning")
RETURNED = Point("returned", "hang", 0, "")
POINTS = (RESERVE, PUBLISH, PUBLISHED, RETURNED)
DEATHS = [
    *[(point, "append", batch) for point in POINTS for batch in (0, 1)],
    (PUBLISHED, "overwrite", 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("point", "mode", "batch"),
    DEATHS,
    ids=[f"{point.name}-{mode}-{batch}" for point, mode, batch in DEATHS],
)
def test_a_stream_that_was_killed_in_a_batch_writes_each_row_once(
    spark: "SparkSession",
    table: TableFolder,
    tmp_path: Path,
    point: Point,
    mode: str,
    batch: int,
) -> None:
    stream = Stream(table, tmp_path, mode)
    for number in range(batch + 1):
        add_file(stream.source, number)
    kill_at(table, tmp_path, stream.work, stream.fault(point, batch), "e2e.stream")
    log = (tmp_path / "driver.log").read_text()
    assert finished(log) == list(range(batch + (point is RETURNED)))
    active = table.head()["active"] if table.has_head() else []
    assert [one["state"] for one in active] == ([point.state] if point.state else [])

    assert stream.run() == [batch], "the checkpoint must not have the batch yet"
    assert rows(spark, table) == rows_after(batch + 1, mode)
    add_file(stream.source, batch + 1)
    assert stream.run() == [batch + 1]
    assert rows(spark, table) == rows_after(batch + 2, mode)

    tokens = [commit["token"] for commit in table.head()["log"]]
    assert tokens == [f"{STREAM}-{number}" for number in range(batch + 2)]
    assert table.head()["active"] == []


class Stream:
    """A query with its source and its checkpoint, in one driver after the other."""

    def __init__(self, table: TableFolder, folder: Path, mode: str) -> None:
        self.source = folder / "source"
        self._folder = folder
        self._checkpoint = f"{table.name}-checkpoint"
        self._head = head_of(table)
        self.work: dict[str, object] = {
            "endpoint": table.lake.proxy.endpoint,
            "url": table.url,
            "source": f"file://{self.source}",
            "checkpoint": f"s3a://{table.lake.bucket}/{self._checkpoint}",
            "mode": mode,
            "stream": STREAM,
            # A dead commit is known in two seconds.
            "conf": {"spark.hadoop.repave.heartbeat": "500ms"},
        }

    def fault(self, point: Point, batch: int) -> Fault:
        if point.swap:
            nth = SWAPS * batch + point.swap
            return Fault(point.do, op="PutObject", key=self._head, nth=nth)
        # Spark writes the file of a batch that is done under another name, and renames it.
        key = rf"^{self._checkpoint}/commits/\.?{batch}\."
        return Fault(point.do, op="PutObject", key=key)

    def run(self) -> list[int]:
        """Let a new driver read what there is; return the batches that it wrote."""
        with driver(self._folder, self.work, "e2e.stream") as child:
            code = child.wait(SECONDS)
        log = (self._folder / "driver.log").read_text()
        assert code == 0, log[-4000:]
        return finished(log)


def finished(log: str) -> list[int]:
    return [int(number) for number in re.findall(r"^done (\d+)$", log, re.MULTILINE)]
