"""`RepaveTable` and `verify_session` against a real session and a real store."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import in_a_batch, notes, sales
from e2e.lake import TableFolder, foreign_file
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


def fill(spark: "SparkSession", table: TableFolder, readers: str = "listing") -> RepaveTable:
    for days, note in (([0, 1, 2], "old"), ([1, 2], "new")):
        writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
        options = {"partitionOverwriteMode": "dynamic", "repave.readers": readers}
        writer.options(**options).parquet(table.url)
    return RepaveTable.for_path(spark, table.url)


def test_the_session_is_found_to_be_in_order(spark: "SparkSession", table: TableFolder) -> None:
    report = repave.verify_session(spark, table.url)
    assert report.ok, str(report)
    assert report.protocols["s3a"] == "Repave"
    assert table.listing() == [], "the probe leaves nothing behind"


def test_history_manifest_and_files(spark: "SparkSession", table: TableFolder) -> None:
    repaved = fill(spark, table)
    assert repaved.status().version == 2
    newest, first = repaved.history()
    assert (first.version, first.partitions, first.files_in, first.files_out) == (1, 3, 3, 0)
    assert (newest.version, newest.kind, newest.files_in, newest.files_out) == (2, "dynamic", 2, 2)
    manifest = repaved.manifest()
    assert {change.partition for change in manifest.partitions} == {"day=1", "day=2"}
    assert sorted(file.path for file in repaved.files()) == sorted(table.data())
    assert repaved.recover().commits == ()


def test_a_snapshot_table_keeps_its_versions(spark: "SparkSession", table: TableFolder) -> None:
    repaved = fill(spark, table, "snapshot")
    per_file = table.counts()
    assert per_file["CreateMultipartUpload"] == 0, "one PUT a file"
    assert notes(repaved.to_df()) == {0: "old", 1: "new", 2: "new"}
    # Version 1 took in what lay in the folder before: nothing.
    assert notes(repaved.to_df(version=2)) == {0: "old", 1: "old", 2: "old"}
    assert repaved.rollback(2).version == 4
    assert notes(repaved.to_df()) == {0: "old", 1: "old", 2: "old"}
    assert repaved.vacuum(dry_run=True, retention=timedelta(0)).files == 2
    assert repaved.vacuum(retention=timedelta(0)).files == 2
    assert notes(repaved.to_df()) == {0: "old", 1: "old", 2: "old"}
    assert len(table.data()) == 3
    table.assert_settled()


def test_a_listing_writer_is_refused_on_a_snapshot_table(
    spark: "SparkSession", table: TableFolder
) -> None:
    repaved = fill(spark, table, "snapshot")
    writer = sales(spark, [1], "x").write.mode("append").option("repave.readers", "listing")
    with pytest.raises(Exception, match=r"recorded with repave\.readers=snapshot"):
        writer.partitionBy("day").parquet(table.url)
    assert repaved.status().version == 3


def test_a_table_that_was_there_before_is_adopted(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "old").drop("day").write.parquet(f"{table.url}-source")
    foreign_file(table, "day=1/a.parquet")
    repaved = RepaveTable.for_path(spark, table.url)
    assert not repaved.status().known
    preview = repaved.adopt(dry_run=True)
    assert (preview.version, preview.commit, preview.dry_run) == (0, "", True)
    adoption = repaved.adopt()
    assert (adoption.files, adoption.partitions) == (preview.files, preview.partitions)
    assert (adoption.version, adoption.files) == (1, 1)
    assert [file.path for file in repaved.files()] == ["day=1/a.parquet"]
    table.assert_settled()


def test_refusals_arrive_as_sentences(spark: "SparkSession", table: TableFolder) -> None:
    repaved = fill(spark, table)
    with pytest.raises(repave.UsageError, match="read by listing"):
        repaved.rollback(1)
    with pytest.raises(repave.UsageError, match="has no version 9"):
        repaved.manifest(9)


def test_a_write_tells_its_version_and_whether_it_changed_anything(
    spark: "SparkSession", table: TableFolder
) -> None:
    assert repave.last_commit(spark, table.url) is None
    for version in (1, 2):
        sales(spark, [1, 2], "x").write.mode("append").partitionBy("day").parquet(table.url)
        found = repave.last_commit(spark, f"{table.url}/day=1")
        assert found is not None
        assert (found.version, found.files_in, found.repeated) == (version, 2, False)
        assert found.commit == RepaveTable.for_path(spark, table.url).history()[0].commit
    for _ in range(2):
        writer = sales(spark, [1], "y").write.mode("append").option("repave.token", "run 7")
        with in_a_batch(spark):
            writer.partitionBy("day").parquet(table.url)
    again = repave.last_commit(spark, table.url)
    assert again is not None
    assert (again.version, again.files_in, again.repeated) == (3, 0, True)


def test_an_error_of_a_write_has_its_own_type(spark: "SparkSession", table: TableFolder) -> None:
    fill(spark, table, "snapshot")
    writer = sales(spark, [1], "x").write.mode("append").option("repave.readers", "listing")
    with pytest.raises(repave.UsageError, match=r"^\S+ .*readers=snapshot"), repave.typed_errors():
        writer.partitionBy("day").parquet(table.url)
    sales(spark, [1], "x").createOrReplaceTempView("one_sale")
    with pytest.raises(Exception, match="readers=snapshot") as raised:
        spark.sql(
            f"INSERT OVERWRITE DIRECTORY '{table.url}' USING parquet "
            "OPTIONS ('repave.readers' = 'listing') SELECT * FROM one_sale"
        )
    assert isinstance(repave.error_of(raised.value), repave.UsageError)
