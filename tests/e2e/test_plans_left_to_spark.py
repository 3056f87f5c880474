"""Reads of a snapshot table's path that Spark 4 has to list, and errors that only Spark reports."""

import datetime as dt
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pyspark
import pytest

import repave
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.sessions import line
from e2e.test_plan_from_records import (
    SNAPSHOT,
    assert_same,
    at,
    is_from_records,
    listed,
    outcome,
    write,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists a path before any rule sees it"
)

NTZ = {"spark.sql.timestampType": "TIMESTAMP_NTZ"}


@contextmanager
def settings(spark: "SparkSession", values: dict[str, str]) -> Iterator[None]:
    for name, value in values.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in values:
            spark.conf.unset(name)


def put(table: TableFolder, key: str, content: pa.Table, source: str = "parquet") -> None:
    """Put a file into the table as another program would."""
    body = io.BytesIO()
    if source == "orc":
        pa.orc.write_table(content, body)
    else:
        pa.parquet.write_table(content, body)
    table.lake.client.put_object(
        Bucket=table.lake.bucket, Key=f"{table.name}/{key}", Body=body.getvalue()
    )


def append(frame: "DataFrame", table: TableFolder, *columns: str, source: str = "parquet") -> None:
    writer = frame.write.mode("append").options(**SNAPSHOT).partitionBy(*columns)
    writer.format(source).save(table.url)


def assert_as_listed(spark: "SparkSession", read: "Callable[[], DataFrame]") -> None:
    """Both ways to plan end alike, in rows or in an error."""
    planned = outcome(read)
    with listed(spark):
        assert planned == outcome(read)


def typed(spark: "SparkSession", table: TableFolder, source: str, schema: str) -> "DataFrame":
    return spark.read.schema(schema).format(source).load(at(table))


@pytest.mark.parametrize("source", ["parquet", "orc"])
def test_a_subfolder_that_spark_does_not_read_has_no_part_in_the_schema(
    spark: "SparkSession", table: TableFolder, source: str
) -> None:
    """Without partitions, Spark reads the files directly in the table's folder."""
    put(table, f"backup/old.{source}", pa.table({"z": ["old"]}), source)
    put(table, f"part-0.{source}", pa.table({"id": [1]}), source)
    append(spark.sql("SELECT 2L AS id"), table, source=source)
    frame = spark.read.format(source).load(at(table))
    assert frame.columns == ["id"]
    assert rows(frame) == [(1,), (2,)]
    assert_as_listed(spark, lambda: spark.read.format(source).load(at(table)))
    assert_as_listed(spark, lambda: typed(spark, table, source, "id bigint"))


def test_files_that_spark_leaves_out_or_stops_at_are_refused_without_spark(
    spark: "SparkSession", table: TableFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    put(table, "backup/old.parquet", pa.table({"id": [1]}))
    append(spark.sql("SELECT 2L AS id"), table)
    assert rows(spark.read.parquet(at(table))) == [(2,)]
    copied = table.lake.table(f"{table.name}-copied")
    put(copied, "backup/day=1/part-0.parquet", pa.table({"id": [1]}))
    append(spark.sql("SELECT 1L AS id, 1 AS day"), copied, "day")
    with pytest.raises(Exception, match="CONFLICTING_DIRECTORY_STRUCTURES"):
        spark.read.parquet(at(copied))
    for each in (table, copied):
        snap = repave.snapshot(each.url, endpoint_url=each.lake.proxy.endpoint)
        with pytest.raises(repave.UsageError, match="do not agree on their place"):
            snap.arrow()


def test_a_permanent_view_with_settings_of_its_own_changes_no_other_read(
    spark: "SparkSession", table: TableFolder
) -> None:
    """A view is analyzed with the settings of the session that created it."""
    when = [(1, "2026-11-25 03:04:05")]
    for first in ("view", "path"):
        each = table.lake.table(f"{table.name}-{first}-first")
        write(spark.createDataFrame(when, "id int, p string"), each, "p")
        with settings(spark, NTZ), listed(spark):
            spark.sql(f"CREATE OR REPLACE VIEW captured AS SELECT * FROM parquet.`{at(each)}`")
        try:
            for name in sorted(("view", "path"), key=lambda name: name != first):
                frame = spark.table("captured") if name == "view" else spark.read.parquet(at(each))
                assert is_from_records(frame)
                expected = "timestamp_ntz" if name == "view" else "timestamp"
                assert frame.schema["p"].dataType.typeName() == expected
        finally:
            spark.sql("DROP VIEW captured")


def test_a_filter_of_paths_hides_files(spark: "SparkSession", table: TableFolder) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("mapreduce.input.pathFilter.class", "HideSecondDay")
    try:
        assert notes(spark.read.parquet(at(table))) == {1: "some"}
    finally:
        conf.unset("mapreduce.input.pathFilter.class")
    assert notes(spark.read.parquet(at(table))) == {1: "some", 2: "some"}


def test_a_list_of_first_sources_may_name_one_twice(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    with settings(spark, {"spark.sql.sources.useV1SourceList": "parquet,orc,parquet"}):
        assert_same(spark, lambda: spark.read.parquet(at(table)))


def test_columns_that_differ_only_in_case_are_refused_as_by_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(spark.sql("SELECT 1 AS id, 1 AS day"), table, "day")
    cased = table.lake.table(f"{table.name}-cased")
    sensitive = {"spark.sql.caseSensitive": "true"}
    with settings(spark, sensitive):
        write(spark.sql("SELECT 1 AS a, 2 AS A, 3 AS b, 1 AS p"), cased, "p")
        assert_same(spark, lambda: spark.read.parquet(at(cased)))
        assert_as_listed(spark, lambda: spark.read.schema("id int, ID int").parquet(at(table)))
    for read in (
        lambda: spark.read.parquet(at(cased)).select("b"),
        lambda: spark.sql(f"SELECT count(*) FROM parquet.`{at(cased)}`"),
        lambda: spark.read.schema("id int, ID int").parquet(at(table)),
        lambda: spark.read.schema("id int, s struct<a: int, A: int>").parquet(at(table)),
    ):
        assert outcome(read) == "COLUMN_ALREADY_EXISTS"


def test_partition_columns_that_differ_only_in_case_are_refused_as_by_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        write(spark.sql("SELECT 1 AS id, 1 AS day, 2 AS DAY"), table, "day", "DAY")
        assert_same(spark, lambda: spark.read.parquet(at(table)))
    assert outcome(lambda: spark.read.parquet(at(table))) == "COLUMN_ALREADY_EXISTS"


@pytest.mark.parametrize("of", ["time", "array<time>", "void", "interval day", "variant"])
def test_types_that_spark_refuses_to_read_are_refused(
    spark: "SparkSession", table: TableFolder, of: str
) -> None:
    for source in ("parquet", "orc"):
        each = table.lake.table(f"{table.name}-{source}")
        write(spark.sql("SELECT 1 AS id, 1 AS day"), each, "day", source=source)
        assert_as_listed(spark, partial(typed, spark, each, source, f"id int, x {of}"))


@pytest.mark.parametrize("value", [pa.array([1], pa.time64("us")), pa.array([b"x"]), pa.nulls(1)])
def test_types_of_another_writers_columns_are_read_or_refused_as_by_spark(
    spark: "SparkSession", table: TableFolder, value: pa.Array
) -> None:
    put(table, "day=1/a.parquet", pa.table({"id": [1], "x": value}))
    append(spark.sql("SELECT 1L AS id, 2 AS day"), table, "day")
    assert_as_listed(spark, lambda: spark.read.parquet(at(table)))


def test_variants_are_planned_from_records(spark: "SparkSession", table: TableFolder) -> None:
    write(spark.sql("SELECT 1 AS id, parse_json('[1]') AS v, 1 AS day"), table, "day")
    assert_same(spark, lambda: spark.read.parquet(at(table)).selectExpr("id", "to_json(v)", "day"))


def test_sql_on_files_that_a_session_switches_off_is_refused(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    with settings(spark, {"spark.sql.runSQLOnFiles": "false"}):
        found = outcome(lambda: spark.sql(f"SELECT * FROM parquet.`{at(table)}`"))
        assert found == "TABLE_OR_VIEW_NOT_FOUND"
        assert_same(spark, lambda: spark.read.parquet(at(table)))


def test_a_column_of_nulls_has_the_same_type_without_inference(
    spark: "SparkSession", table: TableFolder
) -> None:
    content = [(1, None, None), (2, None, "x")]
    write(spark.createDataFrame(content, "id int, p string, q string"), table, "p", "q")
    with settings(spark, {"spark.sql.sources.partitionColumnTypeInference.enabled": "false"}):
        assert_same(spark, lambda: spark.read.parquet(at(table)))
        assert_same(spark, lambda: spark.read.schema("id int, p date").parquet(at(table)))


def test_a_version_with_leading_zeros_is_no_version(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(spark.sql("SELECT 1 AS id"), table)
    version = table.head()["version"]
    assert_same(spark, lambda: spark.read.parquet(f"{at(table)}/@v{version}"))
    for path in (f"{at(table)}/@v0{version}", f"{at(table)}/@v00"):
        for read in (spark.read, spark.read.schema("id int")):
            assert outcome(lambda read=read, path=path: read.parquet(path)) == "PATH_NOT_FOUND"  # type: ignore[misc]


@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%S.%f+00:00", "%Y-%m-%dT23:59Z", "2100-01-01"])
def test_a_moment_of_a_table_with_short_names_is_listed(
    spark: "SparkSession", table: TableFolder, form: str
) -> None:
    put(table, "day=1/a.parquet", pa.table({"id": [1]}))
    append(spark.sql("SELECT 2L AS id, 2 AS day"), table, "day")
    path = f"{at(table)}/@{dt.datetime.now(dt.timezone.utc).strftime(form)}"
    assert_same(spark, lambda: spark.read.parquet(path))
    frame = spark.read.option("mergeSchema", "true").parquet(path)
    assert not is_from_records(frame)
    assert rows(frame) == [(1, 1), (2, 2)]
    assert rows(frame.where("day = 1")) == [(1, 1)]
    append(spark.sql("SELECT 3L AS id, 1 AS day"), table, "day")
    assert rows(frame) == [(1, 1), (2, 2)], "all files are of the version that was listed"
    # A listed path is a path: it is read on its own, too.
    one = next(file for file in frame.inputFiles() if "a.parquet" in file)
    assert rows(spark.read.parquet(one)) == [(1,)]


@pytest.mark.parametrize("first", ["json,parquet", ""])
@pytest.mark.parametrize("source", ["json", "parquet"])
def test_frames_of_two_versions_are_not_mixed_up_in_one_query(
    spark: "SparkSession", table: TableFolder, source: str, first: str
) -> None:
    """Spark compares the paths of relations, and reads one of those that it takes for equal."""
    with settings(spark, {"spark.sql.sources.useV1SourceList": first}):
        assert_not_mixed_up(spark, table, source)


def assert_not_mixed_up(spark: "SparkSession", table: TableFolder, source: str) -> None:

    def counts() -> "DataFrame":
        frame = spark.read.format(source).option("mergeSchema", "true").load(at(table))
        return frame.groupBy("day").count()

    write(sales(spark, [1, 2], "old"), table, "day", source=source)
    before, again = counts(), counts()
    write(sales(spark, [2, 3], "new", per_day=5), table, "day", source=source)
    after = counts()
    both = before.withColumnRenamed("count", "was").join(after, "day", "full")
    assert rows(both) == [(1, 2, 2), (2, 2, 5), (3, None, 5)]
    assert rows(before.union(after)) == [(1, 2), (1, 2), (2, 2), (2, 5), (3, 5)]
    same = before.union(again)
    assert rows(same) == [(1, 2), (1, 2), (2, 2), (2, 2)]
    assert "ReusedExchange" in same._jdf.queryExecution().executedPlan().toString()
