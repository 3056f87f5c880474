"""A stream over a table's files reads each file once, whatever versions come."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def new_ids(spark: "SparkSession", path: str, folder: Path) -> list[int]:
    """Let a query read what is new since its last run; return all ids that it has read."""
    out = str(folder / "out")
    files = spark.readStream.schema("id int").parquet(path)
    query = files.writeStream.format("parquet").option("checkpointLocation", str(folder / "log"))
    query.trigger(availableNow=True).start(out).awaitTermination()
    return sorted(row.id for row in spark.read.schema("id int").parquet(out).collect())


@pytest.mark.parametrize("inside", ["", "/p=*"])
@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_stream_reads_each_file_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str, inside: str
) -> None:
    path = table.url.replace("s3a://", "repave://") + inside
    expected: list[int] = []
    for number in (1, 2):
        frame = spark.createDataFrame([(number, 1), (number, 2)], "id int, p int").coalesce(1)
        writer = frame.write.mode("append").partitionBy("p").option("repave.readers", readers)
        writer.parquet(table.url)
        expected += [number, number]
        assert new_ids(spark, path, tmp_path) == expected
