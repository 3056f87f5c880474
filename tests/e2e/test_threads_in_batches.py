"""Writes that a batch of a stream makes in threads that it starts."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest
from pyspark import InheritableThread

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

SECONDS = 300
RUN = "dag/task/2026-11-27"


@pytest.mark.newest
def test_a_run_does_not_number_the_writes_of_a_batch_in_threads(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """A repeated run begins with a later batch, and would count its write as the first one."""
    refused: list[str] = []
    sales(spark, [1], "new").write.parquet(f"file://{tmp_path}/source")

    def put(frame: "DataFrame", number: int) -> None:
        def plain() -> None:
            try:
                frame.write.mode("append").parquet(table.url)
            except Exception as error:  # noqa: BLE001 - whatever the write raises
                refused.append(str(error))

        def named() -> None:
            with repave.write_options(spark, token=f"orders-{number}"):
                frame.write.mode("append").parquet(table.url)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(plain).result()
            pool.submit(named).result()

    spark.conf.set("repave.run", RUN)
    try:
        files = spark.readStream.schema("id long, note string, day int")
        stream = files.parquet(f"file://{tmp_path}/source").writeStream.foreachBatch(put)
        query = stream.option("checkpointLocation", f"file://{tmp_path}/log")
        assert query.trigger(availableNow=True).start().awaitTermination(SECONDS)
        sales(spark, [2], "after").write.mode("append").parquet(table.url)
    finally:
        spark.conf.unset("repave.run")
    assert "was started outside the batch thread while a streaming query runs" in "".join(refused)
    assert [commit["token"] for commit in table.head()["log"]] == ["orders-0", f"{RUN}/1"]


def test_a_pool_that_an_earlier_batch_started_does_not_name_that_batch(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """Its threads keep the properties of that batch, as those of a pool in Java do."""
    work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
    done: SimpleQueue[str] = SimpleQueue()
    sales(spark, [1, 2], "new").repartition(2).write.parquet(f"file://{tmp_path}/source")

    def serve() -> None:
        for write in iter(work.get, None):
            try:
                write()
                done.put("")
            except Exception as error:  # noqa: BLE001 - whatever the write raises
                done.put(str(error))

    def put(frame: "DataFrame", number: int) -> None:
        def write() -> None:
            writer = frame.write.mode("append").option("repave.token", f"orders-{number}")
            writer.partitionBy("day").parquet(table.url)
            if number == 1:
                RepaveTable.for_path(spark, table.url).drop_partitions("day=1")

        if number == 0:
            InheritableThread(target=serve).start()
        work.put(write)
        assert done.get() == ""

    files = spark.readStream.schema("id long, note string, day int").option("maxFilesPerTrigger", 1)
    stream = files.parquet(f"file://{tmp_path}/source").writeStream.foreachBatch(put)
    query = stream.option("checkpointLocation", f"file://{tmp_path}/log").trigger(availableNow=True)
    try:
        assert query.start().awaitTermination(SECONDS)
        spark.conf.set("repave.run", RUN)
        after = sales(spark, [3], "after").write.mode("append").partitionBy("day")
        work.put(lambda: after.parquet(table.url))
        assert done.get() == ""
    finally:
        spark.conf.unset("repave.run")
        work.put(None)
    assert table.head()["log"][-1]["token"] == f"{RUN}/1", "the batch is over"
    first, second, dropped, _ = applications(table)
    assert " batch 0 " in first
    assert " batch " not in second
    assert dropped == ""


def applications(table: TableFolder) -> list[str]:
    """Return what made each commit, as their records name it, the oldest first."""
    found = []
    for key in sorted(key for key in table.listing() if key.endswith("/uploads.json.gz")):
        answer = table.lake.client.get_object(Bucket=table.lake.bucket, Key=f"{table.name}/{key}")
        found.append(str(json.loads(gzip.decompress(answer["Body"].read()))["application"]))
    return found
