"""The metastore's table that follows is marked: two metastores may have one of the same name."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from e2e.sessions import snapshot_tables
from repave import RepaveTable, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest
NAME = "marked"
PLAIN = "plainly_marked"


@pytest.fixture
def snapshots(spark: "SparkSession") -> Iterator["SparkSession"]:
    """Yield the session, in which new tables are snapshot tables."""
    with snapshot_tables(spark, NAME, PLAIN):
        yield spark


def write(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    sales(spark, days, note).write.mode("overwrite").partitionBy("day").parquet(table.url)


def mark(spark: "SparkSession", name: str) -> str:
    properties = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {name}").collect()}
    return str(properties.get("repave.follower", ""))


def behind(table: RepaveTable) -> int:
    return table.status().followers[0].behind


# As a table of the same name in another metastore is, and one that followed before there were
# marks.
@pytest.mark.parametrize(
    "change",
    ["UNSET TBLPROPERTIES ('repave.follower')", "SET TBLPROPERTIES ('repave.follower'='x')"],
)
def test_a_table_of_another_metastore_is_not_moved(
    snapshots: "SparkSession", table: TableFolder, change: str
) -> None:
    write(snapshots, table, [1, 2], "first")
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    first = mark(snapshots, NAME)
    assert first
    snapshots.sql(f"ALTER TABLE {NAME} {change}")
    other = mark(snapshots, NAME)

    write(snapshots, table, [1], "second")
    assert behind(opened) == 1
    for call in (opened.sync, lambda: opened.follow(f"default.{NAME}")):
        with pytest.raises(UsageError, match=f"the one that follows has {first}"):
            call()
    assert notes(snapshots.table(NAME)) == {1: "first", 2: "first"}
    assert mark(snapshots, NAME) == other

    opened.follow(f"default.{NAME}", rebuild=True)
    assert behind(opened) == 0
    assert mark(snapshots, NAME) not in {"", first, "x"}
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "first"}
    write(snapshots, table, [1], "third")
    assert notes(snapshots.table(NAME)) == {1: "third", 2: "first"}


def test_a_mark_of_an_earlier_follower_does_not_hinder_the_next(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    snapshots.sql(
        f"CREATE TABLE {NAME} (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{table.url}' TBLPROPERTIES ('team' = 'me')"
    )
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{NAME}")
    first = mark(snapshots, NAME)
    opened.unfollow("metastore")
    opened.follow(f"default.{NAME}")
    assert mark(snapshots, NAME) not in {"", first}
    (team,) = snapshots.sql(f"SHOW TBLPROPERTIES {NAME} ('team')").collect()
    assert team.value == "me"
    write(snapshots, table, [1], "second")
    assert notes(snapshots.table(NAME)) == {1: "second", 2: "first"}


def test_a_managed_table_is_refused_before_anything_follows(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    write(snapshots, table, [1, 2], "first")
    state = snapshots._jsparkSession.sessionState()
    snapshots.sql(
        f"CREATE TABLE {NAME} (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    identifier = state.sqlParser().parseTableIdentifier(f"default.{NAME}")
    found = state.catalog().getTableMetadata(identifier)
    jvm = snapshots._jvm
    assert jvm
    types = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType
    products = jvm.io.repave.spark.bridge.ProductCopy
    kind = types.MANAGED()
    state.catalog().alterTable(getattr(products, "with")(found, kind.getClass(), kind))
    opened = RepaveTable.for_path(snapshots, table.url)
    for rebuild in (False, True):
        with pytest.raises(UsageError, match="is a managed table: DROP TABLE"):
            opened.follow(f"default.{NAME}", rebuild=rebuild)
    assert opened.status().followers == ()


def test_a_table_without_partitions_is_marked_and_moved(
    snapshots: "SparkSession", table: TableFolder
) -> None:
    snapshots.range(3).write.mode("overwrite").parquet(table.url)
    opened = RepaveTable.for_path(snapshots, table.url)
    opened.follow(f"default.{PLAIN}")
    assert mark(snapshots, PLAIN)
    snapshots.range(5).write.mode("overwrite").parquet(table.url)
    assert snapshots.table(PLAIN).count() == 5
    snapshots.sql(f"ALTER TABLE {PLAIN} UNSET TBLPROPERTIES ('repave.follower')")
    snapshots.range(7).write.mode("overwrite").parquet(table.url)
    assert snapshots.table(PLAIN).count() == 5
    opened.follow(f"default.{PLAIN}", rebuild=True)
    assert snapshots.table(PLAIN).count() == 7
