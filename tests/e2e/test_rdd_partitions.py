"""`MultipleTextOutputFormat` into `dt=…/`, saved by Spark itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from e2e.rdds import TEXT, rdd_saves
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

TASKS = 3
BATCH = ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")


def save(spark: "SparkSession", url: str, days: list[int], note: str) -> None:
    """Save a line for each day from each task."""
    content = [(str(day), f"{note}-{task}") for task in range(TASKS) for day in days]
    rdd = spark.sparkContext.parallelize(content, TASKS)
    rdd.saveAsHadoopFile(url, "ByDay", TEXT, TEXT)


def lines(spark: "SparkSession", url: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for row in sorted(spark.read.text(url).collect(), key=lambda row: str(row.value)):
        found.setdefault(row.dt, []).append(row.value)
    return found


def of(*saves: str) -> list[str]:
    return sorted(f"{note}-{task}" for note in saves for task in range(TASKS))


@contextmanager
def into_existing_folders(spark: "SparkSession") -> Iterator[None]:
    """Switch off that Hadoop refuses a folder that exists."""
    conf = spark.sparkContext._jsc.sc().conf()
    conf.set("spark.hadoop.validateOutputSpecs", "false")
    yield
    conf.remove("spark.hadoop.validateOutputSpecs")


def test_named_outputs_go_into_their_partitions_and_append(
    spark: "SparkSession", table: TableFolder
) -> None:
    with rdd_saves(spark):
        save(spark, table.url, [1, 2], "first")
        assert lines(spark, table.url) == {1: of("first"), 2: of("first")}
        assert table.partitions() == {"dt=1": TASKS, "dt=2": TASKS}
        counts = table.counts()
        assert {op: counts[op] for op in BATCH} == dict.fromkeys(BATCH, 2 * TASKS)
        assert sum(counts[op] for op in ("PutObject", "DeleteObject", "DeleteObjects")) <= 12

        with pytest.raises(Exception, match="already exists"):
            save(spark, table.url, [2, 3], "refused")
        with into_existing_folders(spark):
            save(spark, table.url, [2, 3], "second")
    assert lines(spark, table.url) == {
        1: of("first"),
        2: of("first", "second"),
        3: of("second"),
    }
    newest, oldest = RepaveTable.for_path(spark, table.url).history()
    assert [(one.kind, one.files_in) for one in (newest, oldest)] == [("append", 2 * TASKS)] * 2
    table.assert_settled()
