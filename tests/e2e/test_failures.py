"""Tasks and jobs that fail: what is there stays, what was begun goes away."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import udf

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HEAD = r"/_repave/head\.json$"
OTHER_COMMIT = "550e8400-e29b-4123-8716-446655440000"
# It is not tried again, so the task fails after its writer has had all rows.
REFUSED_PART = Fault(
    "error", op="UploadPart", key="part-", times=1, status=403, code="AccessDenied"
)


def failing(frame: "DataFrame", attempts: int) -> "DataFrame":
    """Let the first attempts of each task fail at a row, before the writer gets any."""

    def check(note: str) -> str:
        from pyspark import TaskContext  # noqa: PLC0415 - runs in a Python worker

        context = TaskContext.get()
        if context is not None and context.attemptNumber() < attempts:
            message = "this attempt fails"
            raise ValueError(message)
        return note

    return frame.select("id", udf(check, useArrow=False)("note").alias("note"), "day")


@pytest.fixture
def old(spark: "SparkSession", table: TableFolder) -> TableFolder:
    sales(spark, [0, 1, 2], "old").write.partitionBy("day").parquet(table.url)
    return table


def test_a_failed_static_overwrite_leaves_the_old_table_whole(
    spark: "SparkSession", old: TableFolder
) -> None:
    before = old.listing()
    with pytest.raises(Exception, match="this attempt fails"):
        failing(sales(spark, [1], "new"), 9).write.mode("overwrite").parquet(old.url)
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "old", 2: "old"}
    assert old.listing() == before
    old.assert_settled()


def test_a_task_whose_writer_cannot_be_created_leaves_nothing_open(
    spark: "SparkSession", old: TableFolder
) -> None:
    """Spark 3.5 does not abort such a task, and its executor would keep the file in memory."""
    before = old.listing()
    writer = sales(spark, [1], "new").write.mode("overwrite").option("compression", "brotli")
    with pytest.raises(Exception, match=r"(?i)brotli"):
        writer.parquet(old.url)
    uploads = spark._jvm.io.repave.hadoop.upload  # type: ignore[union-attr]
    assert uploads.OpenFiles.JVM.size() == 0
    assert old.listing() == before
    old.assert_settled()


def failing_once(frame: "DataFrame", last: int, flag: Path) -> "DataFrame":
    """Let the first attempt fail at the last row, when the flag's file is there."""
    name = str(flag)

    def check(number: int, note: str) -> str:
        from pyspark import TaskContext  # noqa: PLC0415 - runs in a Python worker

        context = TaskContext.get()
        if number == last and context is not None and context.attemptNumber() == 0:
            while not Path(name).exists():
                time.sleep(0.05)
            message = "this attempt fails"
            raise ValueError(message)
        return note

    return frame.select("id", udf(check, useArrow=False)("id", "note").alias("note"))


def test_a_task_that_is_tried_again_writes_its_rows_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """Its first attempt has uploaded a part. An upload of another job is there, too."""
    rows = 6000
    frame = spark.range(0, rows, 1, 1).selectExpr("id", "repeat('x', 1000) AS note")
    writer = failing_once(frame, rows - 1, tmp_path / "go").write
    writer = writer.option("compression", "none").option("repave.part.size", "5MiB")
    foreign = f"{table.name}/part-00000-{OTHER_COMMIT}-1.c000.csv"
    client, bucket = table.lake.client, table.lake.bucket
    upload = client.create_multipart_upload(Bucket=bucket, Key=foreign)["UploadId"]
    with ThreadPoolExecutor(1) as other:
        writing = other.submit(lambda: writer.csv(table.url))
        end = time.monotonic() + 60
        while not table.counts()["UploadPart"] and not writing.done() and time.monotonic() < end:
            time.sleep(0.1)
        lost = set(table.open_uploads()) - {foreign}
        (tmp_path / "go").touch()
        writing.result()
    assert len(lost) == 1
    assert spark.read.csv(table.url).count() == rows
    assert table.open_uploads() == [foreign]
    assert not lost & set(table.data())
    client.abort_multipart_upload(Bucket=bucket, Key=foreign, UploadId=upload)
    table.assert_settled()


def test_a_task_whose_commit_fails_is_tried_again(spark: "SparkSession", old: TableFolder) -> None:
    old.lake.proxy.reset()
    old.lake.proxy.set_faults([REFUSED_PART])
    overwrite(sales(spark, [1], "new"), old.url)
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "old"}
    assert spark.read.parquet(old.url).count() == 6
    old.await_no_uploads()
    counts = old.counts()
    assert (counts["CreateMultipartUpload"], counts["AbortMultipartUpload"]) == (2, 1)
    old.assert_settled()


def test_a_busy_store_is_waited_for(spark: "SparkSession", old: TableFolder) -> None:
    uploads = "CreateMultipartUpload|UploadPart|CompleteMultipartUpload"
    faults = [
        Fault("error", op=uploads, every=2, times=6),
        Fault("lost", op="CompleteMultipartUpload", times=1),
        Fault("lost", op="PutObject", key=HEAD, times=2),
        Fault("error_after", op="DeleteObjects", times=1),
    ]
    old.lake.proxy.set_faults(faults)
    writer = sales(spark, [1, 2, 3], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(old.url)
    hits = [fault["hit"] for fault in old.lake.proxy.status()["faults"]]
    assert hits == [fault.times for fault in faults]
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "new", 2: "new", 3: "new"}
    old.await_no_uploads()
    old.assert_settled()


def test_a_commit_that_is_refused_leaves_nothing_behind(
    spark: "SparkSession", old: TableFolder
) -> None:
    before = [key for key in old.listing() if not key.startswith("_repave/commits/")]
    denied = Fault("error", op="PutObject", key=HEAD, status=403, code="AccessDenied")
    old.lake.proxy.set_faults([denied])
    with pytest.raises(Exception, match="Nothing was published"):
        sales(spark, [1], "new").write.mode("append").partitionBy("day").parquet(old.url)
    old.lake.proxy.set_faults([])
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "old", 2: "old"}
    assert [key for key in old.listing() if not key.startswith("_repave/commits/")] == before
    old.assert_settled()


def test_a_failure_after_the_decision_touches_nothing_and_says_how_to_go_on(
    spark: "SparkSession", old: TableFolder
) -> None:
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    old.lake.proxy.set_faults([denied])
    writer = sales(spark, [1, 2], "new").write.mode("overwrite").partitionBy("day")
    with pytest.raises(Exception, match=r"decided but not finished.*repave recover"):
        writer.option("partitionOverwriteMode", "dynamic").parquet(old.url)
    # Spark has called abortJob by now: the uploads must still be there for whoever finishes.
    assert len(old.open_uploads()) == 2
    old.lake.proxy.set_faults([])
    writer = sales(spark, [3], "later").write.mode("overwrite").partitionBy("day")
    writer.options(**{"partitionOverwriteMode": "dynamic", "repave.lease": "1ms"}).parquet(old.url)
    from repave import RepaveTable  # noqa: PLC0415

    RepaveTable.for_path(spark, old.url).recover()
    expected = {0: "old", 1: "new", 2: "new", 3: "later"}
    assert notes(spark.read.parquet(old.url)) == expected
    old.assert_settled()


def waiting(frame: "DataFrame", flag: Path) -> "DataFrame":
    """Hold every task until the flag's file is there."""
    name = str(flag)

    def hold(note: str) -> str:
        while not Path(name).exists():
            time.sleep(0.05)
        return note

    return frame.select("id", udf(hold, useArrow=False)("note").alias("note"), "day")


def overwrite(frame: "DataFrame", url: str, **options: str) -> None:
    writer = frame.write.mode("overwrite").partitionBy("day")
    writer.options(partitionOverwriteMode="dynamic", **options).parquet(url)


def while_another_job_runs(
    spark: "SparkSession", table: TableFolder, flag: Path, days: list[int], **options: str
) -> BaseException | None:
    """Replace day 1 while another job, begun earlier, replaces `days`; return its failure."""
    failures: list[BaseException] = []

    def earlier() -> None:
        try:
            overwrite(waiting(sales(spark, days, "early"), flag), table.url, **options)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            failures.append(error)

    other = threading.Thread(target=earlier)
    table.lake.proxy.reset()
    other.start()
    end = time.monotonic() + 60
    # Its GET of the head shows that it has begun.
    while not table.counts()["GetObject"] and time.monotonic() < end:
        time.sleep(0.1)
    assert table.counts()["GetObject"], "the earlier job has not begun"
    overwrite(sales(spark, [1], "late"), table.url)
    flag.touch()
    other.join()
    return failures[0] if failures else None


def test_two_jobs_on_the_same_partition_the_later_commit_fails(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    failure = while_another_job_runs(spark, old, tmp_path / "go", [1, 2])
    assert "replaces partitions that commit" in str(failure)
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "late", 2: "old"}
    old.await_no_uploads()
    old.assert_settled()


def test_two_jobs_on_the_same_partition_the_last_writer_wins_if_asked(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    policy = {"repave.conflict": "last-writer"}
    assert while_another_job_runs(spark, old, tmp_path / "go", [1, 2], **policy) is None
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "early", 2: "early"}
    old.assert_settled()


def test_two_jobs_on_different_partitions_both_succeed(
    spark: "SparkSession", old: TableFolder, tmp_path: Path
) -> None:
    assert while_another_job_runs(spark, old, tmp_path / "go", [2]) is None
    assert notes(spark.read.parquet(old.url)) == {0: "old", 1: "late", 2: "early"}
    old.assert_settled()
