"""A managed table at `repave://`: the catalog cannot delete its files, so it must not try."""

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.sessions import HIDES_OPTIONS, snapshot_tables
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "owned.sales"
OLD = {1: "old", 2: "old", 3: "old"}
# What would change the catalog and then fail, and what the error recommends.
HALVES = {
    f"ALTER TABLE {NAME} DROP PARTITION (day=2)": r"\.drop_partitions\(",
    f"ALTER TABLE {NAME} DROP IF EXISTS PARTITION (day=9), PARTITION (day=2)": "drop_partitions",
    f"ALTER TABLE {NAME} PARTITION (day=2) RENAME TO PARTITION (day=9)": "INSERT INTO",
    f"TRUNCATE TABLE {NAME}": r"INSERT OVERWRITE",
    f"TRUNCATE TABLE {NAME} PARTITION (day=2)": r"\.drop_partitions\(",
}


@pytest.fixture(params=["listing", "snapshot"])
def owned(
    request: pytest.FixtureRequest, spark: "SparkSession", table: TableFolder
) -> Iterator[TableFolder]:
    """A table with three days in a database whose folder is at `repave://`."""
    database = table.lake.table(f"{table.name}.db")
    spark.sql(f"CREATE DATABASE owned LOCATION 'repave://{table.lake.bucket}/{database.name}'")
    spark.sql(
        f"CREATE TABLE {NAME} (id BIGINT, note STRING, day INT) USING parquet PARTITIONED BY (day)"
    )
    managed = table.lake.table(f"{database.name}/sales")
    if request.param == "snapshot":
        with snapshot_tables(spark):
            sales(spark, [1, 2, 3], "old").write.insertInto(NAME)
    else:
        sales(spark, [1, 2, 3], "old").write.insertInto(NAME)
    yield managed
    spark.sql("DROP DATABASE owned CASCADE")


def shown(spark: "SparkSession") -> set[str]:
    return {row.partition for row in spark.sql(f"SHOW PARTITIONS {NAME}").collect()}


@pytest.mark.parametrize("statement", HALVES)
def test_a_statement_that_would_change_the_catalog_only_is_refused(
    spark: "SparkSession", owned: TableFolder, statement: str
) -> None:
    with pytest.raises(Exception, match=r"Nothing was changed.*" + HALVES[statement]):
        spark.sql(statement)
    assert shown(spark) == {"day=1", "day=2", "day=3"}
    assert notes(spark.table(NAME)) == OLD


def test_a_partition_that_was_dropped_as_a_version_is_removed_from_the_catalog(
    spark: "SparkSession", owned: TableFolder
) -> None:
    RepaveTable.for_path(spark, owned.url).drop_partitions("day=2")
    assert notes(spark.table(NAME)) == {1: "old", 3: "old"}
    spark.sql(f"ALTER TABLE {NAME} DROP PARTITION (day=2)")
    assert shown(spark) == {"day=1", "day=3"}
    assert notes(spark.table(NAME)) == {1: "old", 3: "old"}


def test_the_partition_of_nulls_is_looked_at_too(spark: "SparkSession", owned: TableFolder) -> None:
    spark.sql(f"INSERT INTO {NAME} VALUES (4, 'old', NULL)")
    before = shown(spark)
    with pytest.raises(Exception, match=r"Nothing was changed.*drop_partitions"):
        spark.sql(f"ALTER TABLE {NAME} DROP PARTITION (day=NULL)")
    assert shown(spark) == before
    assert spark.table(NAME).count() == 7


@pytest.mark.skipif(HIDES_OPTIONS, reason="Spark drops the table before anything sees the write")
def test_save_as_table_is_refused_before_it_drops_the_table(
    spark: "SparkSession", owned: TableFolder
) -> None:
    new = sales(spark, [2], "new")
    with pytest.raises(Exception, match=r"Nothing was changed.*repave\.save_as_table"):
        new.write.mode("overwrite").partitionBy("day").saveAsTable(NAME)
    assert notes(spark.table(NAME)) == OLD
    repave.save_as_table(new, NAME)
    assert notes(spark.table(NAME)) == {2: "new"}
    new.write.mode("append").partitionBy("day").saveAsTable(NAME)
    assert spark.table(NAME).count() == 4


def test_a_dropped_name_leaves_the_rows_at_their_path(
    spark: "SparkSession", owned: TableFolder
) -> None:
    spark.sql(f"DROP TABLE {NAME}")
    assert notes(spark.read.parquet(owned.url.replace("s3a://", "repave://"))) == OLD
    owned.assert_settled()


def test_a_name_without_partition_columns_is_truncated_as_a_version(
    spark: "SparkSession", owned: TableFolder
) -> None:
    readers = owned.head()["readers"]
    flat = owned.lake.table(owned.name.replace("/sales", "/flat"))
    spark.sql("CREATE TABLE owned.flat (id BIGINT) USING parquet")
    spark.sql("TRUNCATE TABLE owned.flat")
    assert not flat.has_head()
    with snapshot_tables(spark) if readers == "snapshot" else nullcontext():
        spark.sql("INSERT INTO owned.flat VALUES (1)")
    before = set(flat.data())
    spark.sql("TRUNCATE TABLE owned.flat")
    assert spark.table("owned.flat").count() == 0
    assert set(flat.data()) == (before if readers == "snapshot" else set())
    spark.sql("INSERT INTO owned.flat VALUES (2)")
    assert rows(spark.table("owned.flat")) == [(2,)]
    flat.assert_settled()
