"""Partitions that the catalog keeps elsewhere, in the table's bucket or in another one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import in_a_batch, rows
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


@pytest.fixture(params=["lake", "annex"])
def elsewhere(
    request: pytest.FixtureRequest, spark: "SparkSession", table: TableFolder
) -> Iterator[str]:
    """A table whose partition p=2 lies in a folder of its own."""
    folder = f"s3a://{request.param}/elsewhere/{table.name}"
    spark.sql(
        f"CREATE TABLE moved (id INT, v STRING, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    spark.sql("INSERT INTO moved VALUES (1,'old',1)")
    spark.sql(f"ALTER TABLE moved ADD PARTITION (p=2) LOCATION '{folder}'")
    spark.sql("INSERT INTO moved VALUES (2,'old',2)")
    yield folder
    spark.sql("DROP TABLE moved")


def content(spark: "SparkSession") -> list[tuple[object, ...]]:
    return rows(spark.sql("SELECT id, v, p FROM moved"))


def files(table: TableFolder, folder: str) -> list[str]:
    bucket, _, prefix = folder.removeprefix("s3a://").partition("/")
    listing = table.lake.client.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}/")
    return [one["Key"] for one in listing.get("Contents", ()) if not one["Key"].endswith("/")]


def test_append_goes_where_the_catalog_says(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    assert content(spark) == [(1, "old", 1), (2, "old", 2)]
    assert len(files(table, elsewhere)) == 1
    assert set(table.partitions()) == {"p=1"}


def test_dynamic_overwrite_replaces_the_folder_elsewhere(
    spark: "SparkSession", table: TableFolder, elsewhere: str, dynamic: None
) -> None:
    spark.sql("INSERT OVERWRITE moved VALUES (9,'new',2), (8,'new',3)")
    assert content(spark) == [(1, "old", 1), (8, "new", 3), (9, "new", 2)]
    assert len(files(table, elsewhere)) == 1
    assert set(table.partitions()) == {"p=1", "p=3"}
    table.assert_settled()


def test_an_overwrite_that_reads_its_table_may_replace_the_folder_elsewhere(
    spark: "SparkSession", table: TableFolder, elsewhere: str, dynamic: None
) -> None:
    for _ in range(2):
        spark.sql("INSERT OVERWRITE moved SELECT DISTINCT * FROM moved")
        assert content(spark) == [(1, "old", 1), (2, "old", 2)]
    table.assert_settled()


def test_static_overwrite_of_a_partition_elsewhere(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    if in_another_bucket(table, elsewhere):
        refused_by_spark(spark, table, elsewhere, "INSERT OVERWRITE moved VALUES (9,'new',2)")
        return
    spark.sql("INSERT OVERWRITE moved PARTITION (p=2) VALUES (9,'new')")
    assert content(spark) == [(1, "old", 1), (9, "new", 2)]
    assert len(files(table, elsewhere)) == 1
    table.assert_settled()


def test_static_overwrite_of_everything_clears_the_folder_elsewhere(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    if in_another_bucket(table, elsewhere):
        refused_by_spark(spark, table, elsewhere, "INSERT OVERWRITE moved VALUES (9,'new',1)")
        return
    spark.sql("INSERT OVERWRITE moved VALUES (9,'new',1)")
    assert content(spark) == [(9, "new", 1)]
    assert files(table, elsewhere) == []
    table.assert_settled()


@pytest.mark.parametrize("elsewhere", ["lake"], indirect=True)
def test_a_repeated_overwrite_of_everything_changes_nothing(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    """The first one has emptied the folder elsewhere, so Spark took it out of the catalog."""
    for _ in range(2):
        with in_a_batch(spark), repave.write_options(spark, token="night"):
            spark.sql("INSERT OVERWRITE moved VALUES (9,'new',1)")
        assert content(spark) == [(9, "new", 1)]
        assert table.head()["version"] == 3
    table.assert_settled()


@pytest.mark.parametrize("elsewhere", ["lake"], indirect=True)
def test_a_repeated_overwrite_by_name_may_not_hide_what_others_wrote_since(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    overwrite = "INSERT OVERWRITE moved VALUES (9,'new',1)"
    with in_a_batch(spark), repave.write_options(spark, token="night"):
        spark.sql(overwrite)
    spark.sql("INSERT INTO moved VALUES (3,'late',3)")
    message = "1 with files, perhaps of other writes, would be among them: .*/p=3"
    again = repave.write_options(spark, token="night")
    with in_a_batch(spark), again, pytest.raises(Exception, match=message):
        spark.sql(overwrite)
    assert content(spark) == [(3, "late", 3), (9, "new", 1)]
    table.assert_settled()


@pytest.mark.parametrize("elsewhere", ["lake"], indirect=True)
def test_a_repeated_overwrite_of_a_partition_by_name_removes_none_from_the_catalog(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    """Its query has no rows any more, so its tasks write to no partition."""
    for compared in ("<", ">"):
        query = f"SELECT 9, 'new' WHERE rand() {compared} 1"
        with in_a_batch(spark), repave.write_options(spark, token="night"):
            spark.sql(f"INSERT OVERWRITE moved PARTITION (p=2) {query}")
        assert content(spark) == [(1, "old", 1), (9, "new", 2)]
        assert table.head()["version"] == 3
    table.assert_settled()


def in_another_bucket(table: TableFolder, folder: str) -> bool:
    return not folder.startswith(f"s3a://{table.lake.bucket}/")


def refused_by_spark(spark: "SparkSession", table: TableFolder, folder: str, sql: str) -> None:
    """Spark asks the table's file system about the other bucket, with whatever protocol.

    It does so after it has asked for the table's own files to be deleted: they must not be.
    """
    with pytest.raises(Exception, match="Wrong FS"):
        spark.sql(sql)
    assert content(spark) == [(1, "old", 1), (2, "old", 2)]
    assert len(files(table, folder)) == 1
    table.assert_settled()


@pytest.fixture
def nested(spark: "SparkSession", table: TableFolder) -> Iterator[TableFolder]:
    """A table whose partition p=2, q=1 lies elsewhere. There is no folder p=2 in the table."""
    folder = f"s3a://{table.lake.bucket}/elsewhere/{table.name}"
    spark.sql(
        f"CREATE TABLE nested (id INT, v STRING, p INT, q INT) USING parquet"
        f" PARTITIONED BY (p, q) LOCATION '{table.url}'"
    )
    spark.sql("INSERT INTO nested VALUES (1,'old',1,1)")
    spark.sql(f"ALTER TABLE nested ADD PARTITION (p=2, q=1) LOCATION '{folder}'")
    spark.sql("INSERT INTO nested VALUES (2,'old',2,1)")
    spark.conf.set("repave.locations.allowed", f"s3://{table.lake.bucket}/elsewhere")
    yield table
    spark.conf.unset("repave.locations.allowed")
    spark.sql("DROP TABLE nested")


def die_deciding(spark: "SparkSession", table: TableFolder, sql: str) -> None:
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    table.lake.proxy.set_faults([denied])
    with pytest.raises(Exception, match="decided but not finished"):
        spark.sql(sql)
    table.lake.proxy.set_faults([])


def test_a_static_overwrite_replaces_what_a_dead_one_decided_beside_a_partition_elsewhere(
    spark: "SparkSession", nested: TableFolder
) -> None:
    """Spark names only the folder elsewhere, because the statement's own does not exist."""
    insert = "INSERT OVERWRITE nested PARTITION (p=2, q) SELECT 3, '{}', 2"
    spark.conf.set("repave.lease", "1ms")  # the second shall not wait for the first
    try:
        die_deciding(spark, nested, insert.format("first"))
        spark.sql(insert.format("second"))
    finally:
        spark.conf.unset("repave.lease")
    RepaveTable.for_path(spark, nested.url).recover()
    found = rows(spark.sql("SELECT id, v, p, q FROM nested"))
    assert found == [(1, "old", 1, 1), (3, "second", 2, 2)]
    nested.assert_settled()


def test_a_static_overwrite_replaces_what_a_dead_one_decided_in_an_empty_partition_elsewhere(
    spark: "SparkSession", nested: TableFolder
) -> None:
    """Spark names no folder, because the partition's does not exist."""
    empty = f"s3a://{nested.lake.bucket}/elsewhere/{nested.name}-empty"
    spark.sql(f"ALTER TABLE nested ADD PARTITION (p=3, q=1) LOCATION '{empty}'")
    for one in files(nested, empty):
        nested.lake.client.delete_object(Bucket=nested.lake.bucket, Key=one)
    insert = "INSERT OVERWRITE nested PARTITION (p=3, q=1) SELECT 3, '{}'"
    spark.conf.set("repave.lease", "1ms")
    try:
        die_deciding(spark, nested, insert.format("first"))
        spark.sql(insert.format("second"))
    finally:
        spark.conf.unset("repave.lease")
    RepaveTable.for_path(spark, nested.url).recover()
    found = rows(spark.sql("SELECT id, v FROM nested WHERE p = 3"))
    assert found == [(3, "second")]
    nested.assert_settled()


@pytest.mark.parametrize(
    "rest",
    ["PARTITION (p=2, q) SELECT 3, '{}', 1", "SELECT 3, '{}', 2, 1"],
    ids=["some-values-fixed", "no-values-fixed"],
)
def test_a_dynamic_overwrite_of_a_partition_elsewhere_waits_for_an_unfinished_one(
    spark: "SparkSession", nested: TableFolder, dynamic: None, rest: str
) -> None:
    insert = f"INSERT OVERWRITE nested {rest}"
    spark.conf.set("repave.lease", "1ms")
    spark.conf.set("repave.heartbeat", "500ms")
    try:
        die_deciding(spark, nested, insert.format("first"))
        spark.conf.unset("repave.lease")
        spark.sql(insert.format("second"))
    finally:
        spark.conf.unset("repave.lease")
        spark.conf.unset("repave.heartbeat")
    found = rows(spark.sql("SELECT id, v, p, q FROM nested"))
    assert found == [(1, "old", 1, 1), (3, "second", 2, 1)]
    nested.assert_settled()


@pytest.mark.parametrize(
    ("folder", "mode"),
    [
        ("s3a://lake/elsewhere/{}", "dynamic"),
        ("repave://lake/elsewhere/{}", "dynamic"),
        ("repave://lake/elsewhere/{}", "static"),
        ("repave://lake/{}/old/two", "dynamic"),
    ],
)
def test_a_snapshot_table_refuses_a_partition_that_readers_would_list(
    spark: "SparkSession", table: TableFolder, folder: str, mode: str
) -> None:
    at = table.url.replace("s3a:", "repave:")
    spark.conf.set("repave.readers", "snapshot")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    spark.sql(
        f"CREATE TABLE kept (id INT, v STRING, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{at}'"
    )
    try:
        spark.sql("INSERT INTO kept VALUES (1,'old',1)")
        spark.sql(f"ALTER TABLE kept ADD PARTITION (p=2) LOCATION '{folder.format(table.name)}'")
        for insert in ("INTO kept", "OVERWRITE kept PARTITION (p)", "OVERWRITE kept"):
            with pytest.raises(Exception, match="keeps replaced files there"):
                spark.sql(f"INSERT {insert} VALUES (2,'new',2)")
        spark.sql(f"ALTER TABLE kept PARTITION (p=2) SET LOCATION '{at}/p=2'")
        for value in ("old", "new"):
            spark.sql(f"INSERT OVERWRITE kept PARTITION (p=2) VALUES (2,'{value}')")
        found = rows(spark.sql("SELECT id, v, p FROM kept"))
        assert found == [(1, "old", 1), (2, "new", 2)]
    finally:
        spark.conf.unset("repave.readers")
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
        spark.sql("DROP TABLE kept")


@pytest.mark.parametrize("elsewhere", ["annex"], indirect=True)
def test_a_partition_in_an_excluded_folder_is_refused(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    spark.conf.set("repave.exclude", "s3://annex/elsewhere")
    try:
        with pytest.raises(Exception, match=r"which repave\.exclude excludes"):
            spark.sql("INSERT INTO moved VALUES (3,'new',2)")
        spark.sql("INSERT INTO moved VALUES (3,'new',3)")
    finally:
        spark.conf.unset("repave.exclude")
    assert content(spark) == [(1, "old", 1), (2, "old", 2), (3, "new", 3)]
    assert len(files(table, elsewhere)) == 1


def test_a_partition_inside_another_tables_folder_is_refused(
    spark: "SparkSession", table: TableFolder, elsewhere: str
) -> None:
    other = f"{elsewhere}-other"
    spark.sql("SELECT 1 AS id, 'theirs' AS v, 1 AS p").write.partitionBy("p").parquet(other)
    before = files(table, other)
    spark.sql(f"ALTER TABLE moved ADD PARTITION (p=4) LOCATION '{other}/p=4'")
    # In another bucket, Spark refuses a static overwrite itself.
    for word in ("INTO",) if in_another_bucket(table, elsewhere) else ("INTO", "OVERWRITE"):
        with pytest.raises(Exception, match="is inside the folder of another Repave table"):
            spark.sql(f"INSERT {word} moved PARTITION (p=4) VALUES (4,'new')")
        assert content(spark) == [(1, "old", 1), (2, "old", 2)]
        assert files(table, other) == before
    spark.sql(f"ALTER TABLE moved PARTITION (p=4) SET LOCATION '{elsewhere}-own'")
    spark.sql("INSERT INTO moved PARTITION (p=4) VALUES (4,'new')")
    assert content(spark) == [(1, "old", 1), (2, "old", 2), (4, "new", 4)]
    table.assert_settled()


@pytest.mark.parametrize("word", ["INTO", "OVERWRITE"])
@pytest.mark.parametrize("overwrites", [1, 0])
def test_a_partition_in_the_folder_of_another_value_is_not_added_twice(
    spark: "SparkSession", table: TableFolder, word: str, overwrites: int
) -> None:
    """Hive renames a partition of an external table and leaves its files where they are."""
    spark.sql(
        f"CREATE TABLE moved (id INT, v STRING, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    try:
        spark.sql("INSERT INTO moved VALUES (1,'old',1), (2,'old',2)")
        for _ in range(overwrites):
            # After it a write looks for partitions that Spark has removed meanwhile.
            spark.sql("INSERT OVERWRITE moved VALUES (1,'old',1), (2,'old',2)")
        spark.sql("ALTER TABLE moved PARTITION (p=1) RENAME TO PARTITION (p=9)")
        spark.sql(f"ALTER TABLE moved ADD PARTITION (p=4) LOCATION '{table.url}/p=4/run=7'")
        spark.sql(f"INSERT {word} moved PARTITION (p=4) VALUES (4,'new')")
        spark.sql(f"INSERT {word} moved PARTITION (p=9) VALUES (9,'new')")
        old = [(1, "old", 9)] if word == "INTO" else []
        expected = [*old, (2, "old", 2), (4, "new", 4), (9, "new", 9)]
        assert content(spark) == expected
        for written in ("", "INSERT INTO moved PARTITION (p=4) VALUES (5,'new')"):
            if written:
                spark.sql(written)
                expected = sorted([*expected, (5, "new", 4)])
            found = RepaveTable.for_path(spark, table.url).recover()
            assert (found.catalog, found.notes) == ((), ())
            assert content(spark) == expected
        names = {row.partition for row in spark.sql("SHOW PARTITIONS moved").collect()}
        assert names == {"p=2", "p=4", "p=9"}
    finally:
        spark.sql("DROP TABLE moved")
    table.assert_settled()
