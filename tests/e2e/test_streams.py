"""A stream that reads a table's files reads each file once, whatever versions come."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.frames import Row, rows
from e2e.lake import TableFolder, foreign_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
