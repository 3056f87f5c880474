"""Overwrites of folders that are not there: Spark asks for nothing to be deleted then."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    Write = Callable[[SparkSession, TableFolder, str], None]

pytestmark = pytest.mark.newest


def to_the_folder(spark: "SparkSession", table: TableFolder, note: str) -> None:
    frame = sales(spark, [1], note).drop("day")
    frame.write.mode("overwrite").parquet(f"{table.url}/day=1")


def by_sql(spark: "SparkSession", table: TableFolder, note: str) -> None:
    values = f"VALUES (100, '{note}'), (101, '{note}')"
    spark.sql(f"INSERT OVERWRITE TABLE absent PARTITION (day = 1) {values}")


def by_multi_insert(spark: "SparkSession", table: TableFolder, note: str) -> None:
    values = f"(100, 1, '{note}'), (101, 1, '{note}'), (200, 2, 'old'), (201, 2, 'old')"
    inserts = [
        f"INSERT OVERWRITE TABLE absent PARTITION (day = {day}) SELECT id, note WHERE of = {day}"
        for day in (1, 2)
    ]
    spark.sql(f"FROM (SELECT * FROM VALUES {values} AS t(id, of, note)) {' '.join(inserts)}")


def to_a_directory(spark: "SparkSession", table: TableFolder, note: str) -> None:
    rows = f"SELECT CAST(id AS LONG) id, '{note}' note FROM VALUES (100), (101) AS t(id)"
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{table.url}/day=1' USING parquet {rows}")


@contextmanager
def failing_lookups(spark: "SparkSession") -> "Iterator[None]":
    """Let the catalog fail when Repave asks it for partitions, but not when Spark does."""
    assert spark._jvm
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    failing = spark._jvm.FailingLookups(catalog, "io.repave.spark.write.PlannedFolders")
    try:
        yield
    finally:
        failing.close()


@pytest.fixture
def old(spark: "SparkSession", table: TableFolder) -> "Iterator[TableFolder]":
    sales(spark, [0, 2], "old").write.partitionBy("day").parquet(table.url)
    columns = "id LONG, note STRING, day INT"
    spark.sql(
        f"CREATE TABLE absent ({columns}) USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    # The second run shall not wait for the first, which is dead.
    spark.conf.set("repave.lease", "1ms")
    yield table
    spark.conf.unset("repave.lease")
    spark.sql("DROP TABLE absent")


@pytest.mark.parametrize("write", [to_the_folder, by_sql, by_multi_insert, to_a_directory])
def test_a_second_run_replaces_what_the_dead_first_one_decided(
    spark: "SparkSession", old: TableFolder, write: "Write"
) -> None:
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    old.lake.proxy.set_faults([denied])
    with pytest.raises(Exception, match="decided but not finished"):
        write(spark, old, "first")
    old.lake.proxy.set_faults([])
    write(spark, old, "second")
    table = RepaveTable.for_path(spark, old.url)
    table.recover()
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "second", 2: "old"}
    assert spark.read.parquet(old.url).count() == 6
    assert [commit.kind for commit in table.history()][:2] == ["static", "static"]
    old.assert_settled()


def test_an_overwrite_is_refused_if_the_catalog_does_not_answer(
    spark: "SparkSession", old: TableFolder
) -> None:
    with (
        failing_lookups(spark),
        pytest.raises(Exception, match=r"The metastore does not answer\. Nothing was written"),
    ):
        by_sql(spark, old, "new")
    assert notes(spark.read.parquet(old.url)) == {0: "old", 2: "old"}
    by_sql(spark, old, "new")
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "old"}
    old.assert_settled()


def test_a_dynamic_overwrite_awaits_all_commits_if_the_catalog_does_not_answer(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    spark.sql(
        "CREATE TABLE hourly (id LONG, day INT, hour INT) USING parquet"
        f" PARTITIONED BY (day, hour) LOCATION '{table.url}'"
    )
    overwrite = "INSERT OVERWRITE hourly PARTITION (day = {}, hour) VALUES (1, 0)"
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    spark.conf.set("repave.heartbeat", "15s")
    spark.conf.set("repave.lease", "6s")
    try:
        table.lake.proxy.set_faults([denied])
        with pytest.raises(Exception, match="decided but not finished"):
            spark.sql(overwrite.format(1))
        table.lake.proxy.set_faults([])
        with failing_lookups(spark):
            spark.sql(overwrite.format(2))
        table.assert_settled()
    finally:
        spark.conf.unset("repave.heartbeat")
        spark.conf.unset("repave.lease")
        spark.sql("DROP TABLE hourly")


def test_an_append_to_a_folder_that_is_not_there_stays_an_append(
    spark: "SparkSession", old: TableFolder
) -> None:
    frame = sales(spark, [1], "new").drop("day")
    frame.write.mode("append").parquet(f"{old.url}/day=1")
    spark.sql("INSERT INTO absent PARTITION (day = 3) VALUES (300, 'new')")
    kinds = [commit.kind for commit in RepaveTable.for_path(spark, old.url).history()]
    assert kinds == ["append", "append", "append"]
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "old", 3: "new"}
    old.assert_settled()


def test_a_multi_insert_replaces_each_of_its_folders_and_no_other(
    spark: "SparkSession", old: TableFolder
) -> None:
    insert = "PARTITION (day = {}) SELECT id, note"
    overwrite, append = f"INSERT OVERWRITE TABLE absent {insert}", f"INSERT INTO absent {insert}"
    spark.sql(
        "FROM (SELECT 1 id, 'new' note) "
        + " ".join([overwrite.format(1), append.format(3), overwrite.format(4), append.format(2)])
    )
    kinds = [commit.kind for commit in RepaveTable.for_path(spark, old.url).history()]
    assert kinds == ["append", "static", "append", "static", "append"]
    read = notes(spark.read.parquet(old.url).where("day <> 2"))
    assert read == {0: "old", 1: "new", 3: "new", 4: "new"}
    assert spark.read.parquet(old.url).where("day = 2").count() == 3
    old.assert_settled()
