"""Guards of a delivery: a job that does what it must not do fails, and changes nothing."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from e2e.test_failures import REFUSED_PART
from repave import CommitFailedError, RepaveTable, UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.oldest

READERS = ("listing", "snapshot")


def save(frame: "DataFrame", table: TableFolder, **options: str) -> None:
    """Overwrite the days of the frame; an option's name has `_` for `.`."""
    given = {f"repave.{name.replace('_', '.')}": value for name, value in options.items()}
    writer = frame.write.mode("overwrite").partitionBy("day").options(**given)
    with repave.typed_errors():
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)


@pytest.fixture(params=READERS)
def readers(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def refused(
    table: TableFolder, spark: "SparkSession", write: Callable[[], None], *texts: str
) -> None:
    """Expect that a write fails with these texts, and leaves the table as it was."""
    before = RepaveTable.for_path(spark, table.url).files()
    with pytest.raises(CommitFailedError) as caught:
        write()
    for text in texts:
        assert text in str(caught.value)
    assert RepaveTable.for_path(spark, table.url).files() == before
    table.await_no_uploads()
    table.assert_settled()


def test_late_rows_of_another_day_fail_the_job_until_it_is_allowed_once(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    save(sales(spark, [1, 2], "old", per_day=50), table, readers=readers)
    late = sales(spark, [2], "new", per_day=50).union(sales(spark, [1], "late", per_day=3))
    refused(
        table,
        spark,
        lambda: save(late, table, readers=readers, only="day=2"),
        "day=1 (3 rows written)",
        "It names day=2.",
        '.option("repave.only", "")',
    )
    spark.conf.set("repave.only", "day=2")
    try:
        refused(table, spark, lambda: save(late, table, readers=readers), "day=1 (3 rows")
        save(late, table, readers=readers, only="")
    finally:
        spark.conf.unset("repave.only")
    assert RepaveTable.for_path(spark, table.url).to_df().count() == 53


@pytest.mark.parametrize("mode", ["error", "ignore"])
def test_a_first_write_that_failed_can_be_run_again(
    spark: "SparkSession", table: TableFolder, mode: str
) -> None:
    """Spark refuses, or with `ignore` silently skips, a write to a folder that holds anything."""
    writer = sales(spark, [1], "new").write.mode(mode).partitionBy("day")
    with pytest.raises(CommitFailedError, match="It names day=7"), repave.typed_errors():
        writer.option("repave.only", "day=7").parquet(table.url)
    assert table.listing() == []
    writer.option("repave.only", "").parquet(table.url)
    assert spark.read.parquet(table.url).count() == 2


def test_a_delivery_with_too_few_rows_fails_until_it_is_allowed_once(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    save(sales(spark, [1, 2], "old", per_day=50), table, readers=readers)
    few = sales(spark, [2], "new", per_day=24)
    refused(
        table,
        spark,
        lambda: save(few, table, readers=readers, shrink="0.5"),
        "day=2 (50 rows before, 24 after)",
        '.option("repave.shrink", "0")',
    )
    save(sales(spark, [2, 3], "new", per_day=25), table, readers=readers, shrink="0.5")
    save(few, table, readers=readers, shrink="0")
    assert RepaveTable.for_path(spark, table.url).to_df().count() == 50 + 24 + 25


def test_an_empty_delivery_does_not_empty_the_table(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    save(sales(spark, [1, 2], "old", per_day=5), table, readers=readers)
    nothing = sales(spark, [1], "new").where("id < 0")

    def overwrite() -> None:
        writer = nothing.write.mode("overwrite").partitionBy("day")
        with repave.typed_errors():
            writer.options(**{"repave.readers": readers, "repave.shrink": "0.01"}).parquet(
                table.url
            )

    refused(table, spark, overwrite, "day=1 (5 rows before, 0 after)", "day=2 (5 rows before, 0")


def test_rows_that_stock_spark_wrote_are_counted_from_the_footers(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = sales(spark, [1, 2], "stock", per_day=40)
    frame.write.partitionBy("day").option("repave.enabled", "false").parquet(table.url)
    table.lake.proxy.reset()
    with pytest.raises(CommitFailedError, match=r"day=1 \(40 rows before, 19 after\)"):
        save(sales(spark, [1], "new", per_day=19), table, shrink="0.5")
    ranges = [one for one in table.journal() if one.op == "GetObject" and "/day=" in one.key]
    assert len(ranges) == 1
    save(sales(spark, [1], "new", per_day=20), table, shrink="0.5")
    assert spark.read.parquet(table.url).count() == 60


def test_rows_of_a_format_without_counts_are_not_guessed(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "old").write.partitionBy("day").json(table.url)
    with pytest.raises(CommitFailedError, match="it is not known how many rows"):
        save(sales(spark, [1], "new"), table, shrink="0.5")
    assert spark.read.json(table.url).count() == 2
    table.await_no_uploads()


def test_tasks_that_are_tried_again_count_once(spark: "SparkSession", table: TableFolder) -> None:
    save(sales(spark, [1], "old", per_day=40), table)
    with pytest.raises(CommitFailedError, match=r"day=1 \(40 rows before, 39 after\)"):
        save_again(sales(spark, [1], "new", per_day=39), table, shrink="1")
    save_again(sales(spark, [1], "new", per_day=40), table, shrink="1", only="day=1")
    assert spark.read.parquet(table.url).count() == 40


def save_again(frame: "DataFrame", table: TableFolder, **options: str) -> None:
    """Save by a task that fails after it has written its rows, and is tried again."""
    table.lake.proxy.reset()
    table.lake.proxy.set_faults([REFUSED_PART])
    try:
        save(frame, table, **options)
    finally:
        assert table.counts()["CreateMultipartUpload"] == 2


def test_names_are_those_of_sparks_folders(spark: "SparkSession", table: TableFolder) -> None:
    values = ["a b", "2026-11-20 03:00:00", "50%", "a/b", "x=y", "a,b", "[é]"]
    frame = spark.createDataFrame(
        [(n, value) for n, value in enumerate(values)], "id int, p string"
    )

    def append(only: str) -> None:
        writer = frame.write.mode("append").partitionBy("p").option("repave.only", only)
        with repave.typed_errors():
            writer.parquet(table.url)

    plain = [value.replace("%", "%25").replace("/", "%2F").replace(",", "%2C") for value in values]
    append(",".join(f"p={value}" for value in plain))
    append(",".join(name.replace(",", "%2C") for name in table.partitions()))
    with pytest.raises(CommitFailedError, match=r"p=%5Bé%5D \(1 rows written\)"):
        append(",".join(f"p={value}" for value in plain[:-1]))


@pytest.mark.parametrize(
    ("option", "value"),
    [("only", "2026-11-20"), ("only", "day="), ("only", ","), ("shrink", "50%"), ("shrink", "2")],
)
def test_a_malformed_guard_fails_before_any_task(
    spark: "SparkSession", table: TableFolder, option: str, value: str
) -> None:
    with pytest.raises(UsageError, match=f"repave.{option} is '"):
        save(sales(spark, [1], "new"), table, **{option: value})
    assert table.counts()["CreateMultipartUpload"] == 0


def test_a_write_without_guards_sends_the_same_requests(
    spark: "SparkSession", table: TableFolder
) -> None:
    save(sales(spark, [1], "old"), table)
    counts = []
    for options in ({}, {"only": "day=1", "shrink": "0"}, {"shrink": "0.5"}):
        table.lake.proxy.reset()
        save(sales(spark, [1], "new"), table, **options)
        counts.append(table.counts())
    free, named, shrunk = counts
    assert named == free + Counter({"GetObject": 1})
    assert shrunk == free + Counter({"GetObject": 2, "ListObjectsV2": 1})
