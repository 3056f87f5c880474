"""Spark fails a statement after its commit, because the catalog refuses the new partition."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyspark
import pytest

import repave
from e2e.deaths import head_of, until
from e2e.lake import TableFolder
from e2e.named import create, tokens
from e2e.sessions import last_stages, line
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "failed_after_commit"
FIRST = f"INSERT INTO {NAME} SELECT id, 'first', 1 FROM range(3)"
SHUFFLED = f"INSERT INTO {NAME} SELECT /*+ REPARTITION(1) */ id, 'first', 1 FROM range(3)"
SECOND = f"INSERT INTO {NAME} SELECT id, 'second', 1 FROM range(3)"
SWAPS = 3  # a commit writes the head to reserve, to publish and to finish
SECONDS = 60


@pytest.fixture
def named(spark: "SparkSession", table: TableFolder) -> Iterator[TableFolder]:
    create(spark, NAME, table)
    yield table
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


@pytest.fixture(params=["run", "token"])
def write(request: pytest.FixtureRequest, spark: "SparkSession") -> Callable[[str, str], None]:
    """Run a statement in the run, or with a token of its own."""

    def write(statement: str, name: str) -> None:
        given = {"run": "night"} if request.param == "run" else {"token": f"night/{name}"}
        with repave.write_options(spark, **given):  # type: ignore[arg-type]  # two options
            spark.sql(statement)

    return write


def fail_after_commit(
    spark: "SparkSession", table: TableFolder, write: Callable[[str, str], None]
) -> None:
    """Drop the table from the catalog while the first statement ends its commit."""
    head = f"^{table.name}/_repave/head.json$"
    proxy = table.lake.proxy
    proxy.set_faults([Fault("delay_after", op="PutObject", key=head, nth=SWAPS, ms=SECONDS * 1000)])
    with ThreadPoolExecutor(1) as thread:
        failing = thread.submit(write, FIRST, "1")
        end = time.monotonic() + SECONDS
        while not (table.has_head() and table.head()["log"] and not table.head()["active"]):
            assert time.monotonic() < end
            time.sleep(0.05)
        spark.sql(f"DROP TABLE {NAME}")
        proxy.release()
        with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
            failing.result(SECONDS)
    proxy.set_faults([])
    create(spark, NAME, table)
    assert tokens(table) == ["night/1"]


def days(spark: "SparkSession") -> list[str]:
    return [row.partition for row in spark.sql(f"SHOW PARTITIONS {NAME}").collect()]


def test_a_retry_adds_no_row_and_completes_the_catalog(
    spark: "SparkSession", named: TableFolder, write: Callable[[str, str], None]
) -> None:
    fail_after_commit(spark, named, write)
    assert days(spark) == []
    write(FIRST, "1")
    assert days(spark) == ["day=1"]
    write(SECOND, "2")
    # The head's log has the newest commit first or last; both are there once.
    assert sorted(tokens(named)) == ["night/1", "night/2"]
    found = Counter(row.note for row in spark.table(NAME).collect())
    assert found == {"first": 3, "second": 3}


def test_another_write_of_the_run_is_refused(spark: "SparkSession", named: TableFolder) -> None:
    def write(statement: str, _: str) -> None:
        with repave.write_options(spark, run="night"):
            spark.sql(statement)

    fail_after_commit(spark, named, write)
    with pytest.raises(Exception, match="has failed after its commit"):
        write(SECOND, "2")
    assert tokens(named) == ["night/1"]


@pytest.mark.skipif(
    line(pyspark.__version__).startswith("3."),
    reason="Spark 3.5 writes in the thread of the statement",
)
def test_a_statement_that_is_stopped_before_its_commit_ends_can_be_repeated(
    spark: "SparkSession", named: TableFolder, write: Callable[[str, str], None]
) -> None:
    proxy = named.lake.proxy
    proxy.set_faults([Fault("delay", op="PutObject", key=head_of(named), nth=2, ms=5_000)])
    in_java = []

    def insert() -> None:
        assert spark._jvm
        in_java.append(spark._jvm.java.lang.Thread.currentThread())
        write(SHUFFLED, "1")

    with ThreadPoolExecutor(1) as thread:
        stopped = thread.submit(insert)
        proxy.wait_for_hits(seconds=SECONDS)
        in_java[0].interrupt()
        assert stopped.exception(SECONDS)
    assert last_stages(spark), "the commit ended before its statement"
    until(lambda: not last_stages(spark))
    proxy.set_faults([])
    assert tokens(named) == ["night/1"]
    write(SHUFFLED, "1")
    assert tokens(named) == ["night/1"]
    assert days(spark) == ["day=1"]
    assert spark.table(NAME).count() == 3
