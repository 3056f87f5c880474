"""What programs do with a session: threads, streams, an interrupt, a session after the session."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JError
from pyspark.sql.functions import udf

import repave
from e2e.deaths import head_of, until
from e2e.driver import driver
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.oldest

# A commit that cannot write its manifest is decided, and not finished.
DENIED = Fault("error", op="PutObject", key="manifest", status=403, code="AccessDenied")


def overwrite(frame: "DataFrame", url: str) -> None:
    writer = frame.write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(url)


def test_threads_of_one_session_write_to_one_table_and_to_others(
    spark: "SparkSession", table: TableFolder
) -> None:
    other = table.lake.table(f"{table.name}-other")
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(overwrite, sales(spark, [day], "new"), folder.url)
            for folder in (table, other)
            for day in (1, 2)
        ]
    for job in jobs:
        job.result()
    assert notes(spark.read.parquet(table.url)) == {0: "old", 1: "new", 2: "new"}
    assert notes(spark.read.parquet(other.url)) == {1: "new", 2: "new"}
    assert spark.read.parquet(table.url).count() == 6
    assert (table.head()["version"], other.head()["version"]) == (3, 2)
    for folder in (table, other):
        folder.assert_settled()


def test_a_stream_overwrites_partitions_batch_by_batch(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """`foreachBatch` with the batch's number as the token: a batch that is repeated is a no-op."""
    source, checkpoint = f"file://{tmp_path}/source", f"file://{tmp_path}/checkpoint"
    sales(spark, [0, 1], "old").write.partitionBy("day").parquet(table.url)

    tried: list[int] = []

    def put(batch: "DataFrame", number: int) -> None:
        tried.append(number)
        writer = batch.write.mode("overwrite").partitionBy("day")
        options = {"partitionOverwriteMode": "dynamic", "repave.token": f"q1-{number}"}
        writer.options(**options).parquet(table.url)
        assert tried.count(number) == 2, "lost between the write and the checkpoint"

    for days, note in (([1, 2], "first"), ([2, 3], "second")):
        sales(spark, days, note).write.mode("append").parquet(source)
        stream = spark.readStream.schema("id long, note string, day int").parquet(source)
        query = stream.writeStream.foreachBatch(put).option("checkpointLocation", checkpoint)
        with pytest.raises(Exception, match="lost between"):
            query.trigger(availableNow=True).start().awaitTermination(300)
        again = query.trigger(availableNow=True).start()
        assert again.awaitTermination(300)
        assert again.exception() is None
    assert tried == [0, 0, 1, 1]
    expected = {0: "old", 1: "first", 2: "second", 3: "second"}
    assert notes(spark.read.parquet(table.url)) == expected
    assert spark.read.parquet(table.url).count() == 8
    assert table.head()["version"] == 3
    table.assert_settled()


def test_two_writes_of_one_batch_with_one_token_are_refused(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    source = f"file://{tmp_path}/source"
    spark.range(4).write.parquet(source)

    def put(batch: "DataFrame", number: int) -> None:
        for rest in (0, 1):
            writer = batch.where(f"id % 2 = {rest}").write.mode("append")
            writer.option("repave.token", f"q1-{number}").parquet(table.url)

    stream = spark.readStream.schema("id long").parquet(source).writeStream.foreachBatch(put)
    query = stream.option("checkpointLocation", f"file://{tmp_path}/checkpoint")
    with pytest.raises(Exception, match="was made by this application"):
        query.trigger(availableNow=True).start().awaitTermination(300)
    assert table.head()["version"] == 1


def append(frame: "DataFrame", table: TableFolder) -> None:
    writer = frame.write.mode("append").partitionBy("day").option("repave.token", "t")
    writer.parquet(table.url)


def fail(frame: "DataFrame", table: TableFolder, message: str) -> None:
    table.lake.proxy.set_faults([DENIED])
    with pytest.raises(Exception, match=message):
        append(frame, table)
    table.lake.proxy.set_faults([])


def test_a_program_repeats_its_own_write_of_which_it_does_not_know_the_outcome(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = sales(spark, [1], "new")
    fail(frame, table, "decided but not finished")
    fail(frame, table, "blocks this job, and could not be finished")
    append(frame, table)
    assert rows(spark.read.parquet(table.url)) == rows(frame)
    assert table.head()["version"] == 1
    table.assert_settled()
    with pytest.raises(Exception, match="was made by this application"):
        append(frame, table)


@pytest.mark.parametrize("readers", ["snapshot", pytest.param("listing", marks=pytest.mark.slow)])
def test_an_overwrite_of_unknown_outcome_is_finished_in_a_later_block_with_its_token(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    first = sales(spark, [1, 2], "old").write.partitionBy("day")
    first.option("repave.readers", readers).parquet(table.url)
    frame = sales(spark, [1], "new")
    table.lake.proxy.set_faults([DENIED])
    with (
        pytest.raises(Exception, match="decided but not finished"),
        repave.write_options(spark, token="t"),
    ):
        overwrite(frame, table.url)
    table.lake.proxy.set_faults([])
    with repave.write_options(spark, token="t"):
        overwrite(frame, table.url)
    repaved = RepaveTable.for_path(spark, table.url)
    assert notes(repaved.to_df()) == {1: "new", 2: "old"}
    assert repaved.to_df().count() == 4
    assert [one.token for one in repaved.history()][:2] == ["t", ""]


def test_another_write_after_an_unknown_outcome_is_told_not_to_take_another_token(
    spark: "SparkSession", table: TableFolder
) -> None:
    """The failed commit is decided: with another token its rows would be there twice."""
    frame = sales(spark, [1], "new")
    fail(frame, table, "decided but not finished")
    with pytest.raises(Exception, match="do not give it another token"):
        append(frame.where("note <> 'x'"), table)
    RepaveTable.for_path(spark, table.url).recover()
    append(frame, table)
    assert rows(spark.read.parquet(table.url)) == rows(frame)


def put_into(table: TableFolder, name: str) -> "Callable[[DataFrame, int], None]":
    """Return a function for `foreachBatch` with the tokens that README gives."""

    def put(batch: "DataFrame", number: int) -> None:
        writer = batch.write.mode("append").option("repave.token", f"{name}-{number}")
        writer.parquet(table.url)

    return put


def test_a_query_with_a_new_checkpoint_is_refused_until_it_has_a_new_name(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    source = f"file://{tmp_path}/source"
    spark.range(4).write.parquet(source)
    stream = spark.readStream.schema("id long").parquet(source).writeStream
    query = stream.foreachBatch(put_into(table, "orders")).trigger(availableNow=True)
    query.option("checkpointLocation", f"file://{tmp_path}/one").start().awaitTermination(300)
    query = query.option("checkpointLocation", f"file://{tmp_path}/two")
    with pytest.raises(Exception, match="another query or batch") as refused:
        query.start().awaitTermination(300)
    assert "use a new name with a new checkpoint" in str(refused.value)
    assert table.head()["version"] == 1
    query.foreachBatch(put_into(table, "orders-2")).start().awaitTermination(300)
    assert table.head()["version"] == 2


def test_a_write_that_is_interrupted_leaves_nothing_and_the_next_one_works(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    before = table.data()
    begun = str(tmp_path / "begun")

    def linger(note: str) -> str:
        Path(begun).touch()
        time.sleep(60)
        return note

    def interrupt() -> None:
        while not Path(begun).exists():
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)  # what Ctrl-C does

    lingering = sales(spark, [1], "lost").select(
        "id", udf(linger, useArrow=False)("note").alias("note"), "day"
    )
    hand = threading.Thread(target=interrupt)
    hand.start()
    # Spark 3.5's py4j tells of the call that was cut off.
    with pytest.raises((KeyboardInterrupt, Py4JError)):
        overwrite(lingering, table.url)
    hand.join()
    # py4j may lose PySpark's own call, which the signal makes inside another call.
    spark.sparkContext.cancelAllJobs()
    overwrite(sales(spark, [2], "new"), table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "old", 2: "new"}
    assert set(before) - set(table.data()) == {key for key in before if key.startswith("day=2/")}
    table.await_no_uploads()
    table.assert_settled()


def test_a_cell_that_is_interrupted_in_its_commit_and_run_again_adds_its_rows_once(
    spark: "SparkSession", table: TableFolder
) -> None:
    proxy = table.lake.proxy

    def append() -> None:
        writer = sales(spark, [1], "new").write.mode("append").option("repave.token", "cell/1")
        writer.partitionBy("day").parquet(table.url)

    def interrupt() -> None:
        proxy.wait_for_hits(seconds=60)
        os.kill(os.getpid(), signal.SIGINT)

    publish = Fault("delay", op="PutObject", key=head_of(table), nth=2, ms=3_000)
    proxy.set_faults([publish])
    hand = threading.Thread(target=interrupt)
    hand.start()
    with pytest.raises((KeyboardInterrupt, Py4JError)):
        append()
    hand.join()
    # Python is stopped, and the JVM goes on.
    until(lambda: table.head()["version"] == 1 and table.head()["active"] == [])
    with pytest.raises(Exception, match="this application, which now uses the token again"):
        append()
    assert rows(spark.read.parquet(table.url)) == rows(sales(spark, [1], "new"))
    table.assert_settled()


@pytest.mark.slow
def test_a_session_after_the_session_writes_as_the_first_did(
    table: TableFolder, tmp_path: Path
) -> None:
    """One process, one JVM: what the jar keeps for the JVM must not be tied to a session."""
    work = {"endpoint": table.lake.proxy.endpoint, "url": table.url, "note": "new", "days": [1]}
    with driver(tmp_path, {**work, "again": {"days": [1, 2], "note": "newer"}}) as child:
        assert child.wait(300) == 0, (tmp_path / "driver.log").read_text()[-4000:]
    assert table.partitions() == {"day=1": 1, "day=2": 1}
    assert table.head()["version"] == 2
    table.assert_settled()
