"""A static overwrite by name ends while another write to the same table runs."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import udf

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

NAME = "default.raced"
FOLLOWING = "default.raced_by_locations"
ADDED = "VALUES (200L, 'added', 2) AS added (id, note, day)"
SECONDS = 60


def wait_for(file: Path) -> None:
    end = time.monotonic() + SECONDS
    while not file.exists():
        assert time.monotonic() < end, f"{file} did not appear"
        time.sleep(0.05)


@pytest.fixture(params=["s3a", "repave", "followed"])
def place(
    request: pytest.FixtureRequest, spark: "SparkSession", table: TableFolder
) -> Iterator[str]:
    """A table of two days in the catalog; through `repave` it is a snapshot table.

    As `followed` it has another name too, which follows by its locations.
    """
    scheme = "s3a" if request.param == "s3a" else "repave"
    kind = "listing" if scheme == "s3a" else "snapshot"
    writer = sales(spark, [1, 2], "old").write.option("repave.readers", kind)
    writer.partitionBy("day").parquet(table.url)
    place = table.url.replace("s3a://", f"{scheme}://")
    opened = RepaveTable.for_path(spark, table.url)
    if request.param == "followed":
        opened.follow(FOLLOWING)
    if scheme == "repave":
        opened.register(NAME)
    else:
        spark.sql(
            f"CREATE TABLE {NAME} (id BIGINT, note STRING, day INT) USING parquet"
            f" PARTITIONED BY (day) LOCATION '{place}'"
        )
        spark.sql(f"MSCK REPAIR TABLE {NAME}")
    yield place
    spark.sql(f"DROP TABLE {NAME}")
    spark.sql(f"DROP TABLE IF EXISTS {FOLLOWING}")


def test_rows_of_a_write_that_outlasts_an_overwrite_are_shown_by_name(
    spark: "SparkSession", place: str, tmp_path: Path
) -> None:
    begun, over = tmp_path / "begun", tmp_path / "over"

    def held(note: str) -> str:
        begun.touch()
        end = time.monotonic() + SECONDS
        while not over.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return note

    spark.udf.register("held", udf(held, useArrow=False))
    with ThreadPoolExecutor(1) as thread:
        adding = thread.submit(
            spark.sql, f"INSERT INTO {NAME} SELECT id, held(note), day FROM {ADDED}"
        )
        try:
            wait_for(begun)
            spark.sql(f"INSERT OVERWRITE TABLE {NAME} SELECT 100L, 'new', 1")
            assert notes(spark.table(NAME)) == {1: "new"}
        finally:
            over.touch()
        adding.result(120)
    assert notes(spark.read.parquet(place)) == {1: "new", 2: "added"}
    assert notes(spark.table(NAME)) == {1: "new", 2: "added"}
