"""A query that is stopped in the commit of a batch leaves no unfinished commit."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyspark
import pytest

from e2e.frames import rows, sales
from e2e.lake import TableFolder
from e2e.sessions import line
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

SECONDS = 60
# The client of Hadoop 3.3 ends the request that is interrupted, and forgets the interrupt.
FORGETS_STOPS = line(pyspark.__version__).startswith("3.")
DELAY_MILLIS = 1_500


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
    key = f"^{table.name}/.*{point.key}" if point.key else ""
    table.lake.proxy.set_faults(
        [Fault("delay", op=point.op, key=key, nth=point.nth, ms=DELAY_MILLIS)]
    )
    stream.start()
    table.lake.proxy.wait_for_hits(seconds=SECONDS)
    time.sleep(0.3)  # the request's body follows its head
    stream.stop()

    table.lake.proxy.set_faults([])
    assert {row[1] for row in rows(spark.read.parquet(table.url))} == {
        "new" if point.is_published else "old"
    }
    table.assert_settled()
    assert stream.failure() is None

    stream.start().awaitTermination(SECONDS)
    assert rows(spark.read.parquet(table.url)) == rows(sales(spark, [1], "new"))
    assert [commit["token"] for commit in table.head()["log"]] == ["", "batch-0"]
    table.assert_settled()


class Stream:
    """A query that overwrites the days of its one batch."""

    def __init__(self, spark: "SparkSession", table: TableFolder, folder: Path) -> None:
        source = f"file://{folder}/source"
        sales(spark, [1], "new").write.parquet(source)
        files = spark.readStream.schema("id long, note string, day int").parquet(source)

        def put(batch: "DataFrame", number: int) -> None:
            writer = batch.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
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
