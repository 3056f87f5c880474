"""What a catalog deletes without a commit: the next overwrite is right, and so are the records."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

NAME = "dropping.sales"
# What Spark does with a managed table's files.
DELETIONS = {
    "TRUNCATE TABLE {}": {1, 2, 3},
    "TRUNCATE TABLE {} PARTITION (day=2)": {2},
    "ALTER TABLE {} DROP PARTITION (day=2)": {2},
}


@pytest.fixture
def database(spark: "SparkSession", table: TableFolder) -> Iterator[TableFolder]:
    """The folder of a database; the files of its tables belong to the catalog."""
    folder = table.lake.table(f"{table.name}.db")
    spark.sql(f"CREATE DATABASE dropping LOCATION '{folder.url}'")
    yield folder
    spark.sql("DROP DATABASE dropping CASCADE")


@pytest.fixture
def managed(spark: "SparkSession", database: TableFolder) -> TableFolder:
    """A table with three days."""
    sales(spark, [1, 2, 3], "old").write.partitionBy("day").saveAsTable(NAME)
    return database.lake.table(f"{database.name}/sales")


@pytest.fixture
def flat(spark: "SparkSession", database: TableFolder) -> TableFolder:
    """A table with three days and without partition columns."""
    sales(spark, [1, 2, 3], "old").write.saveAsTable(NAME)
    return database.lake.table(f"{database.name}/sales")


@pytest.fixture
def external(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    """A name for three days of a folder of the user's own."""
    writer = sales(spark, [1, 2, 3], "old").write.partitionBy("day").option("path", table.url)
    writer.saveAsTable("dropped")
    yield "dropped"
    spark.sql("DROP TABLE IF EXISTS dropped")


def recorded(spark: "SparkSession", table: TableFolder) -> set[str]:
    return {file.path for file in RepaveTable.for_path(spark, table.url).files()}


def newest_delta_actions(table: TableFolder) -> list[dict[str, Any]]:
    newest = max(key for key in table.listing() if key.startswith("_delta_log/0"))
    key = f"{table.name}/{newest}"
    body = table.lake.client.get_object(Bucket=table.lake.bucket, Key=key)["Body"].read()
    return [json.loads(line) for line in body.splitlines()]


@pytest.mark.parametrize("statement", DELETIONS)
def test_partitions_that_the_catalog_deleted_are_written_again(
    spark: "SparkSession", managed: TableFolder, dynamic: None, statement: str
) -> None:
    spark.sql(statement.format(NAME))
    left = dict.fromkeys({1, 2, 3} - DELETIONS[statement], "old")
    assert notes(spark.table(NAME)) == left

    sales(spark, [2, 4], "new").write.insertInto(NAME, overwrite=True)
    assert notes(spark.table(NAME)) == left | {2: "new", 4: "new"}
    assert spark.table(NAME).count() == 2 * len(left | {2: "", 4: ""})
    managed.assert_settled()


def test_adopt_takes_what_the_catalog_deleted_out_of_the_records(
    spark: "SparkSession", managed: TableFolder
) -> None:
    before = set(managed.data())
    spark.sql(f"ALTER TABLE {NAME} DROP PARTITION (day=2)")
    assert recorded(spark, managed) == before, "nobody told Repave"

    adoption = RepaveTable.for_path(spark, managed.url).adopt()
    assert (adoption.version, adoption.files, adoption.gone) == (2, 0, 1)
    assert recorded(spark, managed) == set(managed.data()) < before
    managed.assert_settled()


def test_a_dropped_table_goes_with_its_records_and_begins_anew(
    spark: "SparkSession", managed: TableFolder
) -> None:
    spark.sql(f"DROP TABLE {NAME}")
    assert managed.listing() == []

    sales(spark, [5], "new").write.partitionBy("day").saveAsTable(NAME)
    assert notes(spark.table(NAME)) == {5: "new"}
    assert managed.head()["version"] == 1
    assert recorded(spark, managed) == set(managed.data())
    managed.assert_settled()


def test_a_folder_of_the_users_own_outlives_its_name(
    spark: "SparkSession", table: TableFolder, external: str
) -> None:
    before = set(table.data())
    with pytest.raises(Exception, match=r"(?i)truncate table"):
        spark.sql(f"TRUNCATE TABLE {external}")
    spark.sql(f"ALTER TABLE {external} DROP PARTITION (day=2)")
    spark.sql(f"DROP TABLE {external}")
    assert set(table.data()) == before == recorded(spark, table)
    assert table.head()["version"] == 1


def test_a_truncated_table_keeps_its_records_and_its_followers(
    spark: "SparkSession", flat: TableFolder
) -> None:
    sales(spark, [4], "old").write.option("repave.token", "load/4").parquet(flat.url, mode="append")
    opened = RepaveTable.for_path(spark, flat.url)
    opened.follow("delta")
    cached = spark.read.parquet(flat.url).cache()
    assert cached.count() == spark.table(NAME).count() == 8
    before = opened.history()
    spark.sql(f"EXPLAIN TRUNCATE TABLE {NAME}").collect()
    assert len(opened.files()) == 2

    spark.sql(f"TRUNCATE TABLE {NAME}")
    assert cached.count() == spark.table(NAME).count() == 0
    assert [key for key in flat.data() if not key.startswith("_delta_log/")] == []
    newest, *earlier = opened.history()
    assert (newest.kind, newest.files_in, newest.files_out) == ("static", 0, 2)
    assert earlier == before
    assert "load/4" in [entry.token for entry in earlier]
    actions = newest_delta_actions(flat)
    assert [sum(kind in one for one in actions) for kind in ("add", "remove")] == [0, 2]
    with pytest.raises(Exception, match="load/4"):
        sales(spark, [4], "old").write.option("repave.token", "load/4").parquet(
            flat.url, mode="append"
        )
    flat.assert_settled()


def test_truncate_sends_no_more_requests_than_an_overwrite_without_files(
    spark: "SparkSession", flat: TableFolder
) -> None:
    flat.lake.proxy.reset()
    spark.sql(f"TRUNCATE TABLE {NAME}")
    counts = flat.counts()
    # Spark lists the table again afterwards, as without Repave.
    del counts["ListObjectsV2"], counts["HeadObject"]
    # The head: whether there are records, what is dropped, and the base of the commit.
    assert counts == {"GetObject": 3, "PutObject": 6, "DeleteObjects": 1}


def test_a_table_that_is_truncated_and_filled_again_has_the_new_rows_only(
    spark: "SparkSession", flat: TableFolder
) -> None:
    """A materialized view of Spark's Declarative Pipelines is refreshed like this."""
    for day in (4, 5):
        spark.sql(f"TRUNCATE TABLE {NAME}")
        sales(spark, [day], "new").write.mode("append").saveAsTable(NAME)
        assert notes(spark.table(NAME)) == {day: "new"}
        assert spark.table(NAME).count() == 2
    assert flat.head()["version"] == 5
    assert recorded(spark, flat) == set(flat.data())
    flat.assert_settled()


@pytest.mark.parametrize("option", ["repave.exclude", "repave.enabled"])
def test_truncate_of_an_excluded_table_is_left_to_spark(
    spark: "SparkSession", flat: TableFolder, option: str
) -> None:
    spark.conf.set(option, flat.url if option == "repave.exclude" else "false")
    try:
        spark.sql(f"TRUNCATE TABLE {NAME}")
    finally:
        spark.conf.unset(option)
    assert flat.data() == []


def test_truncate_of_a_table_without_records_is_left_to_spark(
    spark: "SparkSession", database: TableFolder
) -> None:
    spark.conf.set("repave.enabled", "false")
    try:
        sales(spark, [1], "old").write.saveAsTable(NAME)
    finally:
        spark.conf.unset("repave.enabled")
        database.lake.proxy.reset()  # Spark renames, which on S3 copies: not ours to forbid.
    spark.sql(f"TRUNCATE TABLE {NAME}")
    assert spark.table(NAME).count() == 0
    assert database.data() == []
