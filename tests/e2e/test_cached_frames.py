"""Spark's cache shows what a commit has changed, also to readers of `repave://` paths and names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READERS = ["listing", "snapshot"]
NAME = "cached_sales"


@pytest.fixture(autouse=True)
def clean(spark: "SparkSession") -> Iterator[None]:
    yield
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")
    spark.catalog.clearCache()


def write(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)


def fill(spark: "SparkSession", table: TableFolder, readers: str) -> str:
    """Write two days, and return the table's `repave://` path."""
    writer = sales(spark, [1, 2], "old").write.partitionBy("day")
    writer.option("repave.readers", readers).parquet(table.url)
    return table.url.replace("s3a://", "repave://")


@pytest.mark.parametrize("readers", READERS)
def test_a_write_is_shown_by_cached_frames_and_by_new_ones(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    write(spark, table, [1], "new")
    assert notes(spark.read.parquet(url)) == {1: "new", 2: "old"}
    assert notes(cached) == {1: "new", 2: "old"}


def test_a_write_to_the_repave_path_is_shown_by_frames_of_the_stores_path(
    spark: "SparkSession", table: TableFolder
) -> None:
    url = fill(spark, table, "listing")
    cached = spark.read.parquet(table.url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    writer = sales(spark, [1], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(url)
    assert notes(spark.read.parquet(table.url)) == {1: "new", 2: "old"}
    assert notes(cached) == {1: "new", 2: "old"}


def test_a_write_to_the_path_is_shown_by_a_cached_name(
    spark: "SparkSession", table: TableFolder
) -> None:
    fill(spark, table, "snapshot")
    RepaveTable.for_path(spark, table.url).register(NAME)
    spark.sql(f"CACHE TABLE {NAME}")
    write(spark, table, [1], "new")
    assert notes(spark.table(NAME)) == {1: "new", 2: "old"}


@pytest.mark.parametrize("readers", READERS)
def test_dropped_partitions_leave_cached_frames(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    RepaveTable.for_path(spark, table.url).drop_partitions("day=1")
    assert notes(cached) == notes(spark.read.parquet(url)) == {2: "old"}


def test_a_rollback_is_shown_by_a_cached_name(spark: "SparkSession", table: TableFolder) -> None:
    fill(spark, table, "snapshot")
    repaved = RepaveTable.for_path(spark, table.url)
    first = repaved.status().version
    write(spark, table, [1], "new")
    repaved.register(NAME)
    spark.sql(f"CACHE TABLE {NAME}")
    repaved.rollback(first)
    assert notes(spark.table(NAME)) == {1: "old", 2: "old"}


def test_a_cached_frame_of_one_version_keeps_it(spark: "SparkSession", table: TableFolder) -> None:
    url = fill(spark, table, "snapshot")
    version = RepaveTable.for_path(spark, table.url).status().version
    cached = spark.read.parquet(f"{url}/@v{version}").cache()
    assert notes(cached) == {1: "old", 2: "old"}
    write(spark, table, [1], "new")
    assert notes(cached) == {1: "old", 2: "old"}
