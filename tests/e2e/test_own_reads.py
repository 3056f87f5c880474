"""Overwrites that read their own table, as a compaction does, while others write to it."""

from typing import TYPE_CHECKING

import pytest

from e2e.frames import rows, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

UNREAD = "its own query has not read"
FIRST = (range(3), "old")


def append(spark: "SparkSession", table: TableFolder, days: range | list[int], note: str) -> None:
    writer = sales(spark, days, note).write.mode("append")
    writer.option("repave.readers", readers_of(table)).partitionBy("day").parquet(table.url)


def readers_of(table: TableFolder) -> str:
    return "snapshot" if "snapshot" in table.name else "listing"


def path_of(table: TableFolder) -> str:
    """Return what users of such a table read."""
    return table.url if readers_of(table) == "listing" else table.url.replace("s3a", "repave")


def once(frame: "DataFrame") -> "DataFrame":
    """Return the rows without duplicates, by a shuffle, which runs before the job begins."""
    return frame.dropDuplicates(["id"]).repartition(1)


def overwrite(frame: "DataFrame", table: TableFolder) -> None:
    frame.write.mode("overwrite").partitionBy("day").parquet(table.url)


def found(spark: "SparkSession", table: TableFolder) -> list[tuple[object, ...]]:
    return rows(spark.read.parquet(path_of(table)).select("day", "note").distinct())


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_rows_that_were_appended_after_the_query_listed_its_files_are_kept(
    spark: "SparkSession", table: TableFolder, dynamic: None, readers: str
) -> None:
    append(spark, table, *FIRST)
    compacted = once(spark.read.parquet(path_of(table)).where("day = 1"))
    append(spark, table, [1], "late")
    with pytest.raises(Exception, match=UNREAD):
        overwrite(compacted, table)
    assert found(spark, table) == [(0, "old"), (1, "late"), (1, "old"), (2, "old")]
    table.assert_settled()
    overwrite(once(spark.read.parquet(path_of(table)).where("day = 1")), table)
    assert found(spark, table)[-1] == (2, "old")
    assert len(found(spark, table)) in {3, 4}
    table.assert_settled()


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_partitions_that_the_query_did_not_read_may_have_changed(
    spark: "SparkSession", table: TableFolder, dynamic: None, readers: str
) -> None:
    append(spark, table, *FIRST)
    first = spark.read.parquet(path_of(table)).where("day = 0")
    for day in (1, 2, 1):
        overwrite(once(first.selectExpr("id", f"'from {day}' AS note", f"{day} AS day")), table)
    assert found(spark, table) == [(0, "old"), (1, "from 1"), (2, "from 2")]
    table.assert_settled()


def test_an_earlier_version_of_a_snapshot_table_may_be_written_back(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, *FIRST)
    append(spark, table, [1], "late")
    overwrite(once(spark.read.parquet(f"{path_of(table)}/@v2").where("day = 1")), table)
    assert found(spark, table) == [(0, "old"), (1, "old"), (2, "old")]


def test_the_last_writer_replaces_what_it_has_not_read(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, *FIRST)
    compacted = once(spark.read.parquet(path_of(table)).where("day = 1"))
    append(spark, table, [1], "late")
    writer = compacted.write.mode("overwrite").option("repave.conflict", "last-writer")
    writer.partitionBy("day").parquet(table.url)
    assert found(spark, table) == [(0, "old"), (1, "old"), (2, "old")]


def test_a_static_overwrite_of_all_rows_keeps_a_partition_that_it_has_not_seen(
    spark: "SparkSession", table: TableFolder
) -> None:
    append(spark, table, *FIRST)
    everything = once(spark.read.parquet(table.url.replace("s3a", "repave")))
    append(spark, table, [7], "late")
    with pytest.raises(Exception, match=r"has not read, in day=7\."):
        overwrite(everything, table)
    assert found(spark, table) == [(0, "old"), (1, "old"), (2, "old"), (7, "late")]
    table.assert_settled()


def test_an_overwrite_that_reads_its_table_costs_a_look_at_the_head_and_a_listing(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, *FIRST)
    counts = []
    for reads_itself in (False, True):
        frame = sales(spark, [1], "new")
        if reads_itself:
            frame = once(spark.read.parquet(table.url).where("day = 1"))
        frame.count()
        table.lake.proxy.reset()
        overwrite(frame, table)
        counts.append(table.counts())
    other, own = counts
    assert own["ListObjectsV2"] - other["ListObjectsV2"] == 1
