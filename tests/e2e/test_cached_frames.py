"""Spark's cache shows what a commit has changed, also to readers of `repave://` paths and names."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder, foreign_file
from e2e.sessions import line
from e2e.test_plan_from_records import forget_versions
from e2e.test_plans_left_to_spark import settings
from repave import CommitStateUnknownError, RepaveTable, typed_errors
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest

READERS = ["listing", "snapshot"]
NAME = "cached_sales"
SPARK_4 = pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 lists a path before any rule sees it"
)


@pytest.fixture(autouse=True)
def clean(spark: "SparkSession") -> Iterator[None]:
    yield
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")
    spark.catalog.clearCache()


def write(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)


def fill(spark: "SparkSession", table: TableFolder, readers: str) -> str:
    """Write two days, and return the table's `repave://` path."""
    writer = sales(spark, [1, 2], "old").write.partitionBy("day")
    writer.option("repave.readers", readers).parquet(table.url)
    return table.url.replace("s3a://", "repave://")


@pytest.mark.parametrize("readers", READERS)
def test_a_write_is_shown_by_cached_frames_and_by_new_ones(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    write(spark, table, [1], "new")
    assert notes(spark.read.parquet(url)) == {1: "new", 2: "old"}
    assert notes(cached) == {1: "new", 2: "old"}


def test_a_write_to_the_repave_path_is_shown_by_frames_of_the_stores_path(
    spark: "SparkSession", table: TableFolder
) -> None:
    url = fill(spark, table, "listing")
    cached = spark.read.parquet(table.url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    writer = sales(spark, [1], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(url)
    assert notes(spark.read.parquet(table.url)) == {1: "new", 2: "old"}
    assert notes(cached) == {1: "new", 2: "old"}


@pytest.mark.parametrize("readers", ["snapshot", pytest.param("listing", marks=pytest.mark.slow)])
def test_writes_of_two_threads_are_both_shown(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    """The first one looks the table up again for the cached frame while the second one commits."""
    url = fill(spark, table, readers)
    reader = spark.read.option("basePath", url)  # with an option, Spark lists the path
    cached = reader.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    table.lake.proxy.reset()
    write(spark, table, [1], "older")
    heads = [one for one in table.journal() if one.op == "GetObject" and "head.json" in one.key]
    version = table.head()["version"]
    late = Fault("delay_after", op="GetObject", key="head.json", nth=len(heads), ms=6000)
    table.lake.proxy.set_faults([late])
    with ThreadPoolExecutor(1) as other:
        first = other.submit(write, spark, table, [1], "new")
        while table.head()["version"] == version or table.head()["active"]:
            time.sleep(0.1)
        time.sleep(1)
        write(spark, table, [2], "new")
        first.result()
    assert notes(reader.parquet(url)) == {1: "new", 2: "new"}
    assert notes(cached) == {1: "new", 2: "new"}


def test_a_write_to_the_path_is_shown_by_a_cached_name(
    spark: "SparkSession", table: TableFolder
) -> None:
    fill(spark, table, "snapshot")
    RepaveTable.for_path(spark, table.url).register(NAME)
    spark.sql(f"CACHE TABLE {NAME}")
    write(spark, table, [1], "new")
    assert notes(spark.table(NAME)) == {1: "new", 2: "old"}


@pytest.mark.parametrize("readers", READERS)
def test_dropped_partitions_leave_cached_frames(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    RepaveTable.for_path(spark, table.url).drop_partitions("day=1")
    assert notes(cached) == notes(spark.read.parquet(url)) == {2: "old"}


@pytest.mark.parametrize("readers", READERS)
def test_a_change_by_the_java_api_is_shown_by_cached_frames(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    java = spark._jvm.io.repave  # type: ignore[union-attr]
    opened = java.RepaveTable.open(spark._jsparkSession, table.url)
    folders = spark.sparkContext._gateway.new_array(spark._jvm.String, 1)  # type: ignore[union-attr]
    folders[0] = "day=1"
    opened.dropPartitions(java.DropOptions.of(folders))
    assert notes(cached) == {2: "old"}
    if readers == "snapshot":
        opened.rollback(opened.status().version() - 1)
        assert notes(cached) == {1: "old", 2: "old"}


def test_a_change_by_the_path_of_a_partition_is_shown_by_frames_of_the_table(
    spark: "SparkSession", table: TableFolder
) -> None:
    fill(spark, table, "listing")
    cached = spark.read.parquet(table.url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    sales(spark, [3], "other").drop("day").write.parquet(f"{table.url}-source")
    foreign_file(table, "day=3/part-00000-foreign.snappy.parquet")
    assert RepaveTable.for_path(spark, f"{table.url}/day=2").adopt().files == 1
    assert notes(cached) == {1: "old", 2: "old", 3: "other"}


def test_changes_are_shown_by_cached_frames_that_read_the_store_by_another_scheme(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Catalogs of EMR and Glue name tables by `s3://`, with the connector of `s3a://`."""
    fill(spark, table, "listing")
    spark.conf.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    other = table.url.replace("s3a://", "s3://")
    try:
        cached = spark.read.parquet(other).cache()
        assert notes(cached) == {1: "old", 2: "old"}
        RepaveTable.for_path(spark, table.url).drop_partitions("day=1")
        assert notes(cached) == notes(spark.read.parquet(other)) == {2: "old"}
        sales(spark, [3], "new").write.mode("append").partitionBy("day").parquet(table.url)
        assert notes(cached) == {2: "old", 3: "new"}
        cached.unpersist()
    finally:
        spark.conf.unset("fs.s3.impl")


def test_adopted_files_are_shown_by_cached_frames(
    spark: "SparkSession", table: TableFolder
) -> None:
    url = fill(spark, table, "listing")
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    sales(spark, [3], "other").drop("day").write.parquet(f"{table.url}-source")
    foreign_file(table, "day=3/part-00000-foreign.snappy.parquet")
    assert RepaveTable.for_path(spark, table.url).adopt().files == 1
    assert notes(cached) == notes(spark.read.parquet(url)) == {1: "old", 2: "old", 3: "other"}


@pytest.mark.skipif(
    line(pyspark.__version__) == "3.5", reason="its SDK tries a request again for minutes"
)
@pytest.mark.parametrize("readers", ["snapshot", pytest.param("listing", marks=pytest.mark.slow)])
def test_recover_shows_a_commit_whose_job_did_not_know_that_it_was_finished(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    """The answer to the last head is lost, and so are all later ones: nothing is left to finish."""
    url = fill(spark, table, readers)
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    lost = Fault("lost", op="PutObject", key="_repave/head.json", nth=3)
    down = [Fault("error", op="GetObject", key="_repave/head.json", nth=n) for n in range(2, 99)]
    table.lake.proxy.set_faults([lost, *down])
    spark.conf.set("repave.retry.budget", "1s")
    try:
        with pytest.raises(CommitStateUnknownError, match="published but not"), typed_errors():
            write(spark, table, [1], "new")
    finally:
        spark.conf.unset("repave.retry.budget")
        table.lake.proxy.set_faults([])
    assert RepaveTable.for_path(spark, table.url).recover().commits == ()
    assert notes(spark.read.parquet(url)) == {1: "new", 2: "old"}
    assert notes(cached) == {1: "new", 2: "old"}


def test_a_rollback_is_shown_by_a_cached_name(spark: "SparkSession", table: TableFolder) -> None:
    fill(spark, table, "snapshot")
    repaved = RepaveTable.for_path(spark, table.url)
    first = repaved.status().version
    write(spark, table, [1], "new")
    repaved.register(NAME)
    spark.sql(f"CACHE TABLE {NAME}")
    repaved.rollback(first)
    assert notes(spark.table(NAME)) == {1: "old", 2: "old"}


def test_a_cached_frame_of_one_version_keeps_it(spark: "SparkSession", table: TableFolder) -> None:
    url = fill(spark, table, "snapshot")
    version = RepaveTable.for_path(spark, table.url).status().version
    cached = spark.read.parquet(f"{url}/@v{version}").cache()
    assert notes(cached) == {1: "old", 2: "old"}
    write(spark, table, [1], "new")
    assert notes(cached) == {1: "old", 2: "old"}


QUERIES = {
    "join": "SELECT a.note, b.note AS other FROM {0} a JOIN {0} b USING (id)",
    "subquery": "SELECT note, (SELECT max(note) FROM {0}) AS other FROM {0}",
}


@SPARK_4
@pytest.mark.parametrize("kind", QUERIES)
def test_a_cached_query_that_names_a_path_twice_shows_one_version(
    spark: "SparkSession", table: TableFolder, kind: str
) -> None:
    """Spark refreshes one place of a cached query, and plans the query again."""
    query = QUERIES[kind].format(f"parquet.`{fill(spark, table, 'snapshot')}`")
    cached = spark.sql(query).cache()
    assert set(rows(cached.select("*"))) == {("old", "old")}
    write(spark, table, [1, 2], "older")
    assert set(rows(cached.select("*"))) == {("older", "older")}
    assert set(rows(spark.sql(query))) == {("older", "older")}


@SPARK_4
def test_a_frame_that_is_planned_stays_while_a_frame_made_from_the_same_moves(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = spark.read.parquet(fill(spark, table, "snapshot"))
    planned = frame.where("note IS NOT NULL").select("note")
    assert len(planned.inputFiles()) == 2
    cached = frame.select("note").distinct().cache()
    assert rows(cached.select("*")) == [("old",)]
    write(spark, table, [1, 2], "new")
    assert rows(cached.select("*")) == [("new",)]
    assert set(rows(planned)) == {("old",)}


@SPARK_4
@pytest.mark.parametrize("columns", [("b", "a"), ("a", "c"), ("a",)])
def test_a_frame_of_other_partition_columns_has_to_be_read_again(
    spark: "SparkSession", table: TableFolder, columns: tuple[str, ...]
) -> None:
    """Spark would take the values of the new folders for those of the first columns."""
    url = table.url.replace("s3a://", "repave://")
    frame = spark.createDataFrame([(1, 2, "three", 4)], "id int, a int, b string, c int")
    static = {"repave.readers": "snapshot", "partitionOverwriteMode": "static"}
    whole = frame.write.mode("overwrite").options(**static)
    whole.partitionBy("a", "b").parquet(url)
    kept = spark.read.parquet(url).cache()
    expected = rows(kept.select("id", "a", "b", "c"))
    whole.partitionBy(*columns).parquet(url)
    assert rows(spark.read.parquet(url).select("id", "a", "b", "c")) == expected
    with pytest.raises(Exception, match=r"are now \(.*Read the path again"):
        kept.collect()
    whole.partitionBy("a", "b").parquet(url)
    assert rows(kept.select("id", "a", "b", "c")) == expected
    empty = frame.limit(0).write.mode("overwrite").options(**static)
    empty.partitionBy("a", "b").parquet(url)
    assert rows(kept.select("id")) == []


@SPARK_4
@pytest.mark.parametrize("readers", READERS)
def test_a_frame_that_cannot_be_planned_again_leaves_the_others_in_the_cache(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    """Spark stops at the first one, and the last cached one comes first."""
    url = fill(spark, table, readers)
    other = table.lake.table(f"{table.name}-other")
    fill(spark, other, "snapshot")
    RepaveTable.for_path(spark, other.url).register(NAME)
    frame = spark.read.parquet(url)
    first = frame.select("note").cache()
    broken = frame.join(spark.table(NAME).select("id"), "id").cache()
    assert (first.count(), broken.count()) == (4, 4)
    denied = Fault(
        "error", op="GetObject", key="-other/_repave/head", status=403, code="AccessDenied"
    )
    table.lake.proxy.set_faults([denied])
    write(spark, table, [1, 2, 3], "new")
    assert rows(first.select("note").distinct()) == [("new",)]
    assert first.storageLevel.useMemory
    assert not broken.storageLevel.useMemory
    table.lake.proxy.set_faults([])
    assert broken.select("id").count() == 4


@SPARK_4
def test_a_frame_that_could_not_be_refreshed_is_refreshed_by_its_next_action(
    spark: "SparkSession", table: TableFolder
) -> None:
    """The commit has read its own heads when the store refuses the refresh."""
    url = fill(spark, table, "snapshot")
    cached, heads = cached_and_counted(spark, table, url)
    same = spark.read.parquet(url)
    table.lake.proxy.set_faults([denied_head(heads)])
    write(spark, table, [2], "new")
    assert notes(cached) == {1: "older", 2: "new"}
    assert notes(same) == {1: "older", 2: "old"}, "a frame that is not cached keeps its version"
    assert notes(spark.read.parquet(url)) == {1: "older", 2: "new"}


@SPARK_4
def test_a_frame_that_could_not_be_refreshed_again_says_what_to_do(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark keeps the failure of the cached plan."""
    url = fill(spark, table, "snapshot")
    cached, heads = cached_and_counted(spark, table, url)
    table.lake.proxy.set_faults([denied_head(n) for n in range(heads, heads + 9)])
    write(spark, table, [2], "new")
    advice = rf'could not be refreshed. Call spark.catalog.refreshByPath\("{url}"\), or read'
    with pytest.raises(Exception, match=f"{advice} the path again. The cause: GET .* 403 Access"):
        notes(cached)
    table.lake.proxy.set_faults([])
    assert notes(spark.read.parquet(url)) == {1: "older", 2: "new"}
    spark.catalog.refreshByPath(url)
    assert notes(cached) == {1: "older", 2: "new"}


def cached_and_counted(
    spark: "SparkSession", table: TableFolder, url: str
) -> tuple["DataFrame", int]:
    """Return a cached frame, and how often a write with its refresh reads the table's head."""
    cached = spark.read.parquet(url).cache()
    assert notes(cached) == {1: "old", 2: "old"}
    table.lake.proxy.reset()
    write(spark, table, [1], "older")
    heads = [one for one in table.journal() if one.op == "GetObject" and "head.json" in one.key]
    return cached, len(heads)


def denied_head(nth: int) -> Fault:
    return Fault("error", op="GetObject", key="head.json", nth=nth, status=403, code="AccessDenied")


@pytest.mark.parametrize("first", ["parquet", ""])
def test_a_frame_that_cannot_be_listed_again_does_not_keep_the_others_old(
    spark: "SparkSession", table: TableFolder, first: str
) -> None:
    """Also for sources that Spark reads in its second form."""
    with settings(spark, {"spark.sql.sources.useV1SourceList": first}):
        assert_listed_again(spark, table)


def assert_listed_again(spark: "SparkSession", table: TableFolder) -> None:
    url = fill(spark, table, "snapshot")
    first = RepaveTable.for_path(spark, table.url).status().version
    write(spark, table, [1, 2], "older")
    reader = spark.read.option("basePath", url)  # with an option, Spark lists the path
    cached = reader.parquet(url).cache()
    gone = spark.read.option("pathGlobFilter", "*").parquet(f"{url}/@v{first}").cache()
    assert notes(cached) == {1: "older", 2: "older"}
    assert notes(gone) == {1: "old", 2: "old"}
    RepaveTable.for_path(spark, table.url).vacuum(retention="0s")
    forget_versions(spark)
    write(spark, table, [1, 2], "new")
    assert notes(cached) == {1: "new", 2: "new"}
    assert cached.storageLevel.useMemory
