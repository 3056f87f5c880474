"""Which scans of the written table count as complete reads of its folders."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import rows, sales
from e2e.lake import TableFolder
from e2e.sessions import line
from e2e.test_own_reads import FIRST, UNREAD, append, found, once, overwrite, path_of
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Reader = Callable[[SparkSession, TableFolder], DataFrame]

NAME = "own_sales"
SPARK_4 = pytest.mark.skipif(line(pyspark.__version__) < "4.0", reason="a rule of Spark 4")


@pytest.fixture(autouse=True)
def no_name(spark: "SparkSession") -> Iterator[None]:
    yield
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def a_snapshot_table(table: TableFolder) -> TableFolder:
    """Return a table whose name says that it is a snapshot table."""
    return table.lake.table(f"{table.name}-snapshot")


def test_files_in_the_folder_of_a_commit_are_compared_after_the_catalog_stopped_following(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    table = a_snapshot_table(table)
    append(spark, table, *FIRST)
    opened = RepaveTable.for_path(spark, table.url)
    opened.follow(f"default.{NAME}")
    overwrite(sales(spark, [1], "followed"), table)
    opened.unfollow("metastore")

    day = spark.read.parquet(path_of(table)).where("day = 1")
    assert any("/@" in file for file in day.inputFiles())
    compacted = once(day)
    append(spark, table, [1], "late")
    with pytest.raises(Exception, match=r"has not read, in day=1\."):
        overwrite(compacted, table)
    assert found(spark, table) == [(0, "old"), (1, "followed"), (1, "late"), (2, "old")]
    overwrite(once(spark.read.parquet(path_of(table)).where("day = 1")), table)
    table.assert_settled()


def test_parts_of_a_folder_by_the_metadata_of_files_are_not_compared(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, [1], "small")
    sales(spark, [1], "big", 2000).write.mode("append").partitionBy("day").parquet(table.url)
    everything = spark.read.parquet(table.url)
    sizes = [row[0] for row in everything.select("_metadata.file_size").distinct().collect()]
    assert len(sizes) == 2
    big = everything.where(f"_metadata.file_size >= {max(sizes)}")
    small = everything.where(f"_metadata.file_size < {max(sizes)}").coalesce(1)
    overwrite(big.unionByName(small), table)
    assert found(spark, table) == [(1, "big"), (1, "small")]
    table.assert_settled()


def test_files_that_the_query_names_are_no_complete_read_of_their_folder(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, [1], "first")
    (first,) = spark.read.parquet(table.url).inputFiles()
    append(spark, table, [1], "second")
    overwrite(spark.read.option("basePath", table.url).parquet(first), table)
    assert found(spark, table) == [(1, "first")]
    table.assert_settled()


def several_paths(spark: "SparkSession", table: TableFolder) -> "DataFrame":
    base = path_of(table)
    paths = [f"{base}/day=0", f"{base}/day=1"]
    return spark.read.option("basePath", base).parquet(*paths)


def pattern(spark: "SparkSession", table: TableFolder) -> "DataFrame":
    return spark.read.option("basePath", path_of(table)).parquet(f"{path_of(table)}/day=*")


@pytest.mark.parametrize("read", [pytest.param(several_paths, marks=SPARK_4), pattern])
def test_a_version_that_repave_chose_is_compared(
    spark: "SparkSession", table: TableFolder, dynamic: None, read: "Reader"
) -> None:
    table = a_snapshot_table(table)
    append(spark, table, *FIRST)
    compacted = once(read(spark, table).where("day = 1"))
    append(spark, table, [1], "late")
    with pytest.raises(Exception, match=r"has not read, in day=1\."):
        overwrite(compacted, table)
    assert found(spark, table) == [(0, "old"), (1, "late"), (1, "old"), (2, "old")]
    table.assert_settled()
    overwrite(once(read(spark, table).where("day = 1")), table)
    table.assert_settled()


def test_the_folders_of_a_version_may_be_written_back(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    table = a_snapshot_table(table)
    append(spark, table, *FIRST)
    append(spark, table, [1], "late")
    version = f"{path_of(table)}/@v2"
    read = spark.read.option("basePath", version).parquet(f"{version}/day=*")
    overwrite(once(read.where("day = 1")), table)
    assert found(spark, table) == [(0, "old"), (1, "old"), (2, "old")]


def test_a_scan_that_spark_removed_because_its_result_is_empty_is_compared(
    spark: "SparkSession", table: TableFolder
) -> None:
    append(spark, table, *FIRST)
    day = f"{table.url}/day=1"
    valid = spark.read.parquet(day).where("note = 'valid'").distinct()
    append(spark, table, [1], "late")
    with pytest.raises(Exception, match=UNREAD):
        valid.write.mode("overwrite").parquet(day)
    assert found(spark, table) == [(0, "old"), (1, "late"), (1, "old"), (2, "old")]
    table.assert_settled()


def test_a_scan_in_a_subquery_is_compared(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, *FIRST)
    newer = spark.sql(
        "SELECT * FROM {rows} WHERE id >= (SELECT max(id) FROM {old} WHERE day = 1)",
        rows=sales(spark, [1], "mine"),
        old=spark.read.parquet(table.url),
    )
    append(spark, table, [1], "late")
    with pytest.raises(Exception, match=r"has not read, in day=1\."):
        overwrite(newer, table)
    assert found(spark, table) == [(0, "old"), (1, "late"), (1, "old"), (2, "old")]
    table.assert_settled()


@pytest.mark.parametrize("late", [1, 2])
def test_each_filter_of_one_frame_is_a_scan_of_its_own(
    spark: "SparkSession", table: TableFolder, dynamic: None, late: int
) -> None:
    append(spark, table, *FIRST)
    frame = spark.read.parquet(table.url)
    both = once(frame.where("day = 1").unionByName(frame.where("day = 2")))
    append(spark, table, [late], "late")
    with pytest.raises(Exception, match=rf"has not read, in day={late}\."):
        overwrite(both, table)
    assert found(spark, table)[late] == (late, "late")
    table.assert_settled()


def upsert(spark: "SparkSession", old: "DataFrame", note: str) -> "DataFrame":
    new = sales(spark, [7], note)
    return old.join(new, "id", "left_anti").unionByName(new).repartition(1)


NAMES = {
    "name": "(id BIGINT, note STRING, day INT) USING parquet PARTITIONED BY (day)",
    "name in Hive's form": "(id BIGINT, note STRING) PARTITIONED BY (day INT) STORED AS PARQUET",
}


@pytest.mark.parametrize("by", ["path", *NAMES])
def test_a_partition_that_a_filter_selects_may_not_appear(
    spark: "SparkSession", table: TableFolder, dynamic: None, by: str
) -> None:
    append(spark, table, *FIRST)
    if by in NAMES:
        spark.sql(f"CREATE TABLE {NAME} {NAMES[by]} LOCATION '{table.url}'")
        spark.sql(f"MSCK REPAIR TABLE {NAME}")
    old = spark.table(NAME) if by in NAMES else spark.read.parquet(table.url)
    missing = upsert(spark, old.where("day = 7"), "mine")
    other = upsert(spark, old.where("day > 100"), "mine")
    append(spark, table, [7], "theirs")
    with pytest.raises(Exception, match=r"has not read, in day=7\."):
        overwrite(missing, table)
    assert found(spark, table)[-1] == (7, "theirs")
    overwrite(other, table)
    assert found(spark, table)[-1] == (7, "mine")
    table.assert_settled()


def test_a_folder_is_selected_by_a_column_whose_name_is_escaped(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    first, second = (spark.range(3).selectExpr("id", f"{n} AS `a:b`").coalesce(1) for n in (1, 2))
    first.write.partitionBy("a:b").parquet(table.url)
    old = spark.read.parquet(table.url).where("`a:b` >= 2")
    mine = second.join(old, "id", "left_anti").repartition(1)
    old.count()
    second.write.mode("append").partitionBy("a:b").parquet(table.url)
    with pytest.raises(Exception, match=r"has not read, in a%3Ab=2\."):
        mine.write.mode("overwrite").partitionBy("a:b").parquet(table.url)
    assert spark.read.parquet(table.url).count() == 6
    table.assert_settled()


@pytest.mark.parametrize(
    ("session", "reads", "hour"), [("PST", {}, "09"), ("UTC", {"timeZone": "+8:00"}, "01")]
)
def test_folders_are_selected_in_the_time_zone_of_the_read(
    spark: "SparkSession",
    table: TableFolder,
    dynamic: None,
    session: str,
    reads: dict[str, str],
    hour: str,
) -> None:
    first, ninth = (
        sales(spark, [1], "theirs").selectExpr("id", f"'2026-11-20 {at}:00:00' AS hour").coalesce(1)
        for at in ("08", "09")
    )
    first.write.partitionBy("hour").parquet(table.url)
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", session)
    try:
        old = spark.read.options(**reads).parquet(table.url)
        old = old.where(f"hour = TIMESTAMP'2026-11-20 {hour}:00:00'")
        mine = ninth.join(old, "id", "left_anti").repartition(1)
        old.count()
        ninth.write.mode("append").partitionBy("hour").parquet(table.url)
        with pytest.raises(Exception, match=r"has not read, in hour=2026-11-20 09%3A00%3A00\."):
            mine.write.mode("overwrite").partitionBy("hour").parquet(table.url)
    finally:
        spark.conf.set("spark.sql.session.timeZone", str(before))
    table.assert_settled()


def test_a_table_that_is_named_without_its_bucket_is_compared(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    append(spark, table, *FIRST)
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    path = table.url.removeprefix(f"s3a://{table.lake.bucket}")
    hadoop.set("fs.defaultFS", table.url.removesuffix(path))
    try:
        day = once(spark.read.parquet(path).where("day = 1"))
        append(spark, table, [1], "late")
        with pytest.raises(Exception, match=UNREAD):
            day.write.mode("overwrite").partitionBy("day").parquet(path)
    finally:
        hadoop.unset("fs.defaultFS")
    table.assert_settled()


def test_a_folder_that_appears_below_the_one_that_the_query_reads_is_compared(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = spark.range(4).selectExpr("id", "1 AS day", "id % 2 AS hour").coalesce(1)
    frame.write.partitionBy("day", "hour").parquet(table.url)
    day = once(spark.read.parquet(f"{table.url}/day=1"))
    later = frame.selectExpr("id", "day", "7L AS hour")
    later.write.mode("append").partitionBy("day", "hour").parquet(table.url)
    with pytest.raises(Exception, match=r"has not read, in day=1/hour=7\."):
        day.write.mode("overwrite").partitionBy("hour").parquet(f"{table.url}/day=1")
    assert rows(spark.read.parquet(table.url).select("hour").distinct()) == [(0,), (1,), (7,)]
    table.assert_settled()
