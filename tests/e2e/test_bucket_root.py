"""A table whose folder is a whole bucket: Spark names its partitions without scheme and bucket."""

from typing import TYPE_CHECKING

import pyspark
import pytest
from py4j.protocol import Py4JJavaError

import repave
from e2e.frames import notes, sales
from e2e.lake import Lake
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "whole_bucket"


@pytest.mark.xfail(
    pyspark.__version__.startswith("3."),
    reason="Spark 3.5 cannot add a suffix to the path of a whole bucket, with Repave or without",
    raises=Py4JJavaError,
    strict=True,
)
@pytest.mark.parametrize("enabled", [True, False])
def test_a_partition_of_a_whole_bucket_is_overwritten(
    spark: "SparkSession", lake: Lake, *, enabled: bool
) -> None:
    bucket = f"whole-bucket-{enabled}".lower()
    lake.client.create_bucket(Bucket=bucket)
    columns = "id long, note string, day int"
    spark.sql(
        f"CREATE TABLE {NAME} ({columns}) USING parquet PARTITIONED BY (day)"
        f" LOCATION 's3a://{bucket}/'"
    )
    try:
        with repave.write_options(spark, enabled=enabled):
            sales(spark, [1, 2], "old").write.insertInto(NAME)
            spark.sql(f"INSERT OVERWRITE {NAME} PARTITION (day = 1) VALUES (7, 'new')")
        assert notes(spark.table(NAME)) == {1: "new", 2: "old"}
        assert spark.table(NAME).count() == 3
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")
        lake.proxy.reset()  # Spark's own commit copies


@pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="Spark 3.5 cannot write there")
def test_a_partition_of_a_whole_bucket_is_cached_anew_beside_a_frame_that_fails(
    spark: "SparkSession", lake: Lake
) -> None:
    """Spark stops at the frame that it cannot plan again, which was cached last."""
    lake.client.create_bucket(Bucket="whole-cached")
    other = lake.table("beside-a-whole-bucket")
    for url in ("s3a://whole-cached/", other.url):
        writer = sales(spark, [1, 2], "old").write.option("repave.readers", "snapshot")
        writer.mode("append").partitionBy("day").parquet(url)
    RepaveTable.for_path(spark, other.url).register(NAME)
    day = spark.read.parquet("repave://whole-cached/day=1").select("note").cache()
    whole = spark.read.parquet("repave://whole-cached/")
    broken = whole.join(spark.table(NAME).select("id"), "id").cache()
    try:
        assert (day.distinct().count(), broken.count()) == (1, 4)
        denied = Fault(
            "error", op="GetObject", key="beside-a.*head.json", status=403, code="AccessDenied"
        )
        lake.proxy.set_faults([denied])
        writer = sales(spark, [1, 2], "new").write.mode("overwrite").partitionBy("day")
        writer.option("partitionOverwriteMode", "dynamic").parquet("s3a://whole-cached/")
        assert [row.note for row in day.distinct().collect()] == ["new"]
        assert day.storageLevel.useMemory
    finally:
        lake.proxy.set_faults([])
        spark.catalog.clearCache()
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")
