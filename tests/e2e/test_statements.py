"""Ways of asking for a write that users know; those that Spark refuses leave the table alone."""

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

NUMBERS = itertools.count(1)


@pytest.fixture
def name(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    """A table in the catalog with two days."""
    name = f"stated_{next(NUMBERS)}"
    writer = sales(spark, [1, 2], "old").write.partitionBy("day").option("path", table.url)
    writer.saveAsTable(name)
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def test_insert_by_name_puts_columns_where_they_belong(
    spark: "SparkSession", name: str, table: TableFolder, dynamic: None
) -> None:
    new = "SELECT 2 AS day, 'new' AS note, 7L AS id"
    spark.sql(f"INSERT OVERWRITE {name} BY NAME {new}")
    spark.sql(f"INSERT INTO {name} BY NAME {new}")
    assert notes(spark.table(name)) == {1: "old", 2: "new"}
    assert rows(spark.table(name).where("day = 2").select("id")) == [(7,), (7,)]
    table.assert_settled()


def test_save_as_table_appends_to_a_table(
    spark: "SparkSession", name: str, table: TableFolder
) -> None:
    sales(spark, [3], "new").write.mode("append").partitionBy("day").saveAsTable(name)
    assert notes(spark.table(name)) == {1: "old", 2: "old", 3: "new"}
    assert [one["kind"] for one in table.head()["log"]][1:] == ["append"]
    table.assert_settled()


def test_write_to_creates_a_table(spark: "SparkSession", name: str, table: TableFolder) -> None:
    spark.sql(f"DROP TABLE {name}")
    table.lake.proxy.reset()
    path = f"{table.url}-created"
    writer = sales(spark, [1], "new").writeTo(name).using("parquet").option("path", path)
    writer.partitionedBy("day").create()
    assert notes(spark.table(name)) == {1: "new"}
    assert table.lake.table(f"{table.name}-created").head()["version"] == 1


REFUSED: dict[str, Callable[["SparkSession", str], object]] = {
    "append": lambda spark, name: sales(spark, [1], "x").writeTo(name).append(),
    "overwrite": lambda spark, name: sales(spark, [1], "x").writeTo(name).overwritePartitions(),
    "replace": lambda spark, name: spark.sql(
        f"REPLACE TABLE {name} USING parquet AS SELECT 1L AS id, 'x' AS note, 1 AS day"
    ),
    "replace-where": lambda spark, name: spark.sql(
        f"INSERT INTO {name} REPLACE WHERE day = 1 SELECT 1L, 'x', 1"
    ),
    "errorifexists": lambda spark, name: (
        sales(spark, [1], "x").write.mode("errorifexists").saveAsTable(name)
    ),
    "no-such-column": lambda spark, name: (
        sales(spark, [1], "x").drop("note").write.mode("overwrite").insertInto(name)
    ),
}


@pytest.mark.parametrize("statement", REFUSED)
def test_what_spark_refuses_before_it_writes_leaves_the_table_alone(
    spark: "SparkSession", name: str, table: TableFolder, statement: str
) -> None:
    before = table.listing()
    with pytest.raises(AnalysisException):
        REFUSED[statement](spark, name)
    assert table.listing() == before
    assert notes(spark.table(name)) == {1: "old", 2: "old"}
    assert table.open_uploads() == []


def test_a_partition_column_that_is_not_there_is_refused_with_nothing_done(
    spark: "SparkSession", name: str, table: TableFolder
) -> None:
    before = table.listing()
    with pytest.raises(AnalysisException):
        sales(spark, [1], "x").write.mode("overwrite").partitionBy("dya").parquet(table.url)
    assert table.listing() == before
    sales(spark, [3], "new").write.mode("append").partitionBy("day").parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "old", 2: "old", 3: "new"}


def test_values_stay_text_where_types_of_partitions_are_not_inferred(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    key = "spark.sql.sources.partitionColumnTypeInference.enabled"
    spark.conf.set(key, "false")
    try:
        for values in ("('007', 'old'), ('7', 'old')", "('007', 'new')"):
            frame = spark.sql(f"SELECT col2 AS note, col1 AS p FROM VALUES {values}")
            frame.write.mode("overwrite").partitionBy("p").parquet(table.url)
        assert rows(spark.read.parquet(table.url)) == [("new", "007"), ("old", "7")]
    finally:
        spark.conf.unset(key)
    table.assert_settled()


def test_the_sessions_limit_of_records_holds(spark: "SparkSession", table: TableFolder) -> None:
    spark.conf.set("spark.sql.files.maxRecordsPerFile", "4")
    try:
        spark.range(10).coalesce(1).write.parquet(table.url)
    finally:
        spark.conf.unset("spark.sql.files.maxRecordsPerFile")
    assert len(table.data()) == 3
    assert spark.read.parquet(table.url).count() == 10
    table.assert_settled()


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_frame_without_a_single_task(
    spark: "SparkSession", name: str, table: TableFolder, dynamic: None, mode: str
) -> None:
    nothing = spark.createDataFrame(spark.sparkContext.emptyRDD(), spark.table(name).schema)
    assert nothing.rdd.getNumPartitions() == 0
    nothing.write.mode(mode).insertInto(name)
    assert notes(spark.table(name)) == {1: "old", 2: "old"}
    table.assert_settled()


def test_tasks_without_rows_cost_no_request(
    spark: "SparkSession", name: str, table: TableFolder
) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    table.lake.proxy.reset()
    try:
        many = sales(spark, [1, 2], "new").repartition(40, "day")
        many.write.mode("overwrite").insertInto(name)
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
    assert notes(spark.table(name)) == {1: "new", 2: "new"}
    assert table.counts()["CreateMultipartUpload"] == 2
    table.assert_settled()
