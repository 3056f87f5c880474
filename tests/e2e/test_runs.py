"""A task of five statements is killed in each of them, and started again with its run id."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from e2e.deaths import head_of, kill_at
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.nightly import STATEMENTS, expected_sales, expected_totals, finished
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PER_DAY = 3
SWAPS = 3  # a commit writes the head to reserve, to publish and to finish
SECONDS = 300


class Point(NamedTuple):
    """A write of the head, and the commit's state in the head after the death there."""

    name: str
    do: str
    swap: int
    state: str


POINTS = (
    Point("before-reserve", "hang", 1, ""),
    Point("reserved", "hang_after", 1, "pending"),
    Point("published", "hang_after", 2, "cleaning"),
)
MIDDLE = (3, POINTS[1])
DEATHS = [
    (statement, point)
    for statement in range(1, STATEMENTS + 1)
    for point in POINTS
    if (statement, point) != MIDDLE
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "point"), DEATHS, ids=[f"{number}-{point.name}" for number, point in DEATHS]
)
def test_a_retried_task_applies_each_statement_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, statement: int, point: Point
) -> None:
    kill_and_retry(spark, table, tmp_path, (statement, point))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "point"), DEATHS, ids=[f"{number}-{point.name}" for number, point in DEATHS]
)
def test_a_retried_task_of_statements_with_tokens_in_blocks_applies_each_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, statement: int, point: Point
) -> None:
    kill_and_retry(spark, table, tmp_path, (statement, point), named=True)


@pytest.mark.oldest
def test_a_task_retried_after_a_death_in_its_third_statement_applies_each_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    kill_and_retry(spark, table, tmp_path, MIDDLE)


@pytest.mark.slow
def test_a_task_with_tokens_in_blocks_retried_after_a_death_applies_each_statement_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    kill_and_retry(spark, table, tmp_path, MIDDLE, named=True)


def kill_and_retry(
    spark: "SparkSession",
    sales: TableFolder,
    folder: Path,
    death: tuple[int, Point],
    *,
    named: bool = False,
) -> None:
    statement, point = death
    totals = sales.lake.table(f"{sales.name}-totals")
    struck = sales if statement < STATEMENTS else totals
    work = {
        "endpoint": sales.lake.proxy.endpoint,
        "sales": sales.url,
        "totals": totals.url,
        "run": "nightly 2026-11-22",
        "per_day": PER_DAY,
        "named": named,
        "conf": {"spark.hadoop.repave.heartbeat": "500ms"},  # a dead commit is known in two seconds
    }
    nth = point.swap if struck is totals else SWAPS * (statement - 1) + point.swap
    fault = Fault(point.do, op="PutObject", key=head_of(struck), nth=nth)
    kill_at(struck, folder, work, fault, "e2e.nightly")
    assert finished((folder / "driver.log").read_text()) == statement - 1
    states = [one["state"] for one in struck.head()["active"]] if struck.has_head() else []
    assert states == ([point.state] if point.state else [])

    with driver(folder, work, "e2e.nightly") as child:
        code = child.wait(SECONDS)
    assert code == 0, (folder / "driver.log").read_text()[-4000:]
    assert rows(spark, sales) == expected_sales(STATEMENTS, PER_DAY)
    assert rows(spark, totals) == expected_totals(STATEMENTS, PER_DAY)
    # The run numbers the writes of each table, the blocks all statements.
    for table, numbers in ((sales, [1, 2, 3, 4]), (totals, [STATEMENTS if named else 1])):
        tokens = [commit["token"] for commit in table.head()["log"]]
        assert tokens == [f"{work['run']}/{n}" for n in numbers]


def rows(spark: "SparkSession", table: TableFolder) -> Counter[tuple[object, ...]]:
    """Return the rows as a plain listing shows them, and how often each is there."""
    frame = spark.read.parquet(table.url).select("id", "note", "day")
    return Counter(tuple(row) for row in frame.collect())
