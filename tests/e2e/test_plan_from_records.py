"""Spark 4 plans reads of a snapshot table's path from the records, and sees what it would list."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import Lake, TableFolder
from e2e.sessions import line
from e2e.test_partitions import ODD
from lab.reader_tables import wide_table
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists a path before any rule sees it"
)

SETTING = "repave.plan.from.records"
SNAPSHOT = {"repave.readers": "snapshot", "partitionOverwriteMode": "dynamic"}


def at(table: TableFolder) -> str:
    return table.url.replace("s3a://", "repave://")


def write(frame: "DataFrame", table: TableFolder, *columns: str, source: str = "parquet") -> None:
    writer = frame.write.mode("overwrite").options(**SNAPSHOT).partitionBy(*columns)
    writer.format(source).save(table.url)


@contextmanager
def listed(spark: "SparkSession") -> Iterator[None]:
    """Let Spark list the path, as it does without the rule."""
    spark.conf.set(SETTING, "false")
    try:
        yield
    finally:
        spark.conf.unset(SETTING)


def is_from_records(frame: "DataFrame") -> bool:
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert ("RecordsIndex" in plan) != ("InMemoryFileIndex" in plan), plan
    return "RecordsIndex" in plan


def assert_same(spark: "SparkSession", read: "Callable[[], DataFrame]") -> None:
    """Both ways to plan find the same columns, types, files and rows."""
    planned = read()
    assert is_from_records(planned)
    with listed(spark):
        expected = read()
        assert not is_from_records(expected)
    assert planned.schema == expected.schema
    assert sorted(planned.inputFiles()) == sorted(expected.inputFiles())
    assert rows(planned) == rows(expected)
    hidden = ["_metadata.file_path", "_metadata.file_size", "_metadata.file_name"]
    assert rows(planned.select(*hidden)) == rows(expected.select(*hidden))


VALUES: dict[str, list[str | None]] = {
    "integers": ["1", "-1", "+1", "007"],
    "longs": ["1", "2147483648"],
    "wide": ["1", "99999999999999999999999999999999999999"],
    "fractions": ["1", "1.5", "1e5"],
    "dates": ["2026-11-25", "1500-01-01"],
    "dates and null": ["2026-11-25", None],
    "early dates": ["0001-01-01", "1582-10-10", None],
    "words": ["epoch", "now", "today", "true", "e5", "d", "f", "T10", "Nan", "null", None],
    "words and a number": ["one", "Infinity"],
    "times": ["2026-11-25 03:04:05.678", "2026-11-25"],
    "dates and others": ["2026-11-25", "2026-13-01"],
    "texts": [*ODD, None],
    "numbers and text": ["1", "one"],
    "only null": [None],
    "specials": ["NaN", "Infinity", "1d", "0x1p3", "epoch", "now", "true"],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_values_have_the_types_that_spark_infers_from_listed_folders(
    spark: "SparkSession", table: TableFolder, values: list[str | None]
) -> None:
    content = [(number, value, number % 2) for number, value in enumerate(values)]
    write(spark.createDataFrame(content, "id int, p string, q int").coalesce(1), table, "p", "q")
    assert_same(spark, lambda: spark.read.parquet(at(table)))
    assert_same(spark, lambda: spark.read.parquet(at(table)).where("q = 1 AND p IS NOT NULL"))


@pytest.mark.parametrize("kind", ["longs", "fractions", "dates and null", "texts", "only null"])
def test_values_have_the_types_that_the_user_declares(
    spark: "SparkSession", table: TableFolder, kind: str
) -> None:
    content = list(enumerate(VALUES[kind]))
    write(spark.createDataFrame(content, "id int, p string").coalesce(1), table, "p")
    for declared in ("p string", "P int", "p bigint", "p date", "id int"):
        read = spark.read.schema(declared).parquet
        planned = outcome(lambda read=read: read(at(table)))  # type: ignore[misc]
        with listed(spark):
            expected = outcome(lambda read=read: read(at(table)))  # type: ignore[misc]
        assert planned == expected, declared


def outcome(read: "Callable[[], DataFrame]") -> object:
    """Return columns and rows, or the kind of the error."""
    try:
        frame = read()
        return frame.schema.jsonValue(), rows(frame)
    except pyspark.errors.PySparkException as error:
        return error.getCondition() or str(error)[:80]


def test_a_table_without_partitions_and_one_in_orc(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "plain"), table)
    assert_same(spark, lambda: spark.read.parquet(at(table)))
    orc = table.lake.table(f"{table.name}-orc")
    write(sales(spark, [1, 2], "orc"), orc, "day", source="orc")
    assert_same(spark, lambda: spark.read.orc(at(orc)))
    assert_same(spark, lambda: spark.read.format("ORC").load(at(orc) + "/"))


@pytest.mark.parametrize(
    "schema",
    [
        "id bigint, note string, day int",
        "DAY string, Note string",
        "absent double, id bigint, day bigint",
        "id bigint",
    ],
)
def test_a_schema_of_the_users_is_applied_as_spark_applies_it(
    spark: "SparkSession", table: TableFolder, schema: str
) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    assert_same(spark, lambda: spark.read.schema(schema).parquet(at(table)))
    table.lake.proxy.reset()
    assert len(spark.read.schema(schema).parquet(at(table)).inputFiles()) == 2
    assert table.counts() == {"GetObject": 1}, "the head; the version is in memory"


def test_types_without_inference_and_in_another_time_zone(
    spark: "SparkSession", table: TableFolder
) -> None:
    when = [(1, dt.datetime(2026, 11, 25, 3, 4, 5))]  # noqa: DTZ001 - Spark's are naive
    write(spark.createDataFrame(when, "id int, at timestamp"), table, "at")
    read = lambda: spark.read.parquet(at(table))  # noqa: E731 - shorter
    assert_same(spark, read)
    for name, value in {
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.sql.session.timeZone": "Asia/Tokyo",
    }.items():
        before = spark.conf.get(name)
        assert before is not None
        spark.conf.set(name, value)
        try:
            assert_same(spark, read)
        finally:
            spark.conf.set(name, before)


def test_sql_on_a_path_is_planned_from_records(spark: "SparkSession", table: TableFolder) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    assert_same(spark, lambda: spark.sql(f"SELECT * FROM parquet.`{at(table)}`"))
    spark.sql(f"CREATE OR REPLACE TEMP VIEW planned AS SELECT * FROM parquet.`{at(table)}`")
    write(sales(spark, [2], "new"), table, "day")
    assert notes(spark.table("planned")) == {1: "some", 2: "new"}
    other = f"SELECT note FROM parquet.`{at(table)}` WHERE day = 1"
    joined = spark.sql(f"SELECT a.note FROM ({other}) a JOIN ({other}) b USING (note)")
    assert joined.count() == 4


def test_versions_and_moments_are_planned_from_their_own_records(
    spark: "SparkSession", table: TableFolder
) -> None:
    for note in ("first", "second"):
        write(sales(spark, [1, 2], note), table, "day")
    version = table.head()["version"]
    for place, note in {f"@v{version}": "second", f"@v{version - 1}": "first"}.items():
        path = f"{at(table)}/{place}"
        assert_same(spark, lambda path=path: spark.read.parquet(path))  # type: ignore[misc]
        assert notes(spark.read.parquet(path)) == {1: note, 2: note}
    now = dt.datetime.now(dt.timezone.utc).isoformat()
    assert_same(spark, lambda: spark.read.parquet(f"{at(table)}/@{now}"))


@pytest.mark.parametrize("columns", [["day"], []], ids=["partitions", "no partitions"])
def test_a_filter_of_files_is_not_kept_for_later_reads(
    spark: "SparkSession", table: TableFolder, columns: list[str]
) -> None:
    """Spark leaves out files by `_metadata` before it reads, and a version's files are kept."""
    write(sales(spark, [1, 2], "some").repartition(2, "id"), table, *columns)
    for condition in ("_metadata.file_name = 'none'", "_metadata.file_size > 1000000"):
        assert spark.read.parquet(at(table)).where(condition).count() == 0
        assert spark.read.parquet(at(table)).count() == 4
    assert_same(spark, lambda: spark.read.parquet(at(table)))


def test_each_read_sees_the_commits_before_it(spark: "SparkSession", table: TableFolder) -> None:
    write(sales(spark, [1, 2], "0"), table, "day")
    first = spark.read.parquet(at(table))
    assert notes(first) == {1: "0", 2: "0"}
    for note in ("1", "2"):
        write(sales(spark, [1], note), table, "day")
        assert notes(spark.read.parquet(at(table))) == {1: note, 2: "0"}
    assert notes(first) == {1: "0", 2: "0"}, "a frame keeps its version"


def test_a_table_that_is_created_again_is_not_read_from_memory(
    spark: "SparkSession", table: TableFolder
) -> None:
    for number, note in enumerate(("old", "new")):
        write(sales(spark, range(number + 2), note), table, "day")
        assert notes(spark.read.parquet(at(table))) == dict.fromkeys(range(number + 2), note)
        for key in table.listing():
            table.lake.client.delete_object(Bucket=table.lake.bucket, Key=f"{table.name}/{key}")
    with pytest.raises(Exception, match=r"PATH_NOT_FOUND|does not exist|no snapshot table"):
        spark.read.parquet(at(table)).collect()


def test_the_second_plan_of_a_version_reads_the_head_alone(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, range(30), "new"), table, "day")
    table.lake.proxy.reset()
    assert len(spark.read.parquet(at(table)).inputFiles()) == 30
    first = [entry.key.rpartition("/")[2] for entry in table.journal()]
    table.lake.proxy.reset()
    assert len(spark.read.parquet(at(table)).inputFiles()) == 30
    assert table.counts() == {"GetObject": 1}
    assert first.count("head.json") == 1
    assert set(first) == {"head.json", "manifest.json.gz"}, "no footer, and no listing"
    assert len(first) <= 3


@pytest.mark.parametrize("partitions", [10_000])
def test_one_partition_of_many_is_planned_by_a_filter_with_few_requests(
    spark: "SparkSession", lake: Lake, partitions: int
) -> None:
    """Of a version that is not in memory, with the most manifests that such a table has."""
    wide_table(lake.client, lake.bucket, partitions, "snapshot", since=4)
    table = lake.table("sales")
    lake.proxy.reset()
    frame = spark.read.schema("id bigint, day string").parquet(at(table))
    one = frame.where("day = '00007'")
    assert one._jdf.queryExecution().toRdd().getNumPartitions() == 1
    assert sum(table.counts().values()) <= 8, dict(table.counts())
    lake.proxy.reset()
    many = spark.read.schema("id bigint, day string").parquet(at(table))
    assert len(many.inputFiles()) == partitions
    assert table.counts() == {"GetObject": 1}


EVERY_TYPE = """
    1 AS id, true AS b, 1Y AS y, 1S AS s, 1L AS l, 1F AS f, 1D AS d, 1.5BD AS m, 'x' AS t,
    DATE '2026-11-25' AS day, TIMESTAMP '2026-11-25 03:04:05' AS at,
    array(named_struct('c', 1, 'd', map('k', array(1L)))) AS a
"""
SETTINGS_DECIDE = ["X'00' AS bin", "TIMESTAMP_NTZ '2026-11-25 03:04:05' AS ntz"]


@pytest.mark.parametrize("more", ["'y' AS z", *SETTINGS_DECIDE])
def test_the_schema_from_the_records_is_what_spark_infers(
    spark: "SparkSession", table: TableFolder, more: str
) -> None:
    """A footer is read only if settings decide about a type."""
    frame = spark.sql(f"SELECT {EVERY_TYPE}, {more}, 'some' AS `odd, name`, 1 AS p")
    frame.withMetadata("t", {"comment": "text"}).write.options(**SNAPSHOT).partitionBy("p").parquet(
        table.url
    )
    table.lake.proxy.reset()
    assert len(spark.read.parquet(at(table)).inputFiles()) == 1
    footers = [entry for entry in table.journal() if entry.key.endswith(".parquet")]
    assert bool(footers) == (more in SETTINGS_DECIDE)
    assert_same(spark, lambda: spark.read.parquet(at(table)))


def test_the_schema_is_that_of_the_first_file_by_its_path(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Also after appends, overwrites and a file of another writer."""
    writer = spark.sql("SELECT 1 AS id, 'a' AS note, 5 AS day").write.mode("append")
    writer.options(**SNAPSHOT).partitionBy("day").parquet(table.url)
    for row in ("2L AS id, 30 AS day", "3 AS id, 1.5 AS more, 4 AS day", "'x' AS id, 5 AS day"):
        appended = spark.sql(f"SELECT {row}").write.mode("append").options(**SNAPSHOT)
        appended.partitionBy("day").parquet(table.url)
        planned = spark.read.parquet(at(table))
        with listed(spark):
            assert planned.schema == spark.read.parquet(at(table)).schema


def test_files_that_a_session_hides_are_left_to_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    spark.conf.set("spark.sql.files.ignoredPathSegmentRegex", "^([._]|day=2)")
    try:
        read = spark.read.parquet(at(table))
        assert not is_from_records(read)
        hides = line(pyspark.__version__) >= "4.3"
        assert set(notes(read)) == ({1} if hides else {1, 2})
    finally:
        spark.conf.unset("spark.sql.files.ignoredPathSegmentRegex")


def test_merging_schemas_is_left_to_spark(spark: "SparkSession", table: TableFolder) -> None:
    for row in ("1 AS id, 1 AS day", "2 AS id, 'x' AS note, 2 AS day"):
        writer = spark.sql(f"SELECT {row}").write.mode("append").options(**SNAPSHOT)
        writer.partitionBy("day").parquet(table.url)
    spark.conf.set("spark.sql.parquet.mergeSchema", "true")
    try:
        assert_same(spark, lambda: spark.read.parquet(at(table)))
        assert "note" in spark.read.parquet(at(table)).columns
    finally:
        spark.conf.unset("spark.sql.parquet.mergeSchema")


def test_what_the_rule_does_not_plan_is_listed_by_spark(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(sales(spark, [1, 2], "some"), table, "day")
    listing = table.lake.table(f"{table.name}-listing")
    sales(spark, [1, 2], "some").write.partitionBy("day").parquet(listing.url)
    for frame in (
        spark.read.parquet(at(listing)),
        spark.read.parquet(f"{at(table)}/day=1", f"{at(table)}/day=2"),
        spark.read.parquet(f"{at(table)}/day=*"),
        spark.read.parquet(f"{at(table)}/day=1"),
        spark.read.option("mergeSchema", "true").parquet(at(table)),
        spark.read.option("basePath", at(table)).parquet(f"{at(table)}/day=1"),
    ):
        assert not is_from_records(frame)
        assert {row.note for row in frame.collect()} == {"some"}
    with pytest.raises(Exception, match="PATH_NOT_FOUND"):
        spark.read.parquet(f"{at(table)}-absent")


@pytest.mark.parametrize("kind", ["join", "subquery", "view"])
def test_a_statement_that_names_a_path_twice_reads_one_version(
    spark: "SparkSession", table: TableFolder, kind: str
) -> None:
    """With two looks at the head, a commit in between would put two versions into one result."""
    write(sales(spark, [1, 2], "new"), table, "day")
    path = f"parquet.`{at(table)}`"
    statement = {
        "join": f"SELECT * FROM {path} JOIN {path} USING (id, note, day)",
        "subquery": f"SELECT * FROM {path} WHERE note = (SELECT max(note) FROM {path})",
        "view": f"SELECT * FROM {path} JOIN read_twice USING (id, note, day)",
    }[kind]
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW read_twice AS SELECT * FROM {path}")
    try:
        assert notes(spark.sql(statement)) == {1: "new", 2: "new"}
        table.lake.proxy.reset()
        assert is_from_records(spark.sql(statement))
        assert table.counts() == {"GetObject": 1}
        write(sales(spark, [1, 2], "newer"), table, "day")
        assert notes(spark.sql(statement)) == {1: "newer", 2: "newer"}, "the next statement"
    finally:
        spark.catalog.dropTempView("read_twice")


def test_a_write_succeeds_although_a_cached_version_is_gone(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark refreshes cached frames below the written path after the commit."""
    for note in ("first", "second"):
        write(sales(spark, [1, 2], note), table, "day")
    old = f"{at(table)}/@v{table.head()['version'] - 1}"
    kept = spark.read.parquet(old).cache()
    try:
        assert notes(kept) == {1: "first", 2: "first"}
        RepaveTable.for_path(spark, table.url).vacuum(retention="0s")
        forget_versions(spark)
        writer = sales(spark, [1], "third").write.mode("overwrite").options(**SNAPSHOT)
        writer.partitionBy("day").parquet(at(table))
        assert notes(spark.read.parquet(at(table))) == {1: "third", 2: "second"}
        with pytest.raises(Exception, match=r"the versions 3 to 4, not version 2"):
            kept.collect()
    finally:
        kept.unpersist()


def forget_versions(spark: "SparkSession") -> None:
    """Empty the cache of versions, as other tables do when they are large."""
    jvm = spark._jvm
    assert jvm is not None
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    cache = jvm.java.lang.Class.forName("io.repave.hadoop.read.VersionCache", True, loader)
    kept = cache.getDeclaredField("kept")
    kept.setAccessible(True)
    kept.get(cache.getDeclaredField("JVM").get(None)).clear()
