"""Tables by name in `foreachBatch`: Spark runs the command around the write inside the batch."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from e2e.sessions import HIDES_OPTIONS, snapshot_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME = "of_batches"
SECONDS = 300


@pytest.fixture
def batch(
    spark: "SparkSession", tmp_path: Path
) -> Iterator[Callable[[Callable[["DataFrame"], None]], None]]:
    """Yield a function that runs another one in the only batch of a stream."""
    source, log = f"file://{tmp_path}/source", f"file://{tmp_path}/log"
    sales(spark, [1], "new").write.parquet(source)

    def run(put: Callable[["DataFrame"], None]) -> None:
        stream = spark.readStream.schema("id long, note string, day int").parquet(source)
        writer = stream.writeStream.foreachBatch(lambda frame, _: put(frame))
        query = writer.option("checkpointLocation", log).trigger(availableNow=True).start()
        assert query.awaitTermination(SECONDS)

    yield run
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


@pytest.mark.skipif(HIDES_OPTIONS, reason="this Spark shows no options of saveAsTable")
def test_save_as_table_in_a_batch_has_the_token_of_its_writer(
    spark: "SparkSession",
    table: TableFolder,
    batch: Callable[[Callable[["DataFrame"], None]], None],
) -> None:
    columns = "id long, note string, day int"
    spark.sql(
        f"CREATE TABLE {NAME} ({columns}) USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    refused: list[str] = []

    def put(frame: "DataFrame") -> None:
        # A frame in another order of columns: Spark puts a projection around it.
        for part in (frame, frame.select("note", "day", "id")):
            for _ in range(2):
                writer = part.write.mode("append").partitionBy("day")
                try:
                    writer.option("repave.token", f"batch-{len(part.columns[0])}").saveAsTable(NAME)
                except Exception as error:  # noqa: BLE001 - whatever the write raises
                    refused.append(str(error))

    batch(put)
    assert [commit["token"] for commit in table.head()["log"]] == ["batch-2", "batch-4"]
    assert spark.table(NAME).count() == 4
    assert len(refused) == 2
    assert all("was made by this application" in each for each in refused)


def test_a_repeated_batch_finds_the_table_that_its_first_execution_created(
    spark: "SparkSession",
    table: TableFolder,
    batch: Callable[[Callable[["DataFrame"], None]], None],
) -> None:
    executions: list[int] = []

    def put(frame: "DataFrame") -> None:
        with repave.write_options(spark, token="orders-0"):
            writer = frame.write.mode("append").partitionBy("day").option("path", table.url)
            writer.saveAsTable(NAME)
        executions.append(len(table.head()["log"]))
        if len(executions) == 1:
            message = "dies before its batch is recorded"
            raise RuntimeError(message)

    with pytest.raises(Exception, match="dies before its batch is recorded"):
        batch(put)
    batch(put)
    assert executions == [1, 1]
    assert spark.table(NAME).count() == 2
    table.assert_settled()


def test_a_listed_snapshot_table_cannot_be_created_in_a_batch(
    spark: "SparkSession",
    table: TableFolder,
    batch: Callable[[Callable[["DataFrame"], None]], None],
) -> None:
    refused: list[str] = []

    def put(frame: "DataFrame") -> None:
        frame.createOrReplaceTempView("rows_of_batch")
        create = f"CREATE TABLE {NAME} USING parquet LOCATION '{table.url}' AS "
        for query in (
            "SELECT * FROM rows_of_batch",
            "SELECT note, count(*) AS n FROM rows_of_batch",
        ):
            try:
                frame.sparkSession.sql(create + query + " GROUP BY note" * ("count" in query))
            except Exception as error:  # noqa: BLE001 - whatever the write raises
                refused.append(str(error))

    with snapshot_tables(spark):
        batch(put)
    assert len(refused) == 2
    assert all("would return old and new rows" in each for each in refused)
    assert not table.has_head()
