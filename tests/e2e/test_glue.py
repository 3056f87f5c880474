"""A table of Glue (moto's) follows a snapshot table by the locations of its partitions."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from e2e.frames import sales
from e2e.lake import TableFolder
from e2e.test_cli import CREDENTIALS, repave
from repave import RepaveTable, UsageError
from unit.glue_catalog import Catalog, serving

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

Notes = dict[int, str]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def glue(url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """A catalog that boto3 finds in the environment."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", url)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    return Catalog(url, re.sub(r"\W", "-", request.node.name))


@pytest.fixture
def snapshots(spark: "SparkSession") -> Iterator["SparkSession"]:
    """Yield the session, in which new tables are snapshot tables."""
    spark.conf.set("repave.readers", "snapshot")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    yield spark
    spark.conf.unset("repave.readers")
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


def write(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    sales(spark, days, note).write.mode("overwrite").partitionBy("day").parquet(table.url)


def read(spark: "SparkSession", glue: Catalog) -> Notes:
    """Return the note of each day, as an engine reads it that lists the locations of Glue."""
    found: Notes = {}
    for day, place in glue.locations().items():
        rows = spark.read.parquet(place.replace("s3://", "s3a://")).select("note").collect()
        (found[int(day)],) = {row.note for row in rows}
    return found


def behind(table: RepaveTable) -> int:
    return table.status().followers[0].behind


def test_the_life_of_a_table_that_follows(
    snapshots: "SparkSession", table: TableFolder, glue: Catalog
) -> None:
    write(snapshots, table, [1, 2, 3], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    (follower,) = opened.follow(glue.name, catalog="glue").followers
    assert (follower.called, follower.behind) == (f"glue {glue.name}", 0)
    assert glue.table()["PartitionKeys"] == [{"Name": "day", "Type": "int"}]
    assert "id" in [one["Name"] for one in glue.table()["StorageDescriptor"]["Columns"]]
    assert read(snapshots, glue) == {1: "first", 2: "first", 3: "first"}

    # No commit moves it. Its readers keep their version, and a vacuum keeps its files.
    write(snapshots, table, [1, 2], "second")
    write(snapshots, table, [1, 4], "third")
    assert behind(opened) == 2
    opened.vacuum(retention="0s")
    assert read(snapshots, glue) == {1: "first", 2: "first", 3: "first"}
    opened.sync()
    assert behind(opened) == 0
    newest = {1: "third", 2: "second", 3: "first", 4: "third"}
    assert read(snapshots, glue) == newest
    assert {str(row.day) for row in opened.to_df().select("day").collect()} == set(glue.locations())
    opened.vacuum(retention="0s")
    assert read(snapshots, glue) == newest
    with pytest.raises(Exception, match=f"The glue table {glue.name} follows the table"):
        sales(snapshots, [4], "again").write.mode("append").partitionBy("day").parquet(table.url)

    # A static overwrite empties the other partitions, and a rollback fills them again.
    full = opened.status().version
    snapshots.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    write(snapshots, table, [2], "fourth")
    opened.sync()
    assert read(snapshots, glue) == {2: "fourth"}
    opened.rollback(full)
    assert behind(opened) == 1
    # Partition 3 has the table's own folder again.
    with pytest.warns(UserWarning, match=r"of their own: 3\."):
        opened.sync()
    assert read(snapshots, glue) == newest

    assert opened.unfollow("glue").followers == ()
    assert opened.sync().followers == ()
    assert read(snapshots, glue) == newest


@pytest.mark.slow
def test_the_commands_follow_and_move_a_table_without_partitions(
    snapshots: "SparkSession", table: TableFolder, glue: Catalog
) -> None:
    def rows() -> int:
        place = glue.table()["StorageDescriptor"]["Location"].replace("s3://", "s3a://")
        return snapshots.read.parquet(place).count()

    snapshots.range(3).write.mode("overwrite").parquet(table.url)
    code, followed = repave(table, "follow", "--glue", glue.name)
    assert code == 0, followed
    version = followed["version"]
    one = {"follower": "glue", "name": glue.name, "version": version, "behind": 0}
    assert followed["followers"] == [one]
    assert rows() == 3
    snapshots.range(5).write.mode("overwrite").parquet(table.url)
    assert rows() == 3
    _, status = repave(table, "status")
    assert status["followers"] == [{**one, "behind": 1}]
    code, synced = repave(table, "sync")
    assert (code, synced["followers"]) == (0, [{**one, "version": version + 1}])
    assert rows() == 5
    code, off = repave(table, "follow", "--off", "glue")
    assert (code, off["followers"]) == (0, [])


def test_a_table_whose_readers_list_folders_is_refused_before_glue_is_changed(
    spark: "SparkSession", table: TableFolder, glue: Catalog
) -> None:
    spark.range(3).write.parquet(table.url)
    opened = RepaveTable.for_path(spark, table.url)
    with pytest.raises(UsageError, match=r"repave\.readers=snapshot"):
        opened.follow(glue.name, catalog="glue")
    assert glue.glue.get_tables(DatabaseName=glue.database)["TableList"] == []
    with pytest.raises(UsageError, match="pass 'metastore' or 'glue'"):
        opened.follow(glue.name, catalog="glu")
