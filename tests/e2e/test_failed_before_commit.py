"""A write that fails in a stage with a shuffle, before Spark calls the commit protocol."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

import repave
from e2e.frames import rows, sales
from e2e.lake import TableFolder
from e2e.named import named_table
from e2e.sessions import line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

APPEND: dict[str, Any] = {"mode": "append", "partitionBy": "day"}
OTHER_WRITE = "has failed in the run night 5 .*, and this one is not the same write"
LOST = r"does not exist|FileNotFound"


@pytest.fixture
def run(spark: "SparkSession") -> Iterator[str]:
    spark.conf.set("repave.run", "night 5")
    yield "night 5"
    spark.conf.unset("repave.run")


@contextmanager
def missing(folder: Path) -> Iterator[None]:
    """Hide the rows of a folder from tasks that read it."""
    hidden = folder.with_name("hidden")
    folder.rename(hidden)
    try:
        yield
    finally:
        hidden.rename(folder)


@pytest.fixture
def stage(spark: "SparkSession", tmp_path: Path) -> Path:
    folder = tmp_path / "stage"
    sales(spark, [1], "a").write.parquet(f"file://{folder}")
    return folder


def shuffled(spark: "SparkSession", stage: Path) -> "DataFrame":
    """Return a query on the stage's files whose write has a stage before its own."""
    return spark.read.parquet(f"file://{stage}").repartition(2, "id")


def by_path(frame: "DataFrame", table: TableFolder, _: str) -> None:
    frame.write.parquet(table.url, **APPEND)


def by_name(frame: "DataFrame", _: TableFolder, name: str) -> None:
    frame.write.insertInto(name)


def by_sql(frame: "DataFrame", _: TableFolder, name: str) -> None:
    frame.createOrReplaceTempView("loaded")
    frame.sparkSession.sql(f"INSERT OVERWRITE {name} SELECT * FROM loaded")


def as_table(frame: "DataFrame", _: TableFolder, name: str) -> None:
    frame.write.mode("append").partitionBy("day").saveAsTable(name)


def by_with(frame: "DataFrame", _: TableFolder, name: str) -> None:
    """Write by a query whose parts Spark numbers each time that it parses it."""
    frame.createOrReplaceTempView("loaded")
    frame.sparkSession.sql(
        f"WITH part AS (SELECT * FROM loaded) INSERT INTO {name}"
        " SELECT a.* FROM part a JOIN part b USING (id)"
    )


WRITES = {
    "path": by_path,
    "name": by_name,
    "sql": by_sql,
    "save-as-table": as_table,
}
if line(pyspark.__version__) not in ("3.5", "4.0"):
    WRITES["with"] = by_with


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_other_write_of_a_run_follows_one_that_failed_in_a_shuffle(
    spark: "SparkSession",
    table: TableFolder,
    run: str,
    stage: Path,
    write: Callable[["DataFrame", TableFolder, str], None],
) -> None:
    other = sales(spark, [2], "b")
    with named_table(spark, table) as name:
        first = shuffled(spark, stage)
        with missing(stage), pytest.raises(Exception, match=LOST):
            write(first, table, name)
        assert table.data() == []
        with pytest.raises(Exception, match=OTHER_WRITE):
            other.write.parquet(table.url, **APPEND)
        write(first, table, name)
        other.write.parquet(table.url, **APPEND)
    assert rows(spark.read.parquet(table.url).select("id")) == [(100,), (101,), (200,), (201,)]
    assert [commit["token"] for commit in table.head()["log"]] == [f"{run}/1", f"{run}/2"]
    table.assert_settled()


@pytest.mark.skipif(
    line(pyspark.__version__) < "4.0", reason="Spark 3.5 runs each insert as a statement"
)
def test_an_insert_that_its_statement_never_began_has_failed_too(
    spark: "SparkSession", table: TableFolder, run: str, stage: Path
) -> None:
    second = table.lake.table(f"{table.name}-second")
    with named_table(spark, table) as name, named_table(spark, second) as other:
        shuffled(spark, stage).createOrReplaceTempView("loaded")
        both = f"FROM loaded INSERT INTO {name} SELECT * INSERT INTO {other} SELECT *"
        with missing(stage), pytest.raises(Exception, match=LOST):
            spark.sql(both)
        with pytest.raises(Exception, match=OTHER_WRITE):
            sales(spark, [2], "b").write.parquet(second.url, **APPEND)
        spark.sql(both)
    for one in (table, second):
        assert rows(spark.read.parquet(one.url).select("id")) == [(100,), (101,)]
        assert [commit["token"] for commit in one.head()["log"]] == [f"{run}/1"]


def test_no_other_write_follows_in_a_block_with_a_token(
    spark: "SparkSession", table: TableFolder, stage: Path
) -> None:
    with repave.write_options(spark, token="night 5"):
        first = shuffled(spark, stage)
        with missing(stage), pytest.raises(Exception, match=LOST):
            first.write.parquet(table.url, **APPEND)
        with pytest.raises(Exception, match="has failed in a block of write options"):
            sales(spark, [2], "b").write.parquet(table.url, **APPEND)
        first.write.parquet(table.url, **APPEND)
    assert rows(spark.read.parquet(table.url).select("id")) == [(100,), (101,)]
    table.assert_settled()


def test_a_write_by_another_commit_protocol_is_not_part_of_a_run(
    spark: "SparkSession", table: TableFolder, run: str
) -> None:
    key = "spark.sql.sources.commitProtocolClass"
    ours = spark.conf.get(key)
    spark.conf.set(
        key, "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
    )
    try:
        sales(spark, [1], "a").write.parquet(f"{table.url}-other", mode="append")
    finally:
        spark.conf.set(key, str(ours))
    sales(spark, [2], "b").write.parquet(f"{table.url}-other", mode="append")
    other = table.lake.table(f"{table.name}-other")
    assert [commit["token"] for commit in other.head()["log"]] == [f"{run}/1"]


def test_a_write_that_is_refused_before_its_job_begins_counts_as_failed(
    spark: "SparkSession", table: TableFolder, run: str
) -> None:
    first = sales(spark, [1], "a")
    with pytest.raises(Exception, match=r"There is no setting repave\.conflct"):
        first.write.option("repave.conflct", "fail").parquet(table.url, **APPEND)
    with pytest.raises(Exception, match=OTHER_WRITE):
        sales(spark, [2], "b").write.parquet(table.url, **APPEND)
    assert table.listing() == []


def test_what_only_plans_a_write_or_finds_its_data_there_is_no_failed_write(
    spark: "SparkSession", table: TableFolder, run: str, stage: Path
) -> None:
    with named_table(spark, table) as name:
        sales(spark, [1], "a").write.parquet(table.url, **APPEND)
        shuffled(spark, stage).createOrReplaceTempView("loaded")
        spark.sql(f"EXPLAIN INSERT INTO {name} SELECT * FROM loaded").collect()
        with pytest.raises(Exception, match=r"(?i)path.*already.exists"):
            shuffled(spark, stage).write.parquet(table.url, mode="error")
        shuffled(spark, stage).write.parquet(table.url, mode="ignore")
        sales(spark, [2], "b").write.parquet(table.url, **APPEND)
    assert [commit["token"] for commit in table.head()["log"]] == [f"{run}/1", f"{run}/2"]
    table.assert_settled()
