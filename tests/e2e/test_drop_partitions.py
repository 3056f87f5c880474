"""Partitions are dropped as one version, and every reader sees the others unchanged."""

from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import notes, sales
from e2e.lake import TableFolder, foreign_file
from repave import RepaveTable, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `repave.snapshot` signs with."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")


def fill(spark: "SparkSession", table: TableFolder, readers: str) -> RepaveTable:
    writer = sales(spark, [9, 10, 11], "old").write.mode("overwrite").partitionBy("day")
    writer.option("repave.readers", readers).parquet(table.url)
    return RepaveTable.for_path(spark, table.url)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_readers_see_the_other_partitions(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    repaved = fill(spark, table, readers)
    first = repaved.status().version
    repaved.follow("delta")
    expected = repaved.drop_partitions(before="day=11", dry_run=True)
    assert [one.partition for one in expected.partitions] == ["day=10", "day=9"]
    assert notes(repaved.to_df()) == {9: "old", 10: "old", 11: "old"}, "a dry run"

    dropped = repaved.drop_partitions(before="day=11")
    assert dropped.partitions == expected.partitions
    assert dropped.version == repaved.status().version > first
    assert notes(repaved.to_df()) == {11: "old"}
    url = table.url.replace("s3a://", "repave://")
    assert notes(spark.read.parquet(url)) == {11: "old"}
    snapshot = repave.snapshot(table.url, endpoint_url=table.lake.proxy.endpoint)
    assert len(snapshot.files) == 1
    assert repaved.status().followers[0].behind == 0
    table.assert_settled()

    sales(spark, [9], "late").write.mode("append").partitionBy("day").parquet(table.url)
    assert notes(repaved.to_df()) == {9: "late", 11: "old"}


def test_a_snapshot_table_gets_its_partitions_back(
    spark: "SparkSession", table: TableFolder
) -> None:
    repaved = fill(spark, table, "snapshot")
    before = repaved.status().version
    assert repaved.drop_partitions("day=9", "day=12").partitions[0].files == 0
    repaved.rollback(before)
    assert notes(repaved.to_df()) == {9: "old", 10: "old", 11: "old"}


def test_a_listing_table_loses_the_files_of_every_writer(
    spark: "SparkSession", table: TableFolder
) -> None:
    repaved = fill(spark, table, "listing")
    sales(spark, [9], "another").write.parquet(table.lake.table(f"{table.name}-source").url)
    foreign_file(table, "day=9/another.parquet")
    repaved.drop_partitions("day=9")
    assert table.partitions() == {"day=10": 1, "day=11": 1}


def test_what_is_no_partition_is_refused(spark: "SparkSession", table: TableFolder) -> None:
    repaved = fill(spark, table, "listing")
    for name in ("day", "day=", "/day=9", "day=9/", ".."):
        with pytest.raises(UsageError, match="is not the name of a partition"):
            repaved.drop_partitions(name)
    with pytest.raises(UsageError, match="has no partition column dt"):
        repaved.drop_partitions(before="dt=3")
    assert repaved.drop_partitions("day=12").commit == ""
    assert repaved.status().version == 1


@pytest.mark.parametrize("change", ["rollback", "drop", "repair", "follow", "unfollow"])
def test_a_change_of_the_whole_table_refuses_the_path_of_a_partition(
    spark: "SparkSession", table: TableFolder, change: str
) -> None:
    fill(spark, table, "listing")
    objects = table.listing()
    day = RepaveTable.for_path(spark, f"{table.url}/day=9")
    changes: dict[str, Callable[[], object]] = {
        "rollback": lambda: day.rollback(1),
        "drop": lambda: day.drop_partitions(before="day=11"),
        "repair": day.repair,
        "follow": lambda: day.follow("delta"),
        "unfollow": lambda: day.unfollow("delta"),
    }
    with pytest.raises(UsageError, match="day=9 is inside the table"):
        changes[change]()
    assert table.listing() == objects
