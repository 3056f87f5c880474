"""A table of the metastore that follows a snapshot table by the locations of its partitions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.sessions import snapshot_tables
from repave import RepaveError, RepaveTable, UsageError
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest
NAME = "swapped"
PLAIN = "plainly_swapped"
HIDDEN = "hidden_swapped"
OLD_ROWS = "would return old and new rows"


@pytest.fixture
def snapshots(spark: "SparkSession") -> Iterator["SparkSession"]:
    """Yield the session, in which new tables are snapshot tables."""
    with snapshot_tables(spark, NAME, PLAIN, HIDDEN):
        yield spark


def write(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    sales(spark, days, note).write.mode("overwrite").partitionBy("day").parquet(table.url)


def locations(spark: "SparkSession", name: str) -> dict[str, str]:
    """Return the last segment of each partition's location, as the metastore has it."""
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    none = spark._jvm.scala.Option.empty()  # type: ignore[union-attr]
    found = catalog.listPartitions("default", name, none).iterator()
    places: dict[str, str] = {}
    while found.hasNext():
        one = found.next()
        place = one.storage().locationUri().get().toString()
        places[str(one.spec().apply("day"))] = place.rsplit("/", 1)[-1]
    return places


def folders(table: TableFolder) -> set[str]:
    return {segment for key in table.data() for segment in key.split("/") if segment[0] == "@"}


def behind(table: RepaveTable) -> int:
    return table.status().followers[0].behind


def test_a_table_without_the_partitions_is_refused_and_keeps_its_location(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    columns = "id BIGINT, note STRING"
    snapshots.sql(f"CREATE TABLE {NAME} ({columns}) USING parquet LOCATION '{table.url}'")
    opened = RepaveTable.for_path(snapshots, table.url)
    with pytest.raises(UsageError, match="does not have the partition columns"):
        opened.follow(f"default.{NAME}")
    assert opened.status().followers == ()
    described = {
        row.col_name: row.data_type for row in snapshots.sql(f"DESCRIBE EXTENDED {NAME}").collect()
    }
    assert described["Location"] == table.url


def test_all_locations_of_a_commit_change_together(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2, 3], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    found = opened.follow(f"default.{NAME}")
    assert [(one.called, one.behind) for one in found.followers] == [
        (f"metastore default.{NAME}", 0)
    ]
    assert locations(snapshots, NAME) == {"1": "day=1", "2": "day=2", "3": "day=3"}
    assert notes(snapshots.table(NAME)) == {1: "first", 2: "first", 3: "first"}

    write(snapshots, table, [1, 2, 3], "second")
    (folder,) = folders(table)
    assert locations(snapshots, NAME) == dict.fromkeys(("1", "2", "3"), folder)
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "second", 3: "second"}
    assert notes(opened.to_df()) == notes(snapshots.table(NAME))
    assert behind(opened) == 0

    # Another new partition, and none of the old ones.
    sales(snapshots, [4], "third").write.mode("append").partitionBy("day").parquet(table.url)
    assert notes(snapshots.table(NAME))[4] == "third"
    with pytest.raises(Exception, match=f"The metastore table default.{NAME} follows the table"):
        sales(snapshots, [4], "again").write.mode("append").partitionBy("day").parquet(table.url)

    # A static overwrite empties the others.
    snapshots.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    write(snapshots, table, [2], "fourth")
    assert notes(snapshots.table(NAME)) == {2: "fourth"}
    assert set(locations(snapshots, NAME)) == {"2"}
    assert notes(opened.to_df()) == {2: "fourth"}

    opened.rollback(2)
    assert notes(snapshots.table(NAME)) == {1: "first", 2: "first", 3: "first"}
    assert behind(opened) == 0


def test_a_file_that_a_lost_attempt_leaves_is_not_read(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    RepaveTable.for_path(snapshots, table.url).follow(f"default.{NAME}")
    # The first attempt of the task has written the first day, and can delete nothing, as if its
    # executor had died.
    begins, deletes = "PutObject|CreateMultipartUpload", "DeleteObject|DeleteObjects"
    table.lake.proxy.set_faults(
        [
            Fault("error", op=begins, key="day=2/@", times=1, status=403, code="AccessDenied"),
            Fault("error", op=deletes, key="day=1/@", status=403, code="AccessDenied"),
        ]
    )
    write(snapshots, table, [1, 2], "second")
    assert table.lake.proxy.status()["faults"][0]["hit"] == 1
    assert rows(snapshots.table(NAME)) == rows(sales(snapshots, [1, 2], "second"))
    table.await_no_uploads()


def test_a_name_that_follows_is_not_written(snapshots: "SparkSession", table: TableFolder) -> None:
    write(snapshots, table, [1], "first")
    RepaveTable.for_path(snapshots, table.url).follow(f"default.{NAME}")
    write(snapshots, table, [1], "second")
    before = table.listing()
    for verb in ("INTO", "OVERWRITE"):
        with pytest.raises(Exception, match=OLD_ROWS):
            snapshots.sql(f"INSERT {verb} {NAME} VALUES (1, 'x', 1)")
    snapshots.range(3).write.mode("overwrite").parquet(f"{table.url}-plain")
    RepaveTable.for_path(snapshots, f"{table.url}-plain").follow(f"default.{PLAIN}")
    snapshots.range(5).write.mode("overwrite").parquet(f"{table.url}-plain")
    assert snapshots.table(PLAIN).count() == 5
    snapshots.conf.set("repave.readers", "listing")
    with pytest.raises(Exception, match=OLD_ROWS):
        snapshots.sql(f"INSERT INTO {PLAIN} VALUES (1)")
    snapshots.conf.set("repave.readers", "snapshot")
    assert snapshots.read.parquet(f"{table.url}-plain".replace("s3a:", "repave:")).count() == 5
    assert table.listing() == before


def test_what_a_commit_could_not_move_is_moved_later(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    # While the table is not found, readers keep its version, which a vacuum keeps too.
    snapshots.sql(f"ALTER TABLE {NAME} RENAME TO {HIDDEN}")
    write(snapshots, table, [1], "unseen")
    assert behind(opened) == 1
    opened.vacuum(retention="0s")
    snapshots.sql(f"ALTER TABLE {HIDDEN} RENAME TO {NAME}")
    assert notes(snapshots.table(NAME)) == {1: "first", 2: "first"}
    opened.sync()
    assert notes(snapshots.table(NAME)) == {1: "unseen", 2: "first"}

    snapshots.sql(f"DROP TABLE {NAME}")
    write(snapshots, table, [1], "second")
    assert behind(opened) == 1
    with pytest.raises(UsageError, match="creates the table again"):
        opened.sync()
    # It may be in another metastore.
    with pytest.raises(UsageError, match="rebuild=True"):
        opened.follow(f"default.{NAME}")
    assert not snapshots.catalog.tableExists(NAME)
    opened.follow(f"default.{NAME}", rebuild=True)
    assert behind(opened) == 0
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "first"}

    # A process that died between the catalog's calls, and before the head was told.
    snapshots.sql(f"ALTER TABLE {NAME} DROP PARTITION (day = 2)")
    snapshots.sql(f"ALTER TABLE {NAME} PARTITION (day = 1) SET LOCATION '{table.url}/day=1'")
    snapshots.sql(f"ALTER TABLE {NAME} ADD PARTITION (day = 9) LOCATION '{table.url}/day=9'")
    opened.sync()
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "first"}
    write(snapshots, table, [1, 2], "third")
    assert notes(snapshots.table(NAME)) == {1: "third", 2: "third"}
    opened.vacuum(retention="0s")
    assert notes(snapshots.table(NAME)) == {1: "third", 2: "third"}

    assert opened.unfollow("metastore").followers == ()
    write(snapshots, table, [1], "fourth")
    assert notes(snapshots.table(NAME))[1] == "third"


def test_a_recovery_moves_the_table_and_adds_no_usual_folder(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    snapshots.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    write(snapshots, table, [1], "second")
    # As after a driver that died before it moved the table. The folder day=2 has a replaced file.
    snapshots.sql(f"ALTER TABLE {NAME} RENAME TO {HIDDEN}")
    sales(snapshots, [2], "third").write.mode("append").partitionBy("day").parquet(table.url)
    snapshots.sql(f"ALTER TABLE {HIDDEN} RENAME TO {NAME}")
    assert behind(opened) == 1
    found = opened.recover()
    assert (found.catalog, found.notes) == ((), ())
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "third"}
    assert behind(opened) == 0


def test_partition_values_with_escapes_and_null(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    content: list[tuple[Any, ...]] = [(1, "a b"), (2, "c=d/e"), (3, None), (4, "ü%")]
    frame = snapshots.createDataFrame(content, "id long, day string").coalesce(1)
    frame.write.mode("overwrite").partitionBy("day").parquet(table.url)
    RepaveTable.for_path(snapshots, table.url).follow(f"default.{NAME}")
    frame.selectExpr("id + 10 AS id", "day").write.mode("overwrite").partitionBy("day").parquet(
        table.url
    )
    read = {row.day: row.id for row in snapshots.table(NAME).collect()}
    assert read == {day: number + 10 for number, day in content}


def test_another_table_of_the_catalog_is_not_taken(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1], "first")
    snapshots.sql(f"CREATE TABLE {NAME} (id INT) USING parquet LOCATION '{table.url}-other'")
    opened = RepaveTable.for_path(snapshots, table.url)
    with pytest.raises(UsageError, match="take another name"):
        opened.follow(f"default.{NAME}")
    with pytest.raises(UsageError, match="Did you mean 'delta'"):
        opened.follow("detla")
    with pytest.raises(UsageError, match="with their database"):
        opened.follow(PLAIN)
    with pytest.raises(UsageError, match="is not the name of a table"):
        opened.follow(f"spark_catalog.default.{PLAIN}")
    assert not snapshots.catalog.tableExists("detla")
    assert not snapshots.catalog.tableExists(PLAIN)
    assert opened.status().followers == ()


def test_folders_that_are_one_partition_stop_the_table(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    other = sales(snapshots, [1], "second").withColumnRenamed("day", "Day")
    other.write.mode("append").partitionBy("Day").parquet(table.url)
    # The location of one of the two would hide the rows of the other.
    assert behind(opened) == 1
    assert notes(snapshots.table(NAME)) == {1: "first", 2: "first"}
    with pytest.raises(RepaveError, match="Day=1 and day=1 are one partition"):
        opened.sync()
    opened.unfollow("metastore")
    snapshots.sql(f"DROP TABLE {NAME}")
    with pytest.raises(RepaveError, match="Day=1 and day=1 are one partition"):
        opened.follow(f"default.{NAME}")
    assert opened.status().followers == ()


def test_a_name_at_repave_paths_is_not_moved(snapshots: "SparkSession", table: TableFolder) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.register(f"default.{NAME}")
    with pytest.raises(UsageError, match=r"not s3a://.* but repave://"):
        opened.follow(f"default.{NAME}")
    assert opened.status().followers == ()
    # In the place of a table that follows.
    opened.follow(f"default.{HIDDEN}")
    snapshots.sql(f"DROP TABLE {HIDDEN}")
    opened.register(f"default.{HIDDEN}")
    write(snapshots, table, [1], "second")
    assert behind(opened) == 1
    assert notes(snapshots.table(HIDDEN)) == {1: "second", 2: "first"}


def test_a_name_that_now_belongs_to_a_table_inside_is_not_moved(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{HIDDEN}")
    snapshots.sql(f"DROP TABLE {HIDDEN}")
    create = f"CREATE TABLE {HIDDEN} (note STRING, day INT) USING parquet PARTITIONED BY (day)"
    snapshots.sql(f"{create} LOCATION '{table.url}/inner'")
    write(snapshots, table, [1], "second")
    assert behind(opened) == 1
    assert snapshots.table(HIDDEN).collect() == []


def test_a_table_whose_locations_spark_does_not_read_stays_behind(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    managed = "spark.sql.hive.manageFilesourcePartitions"
    snapshots.conf.set(managed, "false")
    columns = "id BIGINT, note STRING, day INT"
    snapshots.sql(
        f"CREATE TABLE {NAME} ({columns}) USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    snapshots.conf.unset(managed)
    opened = RepaveTable.for_path(snapshots, table.url)
    with pytest.raises(UsageError, match="does not read the locations of its partitions"):
        opened.follow(f"default.{NAME}")
    snapshots.sql(f"DROP TABLE {NAME}")
    assert opened.follow(f"default.{NAME}").followers[0].behind == 0


def test_a_value_that_the_catalogs_column_cannot_hold_leaves_the_version_before(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    before = rows(snapshots.table(NAME))
    other = snapshots.createDataFrame([(7, "x", "monday")], "id long, note string, day string")
    other.write.mode("append").partitionBy("day").parquet(table.url)
    assert behind(opened) == 1
    assert rows(snapshots.table(NAME)) == before
    with pytest.raises(RepaveError, match=r"'monday' of day .* is no int"):
        opened.sync()
    opened.drop_partitions("day=monday")
    assert behind(opened) == 0


def test_a_new_table_has_the_columns_of_all_files(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    for content, columns in (
        ([(1, "a", 1)], "id int, note string, day int"),
        ([(3_000_000_000, "b", 1.5, 2)], "id long, note string, price double, day int"),
    ):
        frame = snapshots.createDataFrame(content, columns)
        frame.write.mode("append").partitionBy("day").parquet(table.url)
    RepaveTable.for_path(snapshots, table.url).follow(f"default.{NAME}")
    found = snapshots.table(NAME)
    assert found.dtypes == [
        ("id", "bigint"),
        ("note", "string"),
        ("price", "double"),
        ("day", "int"),
    ]
    # Before version 4, Spark does not read the older file's `int` as a `bigint`.
    assert rows(found.where("day = 2")) == [(3_000_000_000, "b", 1.5, 2)]
    assert rows(found.where("day = 1").select("note", "price")) == [("a", None)]

    # Later columns are for the user to add, as docs/followers.md says.
    later = snapshots.createDataFrame([(4, "c", 2.5, 3, "x")], f"{columns}, extra string")
    later.write.mode("append").partitionBy("day").parquet(table.url)
    assert "extra" not in snapshots.table(NAME).columns
    snapshots.sql(f"ALTER TABLE {NAME} ADD COLUMNS (extra STRING)")
    assert rows(snapshots.table(NAME).where("day = 3").select("extra")) == [("x",)]


def test_a_database_that_is_absent_is_refused_before_the_table_follows(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    with pytest.raises(UsageError, match="CREATE DATABASE `no-where`"):
        opened.follow(f"`no-where`.{NAME}")
    assert opened.status().followers == ()


@pytest.mark.parametrize("repair", ["MSCK REPAIR TABLE {}", "ALTER TABLE {} RECOVER PARTITIONS"])
def test_a_repair_of_a_table_that_follows_is_refused(
    snapshots: "SparkSession", table: TableFolder, repair: str
) -> None:
    """It would bring dropped partitions back: their folders exist until a vacuum."""
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    opened.drop_partitions("day=1")
    with pytest.raises(Exception, match=r"dropped.*\.sync\(\)"):
        snapshots.sql(repair.format(NAME))
    assert notes(snapshots.table(NAME)) == {2: "first"}
