"""What tasks tell the driver when it is too large for a message: it waits in the store."""

from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import udf

from e2e.frames import notes, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

# No ledger fits into one byte.
SPILL = {"repave.message.size": "1", "partitionOverwriteMode": "dynamic"}


def stored_ledgers(table: TableFolder, operation: str) -> set[str]:
    """Return the names of the ledgers that such requests were about."""
    return {
        name
        for entry in table.journal()
        if entry.op == operation
        for key in entry.keys or [entry.key]
        if (name := key.rpartition("/")[2]).startswith("task-")
    }


def left_over(table: TableFolder) -> list[str]:
    return [key for key in table.listing() if "/task-" in key]


def test_a_ledger_too_large_for_its_message_waits_in_the_store(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    frame = sales(spark, range(1, 7), "new").repartition(3, "id")
    frame.write.mode("overwrite").options(**SPILL).partitionBy("day").parquet(table.url)
    assert len(stored_ledgers(table, "PutObject")) == 3
    assert stored_ledgers(table, "GetObject") == stored_ledgers(table, "PutObject")
    found = spark.read.parquet(table.url)
    assert notes(found) == {0: "old", **dict.fromkeys(range(1, 7), "new")}
    assert found.count() == 14
    assert left_over(table) == []
    table.assert_settled()


def test_a_failed_job_takes_its_stored_ledgers_back(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [0], "old").write.partitionBy("day").parquet(table.url)

    def second_fails(note: str) -> str:
        import time  # noqa: PLC0415 - runs in a Python worker

        from pyspark import TaskContext  # noqa: PLC0415

        context = TaskContext.get()
        if context is not None and context.partitionId() == 1:
            time.sleep(0.5)
            message = "this task fails"
            raise ValueError(message)
        return note

    frame = spark.range(8, numPartitions=2).selectExpr("id", "'new' note", "cast(id as int) day")
    frame = frame.select("id", udf(second_fails, useArrow=False)("note").alias("note"), "day")
    with pytest.raises(Exception, match="this task fails"):
        frame.write.mode("append").options(**SPILL).partitionBy("day").parquet(table.url)
    assert len(stored_ledgers(table, "PutObject")) == 1
    assert left_over(table) == []
    assert notes(spark.read.parquet(table.url)) == {0: "old"}
    table.await_no_uploads()
    table.assert_settled()
