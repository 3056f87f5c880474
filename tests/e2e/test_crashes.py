"""A driver is killed in the middle of a commit: readers always have rows, and somebody finishes."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.deaths import kill_driver_at
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAD = r"/_repave/head\.json$"


def overwrite_two_days(spark: "SparkSession", table: TableFolder) -> None:
    writer = sales(spark, [2, 3], "newer").write.mode("overwrite").partitionBy("day")
    options = {"partitionOverwriteMode": "dynamic", "repave.lease": "1s"}
    writer.options(**options).parquet(table.url)


def seen(spark: "SparkSession", table: TableFolder) -> set[tuple[int, str]]:
    frame = spark.read.parquet(table.url)
    return {(row.day, row.note) for row in frame.select("day", "note").distinct().collect()}


@pytest.fixture
def old(spark: "SparkSession", table: TableFolder) -> TableFolder:
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    return table


@pytest.mark.slow
def test_driver_death_before_the_decision_leaves_the_old_rows(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    kill_driver_at(old, tmp_path, Fault("hang", op="PutObject", key=HEAD))
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "old", 2: "old"}
    assert old.open_uploads() != []
    table = RepaveTable.for_path(spark, old.url)
    assert table.recover().commits == ()
    assert table.vacuum(retention=None).uploads == 0, "a young job may still be running"
    assert table.vacuum(retention=timedelta(0)).uploads == 2
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "old", 2: "old"}
    old.assert_settled()


@pytest.mark.slow
def test_driver_death_while_completing_is_finished_by_recover(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    kill_driver_at(old, tmp_path, Fault("hang", op="CompleteMultipartUpload", nth=2))
    found = seen(spark, old)
    assert {(0, "old"), (1, "old"), (2, "old")} <= found, "a partition lost its old rows"
    table = RepaveTable.for_path(spark, old.url)
    assert [commit.state for commit in table.status().active] == ["pending"]
    assert [commit.outcome for commit in table.recover().commits] == ["finished"]
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "new"}
    assert table.recover().commits == ()
    old.assert_settled()


@pytest.mark.slow
def test_driver_death_after_an_unanswered_decision_is_finished_by_the_next_job(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    kill_driver_at(old, tmp_path, Fault("hang_after", op="PutObject", key=HEAD))
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "old", 2: "old"}
    # It waits out the dead one's lease and finishes its commit before its own tasks.
    overwrite_two_days(spark, old)
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "newer", 3: "newer"}
    old.assert_settled()


@pytest.mark.slow
def test_driver_death_before_the_old_files_go_leaves_no_partition_empty(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    kill_driver_at(old, tmp_path, Fault("hang", op="DeleteObjects"))
    found = seen(spark, old)
    assert {(0, "old"), (1, "new"), (2, "new")} <= found
    # What has not gone yet is hidden by the records, for readers that go through them.
    through = spark.read.parquet(old.url.replace("s3a://", "repave://"))
    assert notes(through) == {0: "old", 1: "new", 2: "new"}
    assert len(RepaveTable.for_path(spark, old.url).recover().commits) == 1
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "new"}
    old.assert_settled()


@pytest.mark.slow
def test_driver_death_in_a_static_overwrite_never_empties_the_table(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    fault = Fault("hang", op="CompleteMultipartUpload", nth=1)
    kill_driver_at(old, tmp_path, fault, overwrite="static")
    assert {(0, "old"), (1, "old"), (2, "old")} <= seen(spark, old)
    RepaveTable.for_path(spark, old.url).recover()
    assert notes(spark.read.parquet(old.url)) == {1: "new", 2: "new"}
    old.assert_settled()
