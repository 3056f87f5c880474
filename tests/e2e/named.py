"""A table with a name in the catalog, and a view of two rows to insert into it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from e2e.frames import sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def named_table(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    """Create the table and the view `loaded`; drop both when the block ends."""
    name = f"options_{abs(hash(table.name))}"
    create(spark, name, table)
    sales(spark, [1], "old").createOrReplaceTempView("loaded")
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.catalog.dropTempView("loaded")


def create(spark: "SparkSession", name: str, table: TableFolder) -> None:
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{table.url}'"
    )


def tokens(table: TableFolder) -> list[str]:
    return [commit["token"] for commit in table.head()["log"]] if table.has_head() else []


def insert(spark: "SparkSession", name: str) -> None:
    spark.sql(f"INSERT INTO {name} SELECT * FROM loaded")
