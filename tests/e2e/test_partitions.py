"""Partition columns of every type, and the folders that odd values make."""

import datetime as dt
import decimal
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest

from e2e.frames import rows
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

ODD = (
    "plain",
    "with space",
    "a/b",
    "50%",
    "a=b",
    "12:30",
    "#hash",
    "que?ry",
    "star*",
    'quo"te',
    "back\\slash",
    "br{ace}",
    "br[acket]",
    "é ü 漢",
    "tab\tstop",
    "new\nline",
    "plus+plus",
    "per%41cent",
    "tilde~'",
    "..",
)
DEFAULT = "__HIVE_DEFAULT_PARTITION__"


def test_odd_values_survive_an_overwrite(spark: "SparkSession", table: TableFolder) -> None:
    for version in ("old", "new"):
        content = [(version, value) for value in (*ODD, None, "")]
        frame = spark.createDataFrame(content, "v string, p string").coalesce(1)
        writer = frame.write.mode("overwrite").partitionBy("p")
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    read = spark.read.schema("v string, p string").parquet(table.url)
    # Stock Spark, too, writes null and '' into the same folder.
    expected = sorted([("new", value) for value in (*ODD, None, None)], key=repr)
    assert rows(read) == expected
    assert len(table.partitions()) == len(ODD) + 1
    assert f"p={DEFAULT}" in table.partitions()
    table.assert_settled()


def test_every_type_of_partition_column(spark: "SparkSession", table: TableFolder) -> None:
    row = (
        1,
        True,
        7,
        2**40,
        1.5,
        decimal.Decimal("12.30"),
        dt.date(2026, 11, 21),
        dt.datetime(2026, 11, 21, 3, 4, 5, 678000),  # noqa: DTZ001 - Spark's are naive
        "s",
    )
    types = "v int, b boolean, i int, l bigint, d double, m decimal(10,2), t date, ts timestamp,"
    schema = f"{types} s string"
    names = [part.split()[0] for part in schema.replace("(10,2)", "").split(",")]
    frame = spark.createDataFrame([row, (2, *[None] * 8)], schema).coalesce(1)
    for start in range(1, 9, 3):
        columns = names[start : start + 3]
        folder = f"{table.url}/by-{'-'.join(columns)}"
        for _ in range(2):
            writer = frame.write.mode("overwrite").partitionBy(*columns)
            writer.option("partitionOverwriteMode", "dynamic").parquet(folder)
        found = spark.read.schema(schema).parquet(folder).select(*names)
        assert rows(found) == rows(frame)
    assert table.open_uploads() == []


@pytest.fixture
def berlin(spark: "SparkSession") -> Iterator[None]:
    """A session in a zone whose clocks go back."""
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", zone)
    spark.conf.unset("spark.sql.maxConcurrentOutputFileWriters")
    spark.sql("DROP TABLE IF EXISTS hours")


# One file is open at a time, or those of several partition values.
@pytest.mark.parametrize("open_files", [0, 10])
@pytest.mark.parametrize("buckets", [0, 2])
def test_two_values_with_one_folder_keep_the_rows_of_both(
    spark: "SparkSession",
    table: TableFolder,
    dynamic: None,
    berlin: None,
    open_files: int,
    buckets: int,
) -> None:
    spark.conf.set("spark.sql.maxConcurrentOutputFileWriters", open_files)
    hours = [(hour, 7, f"2026-10-25 0{hour}:00:00Z") for hour in (0, 1)]
    frame = spark.createDataFrame(hours, "id int, bucket int, text string").coalesce(1)
    frame = frame.selectExpr("id", "bucket", "CAST(text AS timestamp) AS hour")
    writer = frame.write.partitionBy("hour").option("path", table.url)
    writer = writer.bucketBy(buckets, "bucket") if buckets else writer
    overwrite = partial(frame.write.insertInto, "hours", overwrite=True)
    for write in (partial(writer.saveAsTable, "hours"), overwrite, overwrite):
        write()
        assert table.partitions() == {"hour=2026-10-25 02%3A00%3A00": 2}
        read = spark.table("hours").where("bucket = 7")
        assert rows(read.select("id")) == [(0,), (1,)]
        assert rows(read.groupBy("bucket").count()) == [(7, 2)]
    table.assert_settled()


def test_three_columns_replace_only_the_leaves_that_are_written(
    spark: "SparkSession", table: TableFolder
) -> None:
    old = [(a, b, c, "old") for a in (1, 2) for b in ("x", "y") for c in (True, False)]
    new = [(1, "x", True, "new"), (2, "y", False, "new"), (3, "z", True, "new")]
    for content in (old, new):
        frame = spark.createDataFrame(content, "a int, b string, c boolean, v string")
        writer = frame.coalesce(1).write.mode("overwrite").partitionBy("a", "b", "c")
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    replaced = {row[:3] for row in new}
    expected = sorted([row for row in old if row[:3] not in replaced] + new, key=repr)
    read = spark.read.schema("a int, b string, c boolean, v string").parquet(table.url)
    assert rows(read.select("a", "b", "c", "v")) == expected
    table.assert_settled()


def test_neighbours_with_a_common_prefix_are_left_alone(
    spark: "SparkSession", table: TableFolder
) -> None:
    for content in ([("old", 1), ("old", 10), ("old", 100)], [("new", 1)]):
        frame = spark.createDataFrame(content, "v string, p int").coalesce(1)
        writer = frame.write.mode("overwrite").partitionBy("p")
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)
    assert rows(spark.read.parquet(table.url)) == [("new", 1), ("old", 10), ("old", 100)]
    table.assert_settled()
