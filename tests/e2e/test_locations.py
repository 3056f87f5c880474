"""Partitions that the catalog keeps elsewhere, in the table's bucket or in another one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from e2e.frames import rows
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
