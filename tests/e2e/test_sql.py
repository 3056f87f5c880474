"""Catalog tables: INSERT in all its shapes, CTAS, saveAsTable, Hive tables that Spark converts."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NUMBERS = itertools.count(1)


@pytest.fixture
def name(spark: "SparkSession") -> Iterator[str]:
    """A name in the catalog, free again afterwards."""
    name = f"sales_{next(NUMBERS)}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def create(spark: "SparkSession", name: str, table: TableFolder, using: str = "parquet") -> None:
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING, day INT, hour INT) USING {using}"
        f" PARTITIONED BY (day, hour) LOCATION '{table.url}'"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1,'old',1,1), (2,'old',1,2), (3,'old',2,1)")


def content(spark: "SparkSession", name: str) -> list[tuple[object, ...]]:
    return rows(spark.sql(f"SELECT id, note, day, hour FROM {name}"))


def shown(spark: "SparkSession", name: str) -> set[str]:
    return {row.partition for row in spark.sql(f"SHOW PARTITIONS {name}").collect()}


def test_insert_overwrite_of_a_full_partition(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    create(spark, name, table)
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (day=1, hour=1) VALUES (9,'new')")
    assert content(spark, name) == [(2, "old", 1, 2), (3, "old", 2, 1), (9, "new", 1, 1)]
    table.assert_settled()


def test_insert_overwrite_of_a_prefix_replaces_all_below_it(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    create(spark, name, table)
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (day=1, hour) VALUES (9,'new',7)")
    assert content(spark, name) == [(3, "old", 2, 1), (9, "new", 1, 7)]
    assert shown(spark, name) == {"day=1/hour=7", "day=2/hour=1"}
    assert set(table.partitions()) == {"day=1/hour=7", "day=2/hour=1"}
    table.assert_settled()


def test_insert_overwrite_of_a_number_in_another_form_adds_no_rows_to_the_old_ones(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    create(spark, name, table)
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (day='01', hour) VALUES (9,'new',1)")
    assert content(spark, name) == [(3, "old", 2, 1), (9, "new", 1, 1)]
    table.assert_settled()


@pytest.mark.parametrize("legacy", ["charVarcharAsString", "skipTypeValidationOnAlterPartition"])
def test_insert_overwrite_that_spark_directs_to_another_folder_adds_no_rows(
    spark: "SparkSession", table: TableFolder, name: str, legacy: str
) -> None:
    """Spark does not check the value's type then: it would replace day=01 and write to day=1."""
    create(spark, name, table)
    before = content(spark, name)
    spark.conf.set(f"spark.sql.legacy.{legacy}", "true")
    try:
        with pytest.raises(Exception, match="whose old rows would stay"):
            spark.sql(f"INSERT OVERWRITE {name} PARTITION (day='01', hour=1) VALUES (9,'new')")
    finally:
        spark.conf.unset(f"spark.sql.legacy.{legacy}")
    assert content(spark, name) == before
    table.assert_settled()


def test_insert_overwrite_of_a_prefix_under_dynamic_mode_replaces_what_is_written(
    spark: "SparkSession", table: TableFolder, name: str, dynamic: None
) -> None:
    create(spark, name, table)
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (day=1, hour) VALUES (9,'new',2)")
    assert content(spark, name) == [(1, "old", 1, 1), (3, "old", 2, 1), (9, "new", 1, 2)]
    table.assert_settled()


def test_insert_overwrite_without_partitions_replaces_the_table(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    create(spark, name, table)
    spark.sql(f"INSERT OVERWRITE {name} VALUES (9,'new',5,5)")
    assert content(spark, name) == [(9, "new", 5, 5)]
    assert shown(spark, name) == {"day=5/hour=5"}
    table.assert_settled()


def test_if_not_exists_skips_a_partition_that_is_there(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    create(spark, name, table)
    version = table.head()["version"]
    spec = "PARTITION (day=1, hour=1) IF NOT EXISTS"
    spark.sql(f"INSERT OVERWRITE {name} {spec} VALUES (9,'new')")
    assert (1, "old", 1, 1) in content(spark, name)
    assert table.head()["version"] == version
    other = "PARTITION (day=8, hour=1) IF NOT EXISTS"
    spark.sql(f"INSERT OVERWRITE {name} {other} VALUES (9,'new')")
    assert (9, "new", 8, 1) in content(spark, name)
    table.assert_settled()


@pytest.mark.parametrize("second", ["INSERT OVERWRITE", "INSERT INTO"])
def test_an_insert_that_spark_skips_does_not_lend_its_partition_to_the_next(
    spark: "SparkSession", table: TableFolder, name: str, second: str
) -> None:
    create(spark, name, table)
    before = content(spark, name)
    skipped = f"INSERT OVERWRITE TABLE {name} PARTITION (day=1, hour=1) IF NOT EXISTS"
    next_one = f"{second} TABLE {name} PARTITION (day=3, hour=1)"
    query = "SELECT id, note"
    expected = [*before, (9, "new", 3, 1)]
    try:
        spark.sql(f"FROM (SELECT 9L id, 'new' note) {skipped} {query} {next_one} {query}")
    except Py4JJavaError as refused:
        # Since Spark 4 the plan has both inserts. Spark 3.5 runs each by a plan of its own.
        assert "Run each insert as a statement of its own" in str(refused)  # noqa: PT017
        expected = before
    assert sorted(content(spark, name)) == sorted(expected)
    table.assert_settled()


def test_a_token_that_the_catalog_stored_stops_later_inserts(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    writer = sales(spark, [1], "old").write.mode("overwrite").option("path", table.url)
    writer.option("repave.token", "night-1").saveAsTable(name)
    with pytest.raises(Exception, match="SET SERDEPROPERTIES"):
        spark.sql(f"INSERT OVERWRITE {name} SELECT 7L, 'new', 1")
    spark.sql(f"ALTER TABLE {name} SET SERDEPROPERTIES ('repave.token' = '')")
    spark.sql(f"REFRESH TABLE {name}")
    spark.sql(f"INSERT OVERWRITE {name} SELECT 7L, 'new', 1")
    assert rows(spark.table(name)) == [(7, "new", 1)]
    table.assert_settled()


def test_a_run_that_the_catalog_stored_is_not_the_run_of_later_inserts(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    """Otherwise the first write of each later run would count as the one that made the table."""
    writer = sales(spark, [1], "old").write.mode("overwrite").option("path", table.url)
    writer.option("repave.run", "night 1").saveAsTable(name)
    before = rows(spark.table(name))
    with pytest.raises(Exception, match=r"The catalog has repave\.run=night 1"):
        spark.sql(f"INSERT OVERWRITE {name} SELECT 7L, 'new', 1")
    assert rows(spark.table(name)) == before
    spark.conf.set("repave.run", "night 2")
    try:
        spark.sql(f"INSERT OVERWRITE {name} SELECT 7L, 'new', 1")
    finally:
        spark.conf.unset("repave.run")
    assert rows(spark.table(name)) == [(7, "new", 1)]
    assert [commit["token"] for commit in table.head()["log"]] == ["night 1/1", "night 2/1"]
    spark.sql(f"ALTER TABLE {name} SET SERDEPROPERTIES ('repave.run' = '')")
    spark.sql(f"REFRESH TABLE {name}")
    spark.sql(f"INSERT INTO {name} SELECT 8L, 'new', 1")
    assert rows(spark.table(name)) == [(7, "new", 1), (8, "new", 1)]
    table.assert_settled()


def test_insert_overwrite_reads_its_own_table(
    spark: "SparkSession", table: TableFolder, name: str, dynamic: None
) -> None:
    create(spark, name, table)
    query = f"SELECT id, 'new', day, hour FROM {name} WHERE day = 1"
    spark.sql(f"INSERT OVERWRITE {name} {query}")
    assert content(spark, name) == [(1, "new", 1, 1), (2, "new", 1, 2), (3, "old", 2, 1)]
    table.assert_settled()


def test_insert_overwrite_directory(spark: "SparkSession", table: TableFolder) -> None:
    for note in ("old", "new"):
        sales(spark, [1], note).createOrReplaceTempView("source")
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{table.url}' USING parquet SELECT * FROM source")
    assert notes(spark.read.parquet(table.url)) == {1: "new"}
    assert len(table.data()) == 1
    table.assert_settled()


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_create_table_as_select(
    spark: "SparkSession", table: TableFolder, name: str, mode: str
) -> None:
    sales(spark, [1, 2], "new").createOrReplaceTempView("source")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    try:
        spark.sql(
            f"CREATE TABLE {name} USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
            " AS SELECT * FROM source"
        )
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert notes(spark.table(name)) == {1: "new", 2: "new"}
    table.assert_settled()


def test_save_as_table_and_insert_into(
    spark: "SparkSession", table: TableFolder, name: str, dynamic: None
) -> None:
    writer = sales(spark, [1, 2], "old").write.partitionBy("day").option("path", table.url)
    writer.saveAsTable(name)
    sales(spark, [2, 3], "new").write.insertInto(name, overwrite=True)
    assert notes(spark.table(name)) == {1: "old", 2: "new", 3: "new"}
    assert shown(spark, name) == {"day=1", "day=2", "day=3"}
    table.assert_settled()


def test_save_as_table_over_an_existing_one(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    for note in ("old", "new"):
        writer = sales(spark, [1], note).write.mode("overwrite").option("path", table.url)
        writer.saveAsTable(name)
    assert notes(spark.table(name)) == {1: "new"}
    table.assert_settled()


@pytest.mark.parametrize("stored", ["PARQUET", "ORC"])
def test_a_hive_table_that_spark_converts(
    spark: "SparkSession", table: TableFolder, name: str, stored: str
) -> None:
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING) PARTITIONED BY (day INT)"
        f" STORED AS {stored} LOCATION '{table.url}'"
    )
    spark.conf.set("hive.exec.dynamic.partition.mode", "nonstrict")
    for days, note in (("1), (2", "old"), ("2", "new")):
        values = f"SELECT 7L, '{note}', col1 FROM VALUES ({days})"
        spark.sql(f"INSERT OVERWRITE TABLE {name} PARTITION (day) {values}")
    assert notes(spark.table(name)) == {1: "old", 2: "new"}
    assert table.head()["version"] == 2
    table.assert_settled()
