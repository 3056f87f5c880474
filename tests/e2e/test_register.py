"""A snapshot table in a catalog: each query sees what is published, in every partition."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.lake import TableFolder
from repave import RepaveTable
from repave._registration import CatalogTable, Partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

NAME = "registered"
ODD = "a b/c=%d'é\\"


def overwrite(spark: "SparkSession", table: TableFolder, days: list[int], version: int) -> None:
    rows = [(version, day or None, ODD if day else None) for day in days]
    frame = spark.createDataFrame(rows, "v int, day int, odd string").coalesce(1)
    writer = frame.selectExpr("v", "named_struct('a b', v) AS nested", "day", "odd").write
    options = {"partitionOverwriteMode": "dynamic", "repave.readers": "snapshot"}
    writer.mode("overwrite").partitionBy("day", "odd").options(**options).parquet(table.url)


def seen(spark: "SparkSession") -> set[tuple[object, ...]]:
    return {tuple(row) for row in spark.table(NAME).select("v", "day", "odd").collect()}


@pytest.fixture
def repaved(spark: "SparkSession", table: TableFolder) -> Iterator[RepaveTable]:
    overwrite(spark, table, [0, 1], 1)
    yield RepaveTable.for_path(spark, table.url)
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def test_a_registered_table_shows_what_is_published(
    spark: "SparkSession", table: TableFolder, repaved: RepaveTable
) -> None:
    repaved.register(NAME)
    assert seen(spark) == {(1, None, None), (1, 1, ODD)}
    overwrite(spark, table, [1, 2], 2)
    spark.catalog.refreshTable(NAME)
    assert seen(spark) == {(1, None, None), (2, 1, ODD)}, "a new partition needs the next call"
    repaved.register(NAME)
    assert seen(spark) == {(1, None, None), (2, 1, ODD), (2, 2, ODD)}
    assert {tuple(row) for row in spark.sql(f"SELECT v FROM {NAME} WHERE day = 2").collect()} == {
        (2,)
    }
    spark.sql(f"DROP TABLE {NAME}")
    assert len(table.data()) == 4, "dropping a table that lies elsewhere deletes nothing"


def test_registering_again_drops_what_a_rollback_took_out(
    spark: "SparkSession", table: TableFolder, repaved: RepaveTable
) -> None:
    version = repaved.status().version
    overwrite(spark, table, [2], 2)
    repaved.register(NAME)
    assert spark.sql(f"SHOW PARTITIONS {NAME}").count() == 3
    repaved.rollback(version)
    repaved.register(NAME)
    assert spark.sql(f"SHOW PARTITIONS {NAME}").count() == 2
    assert seen(spark) == {(1, None, None), (1, 1, ODD)}
    repaved.register(NAME)
    assert spark.sql(f"SHOW PARTITIONS {NAME}").count() == 2


def insert(spark: "SparkSession", day: int) -> None:
    spark.sql(f"INSERT INTO {NAME} SELECT 3, named_struct('a b', 3), {day}, 'odd'")


def test_the_partition_of_a_commit_that_comes_in_between_is_kept(
    spark: "SparkSession", repaved: RepaveTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark adds a new partition for good before its files are known here."""
    repaved.register(NAME)
    listed = CatalogTable._partitions
    days = [6]

    def meanwhile(self: CatalogTable, by: list[str]) -> Partitions:
        for day in days:
            insert(spark, day)
        days.clear()
        return listed(self, by)

    monkeypatch.setattr(CatalogTable, "_partitions", meanwhile)
    repaved.register(NAME)
    assert {row.day for row in spark.table(NAME).collect()} == {None, 1, 6}


def test_a_partition_that_another_session_adds_afterwards_is_no_second_folder_of_a_value(
    spark: "SparkSession", repaved: RepaveTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    repaved.register(NAME)
    days, changed = [8], CatalogTable._change

    def meanwhile(self: CatalogTable, known: Partitions, wanted: Partitions) -> None:
        changed(self, known, wanted)
        for day in days:
            insert(spark, day)
        days.clear()

    spark.sql(f"ALTER TABLE {NAME} DROP PARTITION (day = 1)")
    monkeypatch.setattr(CatalogTable, "_change", meanwhile)
    repaved.register(NAME)
    assert {row.day for row in spark.table(NAME).collect()} == {None, 1, 8}


@pytest.mark.slow
def test_many_partitions_are_registered(spark: "SparkSession", table: TableFolder) -> None:
    frame = spark.range(250).selectExpr("id", "id / 4 AS share").coalesce(1)
    frame.write.partitionBy("share").option("repave.readers", "snapshot").parquet(table.url)
    try:
        RepaveTable.for_path(spark, table.url).register(NAME)
        assert spark.table(NAME).where("share = id / 4").count() == 250
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def test_a_table_without_partitions_is_registered(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.range(3).write.option("repave.readers", "snapshot").orc(table.url)
    try:
        RepaveTable.for_path(spark, table.url).register(NAME, format="orc")
        assert spark.table(NAME).count() == 3
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")


@pytest.mark.parametrize("escaped", ["false", "true"])
def test_names_and_values_that_spark_would_replace_in_sql_are_registered_as_they_are(
    spark: "SparkSession", table: TableFolder, escaped: str
) -> None:
    rows = [(1, r"a\'${env:HOME}", 1), (2, "${x}", 2)]
    schema = "`v${env:HOME}` int, p string, `${env:HOME}` int"
    writer = spark.createDataFrame(rows, schema).coalesce(1).write
    writer.partitionBy("p", "${env:HOME}").option("repave.readers", "snapshot").parquet(table.url)
    spark.conf.set("spark.sql.parser.escapedStringLiterals", escaped)
    try:
        RepaveTable.for_path(spark, table.url).register(NAME)
        assert {tuple(row) for row in spark.table(NAME).collect()} == set(rows)
        assert spark.table(NAME).columns == ["v${env:HOME}", "p", "${env:HOME}"]
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def test_a_partition_column_with_nulls_only_is_a_string(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark infers no type for it, and its catalog takes no column without a type."""
    content = [(1, None, 7), (2, None, 8)]
    frame = spark.createDataFrame(content, "id int, `a null` string, q int")
    frame.write.option("repave.readers", "snapshot").partitionBy("a null", "q").parquet(table.url)
    RepaveTable.for_path(spark, table.url).register(NAME)
    assert dict(spark.table(NAME).dtypes) == {"id": "int", "a null": "string", "q": "int"}
    assert sorted(map(tuple, spark.table(NAME).collect())) == content
    spark.sql(f"DROP TABLE {NAME}")


def test_a_name_that_is_taken_is_refused(spark: "SparkSession", repaved: RepaveTable) -> None:
    spark.sql(f"CREATE TABLE {NAME} (id int) USING parquet")
    with pytest.raises(repave.UsageError, match="is in the catalog already and is not repave://"):
        repaved.register(NAME)
    spark.range(1).createOrReplaceTempView("a_view")
    with pytest.raises(repave.UsageError, match="but a view"):
        repaved.register("a_view")
    spark.catalog.dropTempView("a_view")


def test_two_folders_of_one_value_are_refused(spark: "SparkSession", table: TableFolder) -> None:
    frame = spark.sql("SELECT 1 AS v, explode(array('1', '01')) AS day").coalesce(1)
    frame.write.partitionBy("day").option("repave.readers", "snapshot").parquet(table.url)
    try:
        with pytest.raises(repave.UsageError, match="has the same values as another folder"):
            RepaveTable.for_path(spark, table.url).register(NAME)
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def test_a_folder_has_the_value_that_it_has_by_the_path(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Other writers escape letters as bytes of UTF-8; Spark reads each escape as one letter."""
    for number, city in enumerate(["M%C3%BCnchen", "%E8", "%E9", "Bonn"]):
        writer = spark.range(number, number + 1).coalesce(1).write.mode("append")
        writer.option("repave.readers", "snapshot").parquet(f"{table.url}/city={city}")
    RepaveTable.for_path(spark, table.url).register(NAME)
    by_path = spark.read.parquet(table.url.replace("s3a://", "repave://"))
    rows = {tuple(row) for row in by_path.select("id", "city").collect()}
    assert {tuple(row) for row in spark.table(NAME).select("id", "city").collect()} == rows
    assert len(rows) == 4
    spark.sql(f"DROP TABLE {NAME}")


def test_a_partition_column_in_two_spellings_is_one_column(
    spark: "SparkSession", table: TableFolder
) -> None:
    for number, folder in enumerate(["DT=1", "dt=2"]):
        writer = spark.range(number, number + 1).coalesce(1).write.mode("append")
        writer.option("repave.readers", "snapshot").parquet(f"{table.url}/{folder}")
    repaved = RepaveTable.for_path(spark, table.url)
    for _ in range(2):
        repaved.register(NAME)
        rows = {tuple(row) for row in spark.table(NAME).select("id", "dt").collect()}
        assert rows == {(0, 1), (1, 2)}
    spark.sql(f"DROP TABLE {NAME}")


def test_a_listing_table_is_sent_to_plain_sql(spark: "SparkSession", table: TableFolder) -> None:
    with pytest.raises(repave.UsageError, match="has committed no files"):
        RepaveTable.for_path(spark, table.url).register("plain")
    spark.range(1).write.parquet(table.url)
    with pytest.raises(repave.UsageError, match="plain SQL registers it: CREATE TABLE plain"):
        RepaveTable.for_path(spark, table.url).register("plain")


@pytest.mark.parametrize("repair", ["MSCK REPAIR TABLE {}", "ALTER TABLE {} RECOVER PARTITIONS"])
def test_a_repair_that_would_pin_the_partitions_to_one_version_is_refused(
    spark: "SparkSession", table: TableFolder, repaved: RepaveTable, repair: str
) -> None:
    """Spark lists the folders of one version, and would write these paths into the catalog."""
    repaved.register(NAME)
    overwrite(spark, table, [1, 2], 2)
    with pytest.raises(Exception, match=rf"register\(\"default.{NAME}\"\)"):
        spark.sql(repair.format(f"default.{NAME}"))
    with pytest.raises(Exception, match="would not see later ones"):
        spark.catalog.recoverPartitions(NAME)
    assert spark.sql(f"SHOW PARTITIONS {NAME}").count() == 2
    spark.sql(f"MSCK REPAIR TABLE {NAME} DROP PARTITIONS")
    repaved.register(NAME)
    overwrite(spark, table, [2], 3)
    spark.catalog.refreshTable(NAME)
    assert seen(spark) == {(1, None, None), (2, 1, ODD), (3, 2, ODD)}
