"""A query that is stopped in the commit of a batch leaves no unfinished commit."""

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import pyspark
import pytest

from e2e.deaths import until
from e2e.frames import rows, sales
from e2e.lake import TableFolder
from e2e.sessions import last_stages, line
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.newest

SECONDS = 60
# The client of Hadoop 3.3 ends the request that is interrupted, and forgets the interrupt.
FORGETS_STOPS = line(pyspark.__version__).startswith("3.")
DELAY_MILLIS = 1_500
WAIT_MILLIS = 15_000


class Point(NamedTuple):
    """The request during which the query is stopped, and whether the commit is published then."""

    name: str
    op: str
    key: str
    nth: int = 1
    is_published: bool = True


HEAD = r"_repave/head\.json$"
POINTS = (
    Point("ledger", "PutObject", r"uploads\.json\.gz$", is_published=FORGETS_STOPS),
    Point("reserve", "PutObject", HEAD, 1),
    Point("plan", "PutObject", r"manifest\.json\.gz$"),
    Point("complete", "CompleteMultipartUpload", "part-"),
    Point("publish", "PutObject", HEAD, 2),
    Point("retire", "DeleteObjects", ""),
    Point("finish", "PutObject", HEAD, 3),
)
AFTER_A_SHUFFLE = [point for point in POINTS if point.name in ("ledger", "reserve", "publish")]


@pytest.fixture
def stream(spark: "SparkSession", table: TableFolder, tmp_path: Path) -> Iterator["Stream"]:
    running = Stream(spark, table, tmp_path)
    yield running
    running.stop()


@pytest.mark.parametrize("point", POINTS, ids=[point.name for point in POINTS])
def test_a_query_that_is_stopped_in_a_commit_finishes_a_decided_one(
    spark: "SparkSession", table: TableFolder, stream: "Stream", point: Point
) -> None:
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    table.lake.proxy.set_faults([delay(table, point)])
    stream.start()
    table.lake.proxy.wait_for_hits(seconds=SECONDS)
    time.sleep(0.3)  # the request's body follows its head
    stream.stop()

    table.lake.proxy.set_faults([])
    assert_repeats(spark, table, stream, point)


@pytest.mark.parametrize("point", AFTER_A_SHUFFLE, ids=[point.name for point in AFTER_A_SHUFFLE])
def test_a_query_that_is_stopped_in_a_commit_after_a_shuffle_leaves_a_decided_one_to_its_thread(
    spark: "SparkSession", table: TableFolder, stream: "Stream", point: Point
) -> None:
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    stream.shuffles = True
    table.lake.proxy.set_faults([delay(table, point)])
    stream.start()
    table.lake.proxy.wait_for_hits(seconds=SECONDS)
    time.sleep(0.3)
    stream.stop()
    until(lambda: not last_stages(spark))

    table.lake.proxy.set_faults([])
    assert_repeats(spark, table, stream, point)


def delay(table: TableFolder, point: Point) -> Fault:
    key = f"^{table.name}/.*{point.key}" if point.key else ""
    return Fault("delay", op=point.op, key=key, nth=point.nth, ms=DELAY_MILLIS)


def assert_repeats(
    spark: "SparkSession", table: TableFolder, stream: "Stream", point: Point
) -> None:
    """Assert what the stopped query left, and that it writes its batch once in all."""
    assert {row[1] for row in rows(spark.read.parquet(table.url))} == {
        "new" if point.is_published else "old"
    }
    table.assert_settled()
    assert stream.failure() is None

    stream.start().awaitTermination(SECONDS)
    assert rows(spark.read.parquet(table.url)) == rows(sales(spark, [1], "new"))
    assert [commit["token"] for commit in table.head()["log"]] == ["", "batch-0"]
    table.assert_settled()


@pytest.mark.parametrize("mode", ["append", pytest.param("overwrite", marks=pytest.mark.slow)])
def test_a_query_that_is_stopped_while_its_batch_waits_for_another_commit_writes_nothing(
    spark: "SparkSession", table: TableFolder, stream: "Stream", mode: str
) -> None:
    # An overwrite waits before its tasks, an append in Reserve.
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    stream.shuffles, stream.mode = True, mode
    part = Fault(
        "delay", op="CompleteMultipartUpload", key=f"^{table.name}/", nth=1, ms=WAIT_MILLIS
    )
    table.lake.proxy.set_faults([part])

    def overwrite() -> None:
        writer = sales(spark, [1], "other").write.mode("overwrite")
        writer.option("partitionOverwriteMode", "dynamic").partitionBy("day").parquet(table.url)

    other = Thread(target=overwrite)
    other.start()
    table.lake.proxy.wait_for_hits(seconds=SECONDS)
    before = looks(table)
    stream.start()
    until(lambda: looks(table) >= before + 5, SECONDS)
    stream.stop()
    assert other.is_alive(), "the other commit ended before the query was stopped"
    other.join()
    until(lambda: not last_stages(spark))

    expected = rows(sales(spark, [1], "other"))
    assert rows(spark.read.parquet(table.url)) == expected
    assert [commit["token"] for commit in table.head()["log"]] == ["", ""]
    table.await_no_uploads()
    stream.start().awaitTermination(SECONDS)
    new = rows(sales(spark, [1], "new"))
    assert rows(spark.read.parquet(table.url)) == (
        sorted(expected + new, key=repr) if mode == "append" else new
    )
    assert [commit["token"] for commit in table.head()["log"]] == ["", "", "batch-0"]
    table.assert_settled()


def looks(table: TableFolder) -> int:
    """Return how often the head was read."""
    return sum(one.op == "GetObject" and one.key.endswith("head.json") for one in table.journal())


class Stream:
    """A query with one batch, which replaces the days of its rows unless the mode is append."""

    mode = "overwrite"
    shuffles = False

    def __init__(self, spark: "SparkSession", table: TableFolder, folder: Path) -> None:
        source = f"file://{folder}/source"
        sales(spark, [1], "new").write.parquet(source)
        files = spark.readStream.schema("id long, note string, day int").parquet(source)

        def put(batch: "DataFrame", number: int) -> None:
            frame = batch.repartition(1) if self.shuffles else batch
            writer = frame.write.mode(self.mode).option("partitionOverwriteMode", "dynamic")
            writer = writer.option("repave.token", f"batch-{number}")
            writer.partitionBy("day").parquet(table.url)

        writer = files.writeStream.foreachBatch(put).trigger(availableNow=True)
        self._writer = writer.option("checkpointLocation", f"file://{folder}/checkpoint")
        self._query: StreamingQuery | None = None

    def start(self) -> "StreamingQuery":
        self._query = self._writer.start()
        return self._query

    def stop(self) -> None:
        if self._query:
            self._query.stop()

    def failure(self) -> Exception | None:
        assert self._query
        return self._query.exception()
