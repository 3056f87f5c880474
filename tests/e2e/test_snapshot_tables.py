"""Snapshot tables by a name in the catalog that is read and written."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from e2e.sessions import snapshot_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

NAME = "versioned"
OLD_ROWS = "would return old and new rows"


@pytest.fixture
def snapshots(spark: "SparkSession") -> Iterator["SparkSession"]:
    """Yield the session, in which new tables are snapshot tables."""
    with snapshot_tables(spark, NAME):
        yield spark


def versioned(table: TableFolder) -> str:
    return table.url.replace("s3a://", "repave://")


def rows(spark: "SparkSession") -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in spark.table(NAME).collect())


def create(spark: "SparkSession", location: str) -> None:
    spark.sql(
        f"CREATE TABLE {NAME} (v INT, day INT) USING parquet PARTITIONED BY (day) "
        f"LOCATION '{location}'"
    )


def test_one_name_is_read_and_written(snapshots: "SparkSession", table: TableFolder) -> None:
    create(snapshots, versioned(table))
    assert rows(snapshots) == []
    snapshots.sql(f"INSERT INTO {NAME} VALUES (1, 1), (1, 2)")
    assert rows(snapshots) == [(1, 1), (1, 2)]
    snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (2, 2), (2, 3)")
    assert rows(snapshots) == [(1, 1), (2, 2), (2, 3)]
    snapshots.sql(f"INSERT OVERWRITE {NAME} PARTITION (day = 1) VALUES (3)")
    assert rows(snapshots) == [(2, 2), (2, 3), (3, 1)]
    snapshots.sql(f"INSERT OVERWRITE {NAME} SELECT v + 10, day FROM {NAME} WHERE day = 2")
    assert rows(snapshots) == [(2, 3), (3, 1), (12, 2)]
    assert snapshots.sql(f"SHOW PARTITIONS {NAME}").count() == 3
    assert len(table.data()) > 3, "replaced files stay until vacuum"


def test_later_writes_need_no_setting(snapshots: "SparkSession", table: TableFolder) -> None:
    create(snapshots, versioned(table))
    snapshots.sql(f"INSERT INTO {NAME} VALUES (1, 1), (1, 2)")
    snapshots.conf.unset("repave.readers")
    snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (2, 2)")
    frame = snapshots.createDataFrame([(3, 2)], "v int, day int")
    frame.write.mode("append").partitionBy("day").parquet(table.url)
    assert rows(snapshots) == [(1, 1), (2, 2), (3, 2)]
    assert len(table.data()) == 4, "the replaced file stays until vacuum"
    with pytest.raises(Exception, match=r"recorded with repave\.readers=snapshot"):
        frame.write.mode("append").option("repave.readers", "listing").parquet(table.url)
    snapshots.sql(f"DROP TABLE {NAME}")
    create(snapshots, table.url)
    with pytest.raises(Exception, match=OLD_ROWS):
        snapshots.sql(f"INSERT INTO {NAME} VALUES (4, 4)")
    assert len(table.data()) == 4


def test_a_frame_writes_to_a_versioned_name(snapshots: "SparkSession", table: TableFolder) -> None:
    create(snapshots, versioned(table))
    frame = snapshots.createDataFrame([(1, 1), (1, 2)], "v int, day int")
    frame.write.insertInto(NAME)
    frame.selectExpr("v + 1", "day").where("day = 2").write.insertInto(NAME, overwrite=True)
    assert rows(snapshots) == [(1, 1), (2, 2)]


def test_a_path_with_versions_is_written(snapshots: "SparkSession", table: TableFolder) -> None:
    frame = snapshots.createDataFrame([(1, 1), (1, 2)], "v int, day int")
    frame.write.partitionBy("day").parquet(versioned(table))
    again = frame.selectExpr("v + 1 AS v", "day").where("day = 2")
    again.write.mode("overwrite").partitionBy("day").parquet(versioned(table))
    assert sorted(map(tuple, snapshots.read.parquet(versioned(table)).collect())) == [
        (1, 1),
        (2, 2),
    ]
    with pytest.raises(Exception, match="names one version, and versions never change"):
        frame.write.mode("append").partitionBy("day").parquet(f"{versioned(table)}/@v1")


def test_a_static_overwrite_by_name_replaces_everything(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    create(snapshots, versioned(table))
    snapshots.sql(f"INSERT INTO {NAME} VALUES (1, 1), (1, 2)")
    snapshots.conf.set("spark.sql.sources.partitionOverwriteMode", "static")
    snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (2, 2)")
    assert rows(snapshots) == [(2, 2)]


def test_a_name_whose_location_is_listed_is_refused(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    create(snapshots, table.url)
    with pytest.raises(Exception, match=OLD_ROWS):
        snapshots.sql(f"INSERT INTO {NAME} VALUES (1, 1)")
    with pytest.raises(Exception, match=OLD_ROWS):
        snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (1, 1)")
    assert table.data() == []
    assert not table.has_head()


def test_a_table_created_from_a_query_is_refused_or_right(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    create_as = f"CREATE TABLE {NAME} USING parquet PARTITIONED BY (day) LOCATION '{{}}' AS "
    query = "SELECT 1 AS v, id AS day FROM range(2)"
    with pytest.raises(Exception, match=OLD_ROWS):
        snapshots.sql(create_as.format(table.url) + query)
    assert table.data() == []
    with pytest.raises(Exception, match="record the partitions of one version"):
        snapshots.sql(create_as.format(versioned(table)) + query)
    assert table.data() == []
    whole = create_as.format(versioned(table)).replace("PARTITIONED BY (day) ", "")
    snapshots.sql(whole + query)
    snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (2, 1)")
    assert rows(snapshots) == [(2, 1)]


@pytest.mark.parametrize("source", ["PARQUET", "ORC"])
def test_a_hive_table_without_partitions_needs_a_first_version(
    snapshots: "SparkSession", table: TableFolder, source: str
) -> None:
    at = versioned(table)
    snapshots.sql(f"CREATE TABLE {NAME} (v INT, day INT) STORED AS {source} LOCATION '{at}'")
    with pytest.raises(Exception, match="Path does not exist"):
        snapshots.sql(f"INSERT INTO {NAME} VALUES (1, 1)")
    frame = snapshots.createDataFrame([(2, 2)], "v int, day int")
    frame.write.mode("append").format(source.lower()).save(at)
    snapshots.sql(f"INSERT INTO {NAME} VALUES (3, 3)")
    assert rows(snapshots) == [(2, 2), (3, 3)]
    snapshots.sql(f"INSERT OVERWRITE {NAME} VALUES (4, 4)")
    assert rows(snapshots) == [(4, 4)]
    table.assert_settled()
