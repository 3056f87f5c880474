"""The locations of a followed table, as others see them during commits of many partitions."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from e2e.sessions import snapshot_tables
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "polled"
PARTITIONS = 50
OVERWRITES = 10
LOCATION = re.compile(r"Location: \S+/([^/\s]+)")


def write(spark: "SparkSession", url: str) -> None:
    frame = spark.range(PARTITIONS).selectExpr("id", "CAST(id AS INT) AS day").coalesce(1)
    frame.write.mode("overwrite").partitionBy("day").parquet(url)


def look(spark: "SparkSession") -> list[str]:
    """Return the last segment of each partition's location, by one call of the metastore."""
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    none = spark._jvm.scala.Option.empty()  # type: ignore[union-attr]
    return LOCATION.findall(catalog.listPartitions("default", NAME, none).toString())


@contextmanager
def polled(spark: "SparkSession") -> Iterator[list[list[str]]]:
    """Look again and again while the block runs; yield the looks."""
    looks: list[list[str]] = []
    ended = threading.Event()

    def poll() -> None:
        while not ended.is_set():
            looks.append(look(spark))

    poller = threading.Thread(target=poll)
    poller.start()
    try:
        yield looks
    finally:
        ended.set()
        poller.join()


@pytest.mark.slow
def test_each_look_shows_the_locations_of_one_version(
    spark: "SparkSession", table: TableFolder
) -> None:
    with snapshot_tables(spark, NAME):
        write(spark, table.url)
        RepaveTable.for_path(spark, table.url).follow(f"default.{NAME}")
        write(spark, table.url)
        with polled(spark) as looks:
            for _ in range(OVERWRITES):
                write(spark, table.url)
        looks.append(look(spark))
    assert {len(one) for one in looks} == {PARTITIONS}
    mixed = [set(one) for one in looks if len(set(one)) > 1]
    assert mixed == [], f"{len(mixed)} of {len(looks)} looks show several versions"
    versions = {one[0] for one in looks}
    assert len(versions) > OVERWRITES // 2, "the poller has hardly looked"
    assert len({key.split("/")[1] for key in table.data() if "/@" in key}) == OVERWRITES + 1
