"""A stream that reads a table's files reads each file once, whatever versions come."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.frames import Row, rows
from e2e.lake import TableFolder, foreign_file

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id int, p int"


def write(spark: "SparkSession", table: TableFolder, number: int) -> None:
    frame = spark.createDataFrame([(number, 1), (number, 2)], SCHEMA).coalesce(1)
    frame.write.mode("append").partitionBy("p").parquet(table.url)


def new_rows(spark: "SparkSession", path: str, folder: Path) -> list[Row]:
    """Let a query read what is new since its last run; return all rows that it has read."""
    out = str(folder / "out")
    reader = spark.readStream.schema(SCHEMA).option("basePath", path.partition("/p=")[0])
    files = reader.parquet(path)
    query = files.writeStream.format("parquet").option("checkpointLocation", str(folder / "log"))
    query.trigger(availableNow=True).start(out).awaitTermination()
    return rows(spark.read.schema(SCHEMA).parquet(out))


@pytest.mark.parametrize("pattern", ["", "/p=*"])
@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_stream_reads_each_file_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str, pattern: str
) -> None:
    spark.createDataFrame([(1,)], "id int").coalesce(1).write.parquet(f"{table.url}-source")
    foreign_file(table, "p=1/copied.snappy.parquet")
    spark.conf.set("repave.readers", readers)
    expected: list[Row] = [(1, 1)]
    try:
        for number in (2, 3):
            write(spark, table, number)
            expected += [(number, 1), (number, 2)]
            path = table.url.replace("s3a://", "repave://") + pattern
            assert new_rows(spark, path, tmp_path) == expected
    finally:
        spark.conf.unset("repave.readers")


def test_a_stream_reads_adopted_files_that_were_replaced_after_it_found_them(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """They are in the store until vacuum, and the stream has them in its list of new files."""
    source = spark.createDataFrame([(1,)], "id int").coalesce(1).write
    source.parquet(f"{table.url}-source")
    for number in range(3):
        foreign_file(table, f"p={number}/copied.snappy.parquet")
    spark.conf.set("repave.readers", "snapshot")
    seen: list[int] = []

    def replace(batch: "DataFrame", number: int) -> None:
        seen.extend(row.p for row in batch.collect())
        if number == 0:
            new = batch.sparkSession.createDataFrame([(9, 9)], SCHEMA).coalesce(1)
            new.write.mode("overwrite").partitionBy("p").parquet(table.url)

    try:
        write(spark, table, 1)
        path = table.url.replace("s3a://", "repave://")
        files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(path)
        query = files.writeStream.foreachBatch(replace)
        query = query.option("checkpointLocation", str(tmp_path / "log"))
        query.trigger(availableNow=True).start().awaitTermination()
    finally:
        spark.conf.unset("repave.readers")
    assert sorted(seen) == [0, 1, 1, 2, 2]
