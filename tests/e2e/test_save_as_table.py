"""`repave.save_as_table` replaces the rows of a table and keeps the table."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import lit

import repave
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from repave import RepaveTable, save_as_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest

NAME = "saved.sales"


@pytest.fixture
def name(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    """A name that is free, in a database whose folder is on S3."""
    spark.sql(f"CREATE DATABASE saved LOCATION '{table.url}.db'")
    yield NAME
    spark.sql("DROP DATABASE saved CASCADE")


@pytest.fixture
def kept(spark: "SparkSession", table: TableFolder, name: str) -> str:
    """An external table of three days, with a property and a comment."""
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT COMMENT 'of the shop', note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{table.url}' TBLPROPERTIES ('owner-team' = 'shop')"
    )
    sales(spark, [1, 2, 3], "old").write.insertInto(name)
    return name


def refusal(df: "DataFrame", name: str, **arguments: object) -> str:
    with pytest.raises(repave.UsageError) as caught:
        save_as_table(df, name, **arguments)  # type: ignore[arg-type]
    return str(caught.value)


def test_an_existing_table_keeps_everything_but_its_rows(
    spark: "SparkSession", table: TableFolder, kept: str, dynamic: None
) -> None:
    spark.table(kept).count()  # this session has its files in its cache
    frame = sales(spark, [2, 4], "new").select("note", "day", "id")
    cached = frame.cache()
    save_as_table(frame, kept)
    assert notes(spark.table(kept)) == {2: "new", 4: "new"}, "days 1 and 3 are gone too"
    assert spark.table(kept).count() == 4
    assert cached.is_cached
    assert {row.partition for row in spark.sql(f"SHOW PARTITIONS {kept}").collect()} == {
        "day=2",
        "day=4",
    }
    described = {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {kept}").collect()}
    assert described["Location"] == table.url
    assert "owner-team=shop" in described["Table Properties"]
    assert spark.table(kept).schema["id"].metadata == {"comment": "of the shop"}
    assert spark.conf.get("spark.sql.sources.partitionOverwriteMode") == "dynamic"
    (newest, *_) = RepaveTable.for_path(spark, table.url).history()
    assert (newest.kind, newest.files_in, newest.files_out) == ("static", 2, 3)
    assert spark.catalog.listTables("saved")[0].name == "sales"
    assert [one.name for one in spark.catalog.listTables() if one.name.startswith("repave_")] == []
    table.assert_settled()


def test_a_failed_job_leaves_the_old_rows(
    spark: "SparkSession", table: TableFolder, kept: str
) -> None:
    before = table.data()
    failing = sales(spark, [1], "new").selectExpr("id", "raise_error('it fails') AS note", "day")
    with pytest.raises(Exception, match="it fails"):
        save_as_table(failing.selectExpr("id", "CAST(note AS STRING) AS note", "day"), kept)
    assert notes(spark.table(kept)) == {1: "old", 2: "old", 3: "old"}
    table.await_no_uploads()
    assert table.data() == before


def test_new_columns_are_added_and_other_differences_are_named(
    spark: "SparkSession", table: TableFolder, kept: str
) -> None:
    frame = sales(spark, [1], "new")
    version = table.head()["version"]
    wrong = frame.selectExpr("CAST(id AS INT) AS ID", "day")
    assert "the DataFrame lacks note; id is bigint, not int" in refusal(wrong, kept)
    assert "partitioned by day, not by note" in refusal(frame, kept, partition_by=["note"])
    assert "partitioned by day, not by nothing" in refusal(frame, kept, partition_by=[])
    assert "its format is parquet, not orc" in refusal(frame, kept, format="orc")
    elsewhere = refusal(frame, kept, path="s3a://lake/x")
    assert f"its folder is {table.url}, not s3a://lake/x" in elsewhere
    assert "more than one column id" in refusal(frame.select("*", frame.id.alias("ID")), kept)
    assert "column empty has no type" in refusal(frame.withColumn("empty", lit(None)), kept)
    assert table.head()["version"] == version

    # The metastore of Spark 3.5 takes a table with such names only when it creates the table.
    odd, inner = ("odd name", "a b") if spark.version >= "4" else ("odd", "a")
    wider = frame.selectExpr("*", f"named_struct('{inner}', id) AS `{odd}`", "array(id) AS ids")
    place = table.url.replace("s3a://", "s3://")
    save_as_table(wider, kept, format="PARQUET", partition_by=["DAY"], path=f"{place}/")
    assert spark.table(kept).columns == ["id", "note", odd, "ids", "day"]
    assert rows(spark.table(kept).select(f"{odd}.{inner}", "ids")) == [(100, [100]), (101, [101])]


def test_a_table_is_created_where_there_is_none(
    spark: "SparkSession", table: TableFolder, name: str, dynamic: None
) -> None:
    sales(spark, [1, 9], "stranger").write.partitionBy("day").parquet(table.url)
    frame = spark.sql("SELECT 1L AS id, 'new' AS note, explode(array(1, null)) AS day")
    save_as_table(
        frame, name, partition_by=["day"], path=table.url, options={"compression": "gzip"}
    )
    assert rows(spark.table(name)) == [(1, "new", 1), (1, "new", None)], "the folder's rows went"
    assert {key.rpartition(".parquet")[0][-3:] for key in table.data()} == {".gz"}
    assert set(table.partitions()) == {"day=1", "day=__HIVE_DEFAULT_PARTITION__"}

    save_as_table(frame.where("false"), name)
    assert (spark.table(name).count(), table.data()) == (0, [])
    assert spark.sql(f"SHOW PARTITIONS {name}").collect() == []
    save_as_table(frame, name)
    assert spark.table(name).count() == 2
    table.assert_settled()


def test_a_table_that_stores_dynamic_overwrite_is_refused_with_the_statement_that_helps(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    stored = sales(spark, [1, 2, 3], "old").write.mode("overwrite").partitionBy("day")
    stored.option("PartitionOverwriteMode", "Dynamic").saveAsTable(name, path=table.url)
    before = table.listing()
    for frame in (sales(spark, [2], "new"), sales(spark, [], "new")):
        message = refusal(frame, name)
        assert f"=dynamic with {name}, so Spark would replace only the partitions" in message
    assert table.listing() == before

    statement = message.partition("Run: ")[2].partition(". From")[0]
    spark.sql(statement)
    save_as_table(sales(spark, [2], "new"), name)
    assert notes(spark.table(name)) == {2: "new"}
    save_as_table(sales(spark, [], "new"), name)
    assert spark.table(name).count() == 0


def test_dynamic_overwrite_among_the_options_is_refused_before_a_table_is_created(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    options = {"PARTITIONOVERWRITEMODE": "dynamic"}
    for by in ([], ["day"]):
        frame = sales(spark, [1], "new")
        message = refusal(frame, name, partition_by=by, path=table.url, options=options)
        assert "The options have PARTITIONOVERWRITEMODE=dynamic" in message
        assert not spark.catalog.tableExists(name)


def test_a_stored_mode_without_partitions_or_dynamic_overwrite_does_no_harm(
    spark: "SparkSession", table: TableFolder, name: str, dynamic: None
) -> None:
    static = {"partitionOverwriteMode": "static"}
    for days in ([1, 2], [2]):
        frame = sales(spark, days, "new")
        save_as_table(frame, name, partition_by=["day"], path=table.url, options=static)
    assert notes(spark.table(name)) == {2: "new"}
    flat = spark.range(5).write.option("partitionOverwriteMode", "dynamic")
    flat.saveAsTable("saved.flat")
    save_as_table(spark.range(2), "saved.flat")
    assert spark.table("saved.flat").count() == 2


def test_a_managed_table_is_created_and_replaced(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    spark.sql("USE saved")
    try:
        save_as_table(spark.range(3), "`sales`", format="json")
        save_as_table(spark.range(2).selectExpr("CAST(id AS INT) v", "id"), "Sales")
    finally:
        spark.sql("USE default")
    assert rows(spark.table(name)) == [(0, 0), (1, 1)]
    managed = table.lake.table(f"{table.name}.db/sales")
    assert managed.head()["version"] == 2
    managed.assert_settled()


def test_names_and_options_that_spark_would_replace_in_sql_are_kept(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    frame = spark.createDataFrame([("a", 1)], "`${env:HOME}` string, `d${env:HOME}` int")
    by, options = ["d${env:HOME}"], {"note": "${env:HOME}"}
    save_as_table(frame, name, partition_by=by, path=table.url, options=options)
    save_as_table(frame, name)
    assert spark.table(name).columns == frame.columns
    assert rows(spark.table(name)) == [("a", 1)]
    described = {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {name}").collect()}
    assert "note=${env:HOME}" in described["Storage Properties"]


def test_a_folder_where_spark_would_delete_the_old_rows_first_is_refused(
    spark: "SparkSession", table: TableFolder, name: str, kept: str, tmp_path: Path
) -> None:
    local = tmp_path / "t"
    assert "Repave does not commit" in refusal(spark.range(2), "saved.local", path=str(local))
    assert not spark.catalog.tableExists("saved.local")
    spark.range(3).write.saveAsTable("saved.local", path=str(local))
    assert "Repave does not commit" in refusal(spark.range(2), "saved.local")
    assert spark.table("saved.local").count() == 3
    spark.conf.set("repave.exclude", table.url)
    try:
        assert "Repave does not commit" in refusal(sales(spark, [1], "new"), kept)
    finally:
        spark.conf.unset("repave.exclude")
    assert notes(spark.table(kept)) == {1: "old", 2: "old", 3: "old"}


def test_a_column_of_a_librarys_type_is_refused_before_a_table_is_created(
    spark: "SparkSession", name: str
) -> None:
    from pyspark.ml.linalg import Vectors  # noqa: PLC0415 - needs numpy

    frame = spark.createDataFrame([(1, Vectors.dense([1.0]))], ["id", "features"])
    assert "features has a type of a library" in refusal(frame, name)
    assert not spark.catalog.tableExists(name)


def test_a_table_that_reads_itself_is_refused_with_the_path_that_works(
    spark: "SparkSession", table: TableFolder, kept: str
) -> None:
    message = refusal(spark.table(kept).where("day > 1"), kept)
    snapshot = table.url.replace("s3a://", "repave://")
    assert f'spark.read.format("parquet").load("{snapshot}")' in message
    save_as_table(spark.read.format("parquet").load(snapshot).where("day > 1"), kept)
    assert notes(spark.table(kept)) == {2: "old", 3: "old"}


def test_a_snapshot_table_is_written_and_read_by_its_name(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    place = table.url.replace("s3a://", "repave://")
    spark.conf.set("repave.readers", "snapshot")
    try:
        save_as_table(sales(spark, [1, 2], "old"), name, partition_by=["day"], path=place)
        save_as_table(sales(spark, [2], "new"), name, path=place)
        assert notes(spark.table(name)) == {2: "new"}
        assert "not s3a://" in refusal(sales(spark, [1], "x"), name, path=table.url)
        message = refusal(spark.table(name), name)
        assert f'load("{place}/@v…")' in message
        version = table.head()["version"]
        save_as_table(spark.read.parquet(f"{place}/@v{version}").where("id = 200"), name)
        assert rows(spark.table(name)) == [(200, "new", 2)]
    finally:
        spark.conf.unset("repave.readers")
    assert len(table.data()) == 4, "replaced files stay until vacuum"


def test_what_is_not_a_table_of_files_is_refused(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    frame = spark.range(1)
    spark.sql("CREATE VIEW saved.a_view AS SELECT 1 AS id")
    assert "saved.a_view is a view" in refusal(frame, "saved.a_view")
    spark.range(1).createOrReplaceTempView("a_view")
    assert "a_view is a temporary view" in refusal(frame, "a_view")
    spark.catalog.dropTempView("a_view")
    spark.sql(f"CREATE TABLE {name} (id BIGINT) STORED AS PARQUET")
    assert f"{name} is a table of the format hive" in refusal(frame, name)
    assert "a table of the format delta" in refusal(frame, "saved.new", format="delta")
    assert "no column day to partition by" in refusal(frame, "saved.new", partition_by=["day"])
    assert "is in the catalog lake, and Repave knows only" in refusal(frame, "lake.saved.new")
    save_as_table(frame.selectExpr("'a' AS value"), "saved.lines", format="text")
    wider = refusal(frame.selectExpr("'a' AS value", "id"), "saved.lines")
    assert "Spark cannot add it: the format text does not allow it" in wider
    stream = spark.readStream.format("rate").load()
    assert "call this from foreachBatch" in refusal(stream, name)
    # Other tests of this session leave temporary views, which are listed too.
    kept = [one.name for one in spark.catalog.listTables("saved") if not one.isTemporary]
    assert kept == ["a_view", "lines", "sales"]
