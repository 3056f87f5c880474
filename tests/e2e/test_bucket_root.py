"""A table whose folder is a whole bucket: Spark names its partitions without scheme and bucket."""

from typing import TYPE_CHECKING

import pyspark
import pytest
from py4j.protocol import Py4JJavaError

import repave
from e2e.frames import notes, sales
from e2e.lake import Lake

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
