"""A driver is killed at each kind of request of its commit; whoever comes next sets it right."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from e2e.deaths import kill_driver_at
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAD = r"/_repave/head\.json$"
LEDGER = r"/_repave/commits/[^/]*/uploads\.json\.gz$"
PLAN = r"/_repave/commits/[^/]*/manifest\.json\.gz$"
REPORT = r"/_repave/commits/[^/]*/report\.json$"


class Point(NamedTuple):
    """A request; `decided` tells whether the new rows must come after the death there."""

    name: str
    op: str
    key: str
    nth: int
    decided: bool


# In the order in which a commit of two files sends them.
POINTS = (
    Point("create", "CreateMultipartUpload", "", 2, decided=False),
    Point("part", "UploadPart", "", 1, decided=False),
    Point("ledger", "PutObject", LEDGER, 1, decided=False),
    Point("reserve", "PutObject", HEAD, 1, decided=False),
    Point("plan", "PutObject", PLAN, 1, decided=True),
    Point("first-complete", "CompleteMultipartUpload", "", 1, decided=True),
    Point("last-complete", "CompleteMultipartUpload", "", 2, decided=True),
    Point("publish", "PutObject", HEAD, 2, decided=True),
    Point("retire", "DeleteObjects", "", 1, decided=True),
    Point("report", "PutObject", REPORT, 1, decided=True),
    Point("success", "PutObject", "/_SUCCESS$", 1, decided=True),
    Point("finish", "PutObject", HEAD, 3, decided=True),
)
DEATHS = [(point, do) for point in POINTS for do in ("hang", "hang_after")]


@pytest.mark.slow
@pytest.mark.parametrize(("point", "do"), DEATHS, ids=[f"{p.name}-{do}" for p, do in DEATHS])
def test_after_a_death_at_any_request_the_rows_are_exact(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, point: Point, do: str
) -> None:
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    kill_driver_at(table, tmp_path, Fault(do, op=point.op, key=point.key, nth=point.nth))
    decided = point.decided or (point.name == "reserve" and do == "hang_after")

    no_day_is_without_rows(spark, table)
    expected = {0: "old", 1: "new", 2: "new"} if decided else {0: "old", 1: "old", 2: "old"}
    # Both ways back are tried at each point: one after each kind of death.
    if do == "hang":
        RepaveTable.for_path(spark, table.url).recover()
    else:
        writer = sales(spark, [2, 3], "newer").write.mode("overwrite").partitionBy("day")
        options = {"partitionOverwriteMode": "dynamic", "repave.lease": "1s"}
        writer.options(**options).parquet(table.url)
        expected |= {2: "newer", 3: "newer"}

    found = spark.read.parquet(table.url)
    assert notes(found) == expected
    assert found.count() == 2 * len(expected)
    if not decided:
        RepaveTable.for_path(spark, table.url).vacuum(retention=timedelta(0))
        assert notes(spark.read.parquet(table.url)) == expected
    table.assert_settled()


def no_day_is_without_rows(spark: "SparkSession", table: TableFolder) -> None:
    """Each day has all its old rows or all its new ones; while a commit is unfinished, both."""
    seen = spark.read.parquet(table.url).groupBy("day", "note").count().collect()
    assert {row.day for row in seen} == {0, 1, 2}
    assert {row["count"] for row in seen} == {2}
