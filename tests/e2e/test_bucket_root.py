"""A table whose folder is a whole bucket: Spark names its partitions without scheme and bucket."""

from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import notes, sales
from e2e.lake import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "whole_bucket"


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
