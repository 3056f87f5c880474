"""How many files, and how they are called: buckets, size limits, concurrent writers, no rows."""

import re
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder, foreign_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest


def test_buckets_keep_their_number_where_spark_looks_for_it(
    spark: "SparkSession", table: TableFolder
) -> None:
    for note in ("old", "new"):
        writer = spark.range(40).selectExpr("id", f"'{note}' AS note").coalesce(1).write
        writer = writer.mode("overwrite").bucketBy(4, "id").sortBy("id")
        writer.option("path", table.url).saveAsTable("bucketed")
    try:
        assert len(table.data()) == 4
        assert {re.sub(r".*_(\d{5})\..*", r"\1", key) for key in table.data()} == {
            f"{n:05d}" for n in range(4)
        }
        # A bucket that Spark finds by its number is all that this query reads.
        assert rows(spark.table("bucketed").where("id = 17")) == [(17, "new")]
        joined = spark.table("bucketed").join(spark.table("bucketed").alias("b"), "id")
        assert joined.count() == 40
    finally:
        spark.sql("DROP TABLE bucketed")
    assert table.open_uploads() == []


def test_max_records_per_file_makes_several_files(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = spark.range(25).selectExpr("id", "id % 2 AS p").coalesce(1)
    for _ in range(2):
        writer = frame.write.mode("overwrite").partitionBy("p").option("maxRecordsPerFile", 5)
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    assert table.partitions() == {"p=0": 3, "p=1": 3}
    assert spark.read.parquet(table.url).count() == 25
    table.assert_settled()


def test_concurrent_writers_keep_every_row(spark: "SparkSession", table: TableFolder) -> None:
    spark.conf.set("spark.sql.maxConcurrentOutputFileWriters", "3")
    try:
        frame = spark.range(60).selectExpr("id", "id % 6 AS p")
        for _ in range(2):
            writer = frame.write.mode("overwrite").partitionBy("p")
            writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    finally:
        spark.conf.unset("spark.sql.maxConcurrentOutputFileWriters")
    assert rows(spark.read.parquet(table.url).select("id", "p")) == rows(frame)
    assert len(table.partitions()) == 6
    table.assert_settled()


@pytest.mark.parametrize("mode", ["dynamic", "static", "append"])
def test_an_empty_result(spark: "SparkSession", table: TableFolder, mode: str) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    writer = sales(spark, [1], "new").where("day > 9").write.partitionBy("day")
    writer = writer.mode("append" if mode == "append" else "overwrite")
    writer.option("partitionOverwriteMode", mode.replace("append", "static")).parquet(table.url)
    read = spark.read.schema("id long, note string, day int").parquet(table.url)
    assert notes(read) == ({} if mode == "static" else {1: "old", 2: "old"})
    assert "_SUCCESS" in table.listing()
    table.assert_settled()


def test_an_empty_frame_without_partitions_leaves_one_file_with_the_schema(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.range(5).where("id > 9").write.parquet(table.url)
    assert len(table.data()) == 1
    assert spark.read.parquet(table.url).count() == 0
    assert spark.read.parquet(table.url).columns == ["id"]
    table.assert_settled()


def test_a_first_dynamic_overwrite_creates_the_table(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    sales(spark, [1], "new").write.mode("overwrite").partitionBy("day").parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "new"}
    table.assert_settled()


def test_files_that_stock_spark_left_are_replaced_too(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "old").drop("day").write.parquet(f"{table.url}-source")
    foreign_file(table, "day=1/part-00000-foreign.snappy.parquet")
    assert notes(spark.read.parquet(table.url)) == {1: "old"}
    writer = sales(spark, [1], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "new"}
    table.assert_settled()


@pytest.mark.parametrize("folder", ["@v1", "@2026-11-20"])
def test_a_table_can_be_below_a_folder_with_the_name_of_a_version(
    spark: "SparkSession", table: TableFolder, folder: str
) -> None:
    url = f"{table.url}/{folder}/t"
    for note in ("old", "new"):
        sales(spark, [1], note).write.mode("overwrite").partitionBy("day").parquet(url)
    assert notes(spark.read.parquet(url)) == {1: "new"}


@pytest.mark.parametrize("last", ["@v2", "@2025-01-01", "@v2-0123456789ab", "@v2/day=1"])
def test_a_write_to_a_path_of_a_version_is_refused(
    spark: "SparkSession", table: TableFolder, last: str
) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    before = table.listing()
    for mode in ("append", "overwrite"):
        with pytest.raises(Exception, match=rf"Nothing was written. Write to {table.url},"):
            sales(spark, [1], "new").write.mode(mode).parquet(f"{table.url}/{last}")
    assert table.listing() == before
    snapshot = table.url.replace("s3a://", "repave://")
    with pytest.raises(Exception, match=r"Nothing was written. Write to"):
        sales(spark, [1], "new").write.mode("append").parquet(f"{snapshot}/{last}")
    assert notes(spark.read.parquet(table.url)) == {1: "old", 2: "old"}
