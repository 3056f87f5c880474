"""Writes that a batch of a stream makes in threads that it starts."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import repave
from e2e.frames import sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
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
    assert "begins while a streaming query runs" in "".join(refused)
    assert [commit["token"] for commit in table.head()["log"]] == ["orders-0", f"{RUN}/1"]
