"""Save modes and SQL statements: each does what stock Spark does on a local disk."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from e2e.frames import in_a_batch, notes, rows, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read(spark: "SparkSession", table: TableFolder) -> "DataFrame":
    return spark.read.parquet(table.url)


def test_append_keeps_what_is_there(spark: "SparkSession", table: TableFolder) -> None:
    for note in ("first", "second"):
        sales(spark, [1], note).write.mode("append").partitionBy("day").parquet(table.url)
    assert read(spark, table).count() == 4
    assert table.counts()["DeleteObjects"] == 0
    table.assert_settled()


def test_append_of_unpartitioned_rows(spark: "SparkSession", table: TableFolder) -> None:
    sales(spark, [1], "first").write.parquet(table.url)
    sales(spark, [2], "second").write.mode("append").parquet(table.url)
    assert notes(read(spark, table)) == {1: "first", 2: "second"}
    table.assert_settled()


def test_static_overwrite_replaces_the_table(spark: "SparkSession", table: TableFolder) -> None:
    sales(spark, range(3), "old").write.partitionBy("day").parquet(table.url)
    sales(spark, [7], "new").write.mode("overwrite").partitionBy("day").parquet(table.url)
    assert notes(read(spark, table)) == {7: "new"}
    assert set(table.partitions()) == {"day=7"}
    assert "_SUCCESS" in table.listing()
    table.assert_settled()


def test_dynamic_overwrite_by_the_sessions_conf(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    sales(spark, range(3), "old").write.partitionBy("day").parquet(table.url)
    sales(spark, [2, 3], "new").write.mode("overwrite").partitionBy("day").parquet(table.url)
    assert notes(read(spark, table)) == {0: "old", 1: "old", 2: "new", 3: "new"}
    assert "_SUCCESS" in table.listing()
    table.assert_settled()


def test_a_writes_own_option_beats_the_session(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    sales(spark, range(3), "old").write.partitionBy("day").parquet(table.url)
    writer = sales(spark, [2], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "static").parquet(table.url)
    assert notes(read(spark, table)) == {2: "new"}
    table.assert_settled()


def test_error_and_ignore_leave_the_table_alone(spark: "SparkSession", table: TableFolder) -> None:
    sales(spark, [1], "old").write.parquet(table.url)
    before = table.listing()
    with pytest.raises(AnalysisException):
        sales(spark, [2], "new").write.mode("error").parquet(table.url)
    sales(spark, [2], "new").write.mode("ignore").parquet(table.url)
    assert table.listing() == before


def test_a_run_refuses_a_write_that_a_retry_would_skip(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.conf.set("repave.run", "night 9")
    try:
        writer = sales(spark, [1], "old").write.mode("ignore").partitionBy("day")
        with pytest.raises(Exception, match="would count as this one and be lost"):
            writer.parquet(table.url)
        with in_a_batch(spark):  # a batch's writes are not numbered
            sales(spark, [2], "batch").write.mode("ignore").parquet(f"{table.url}-of-a-batch")
        writer.option("repave.token", "first of night 9").parquet(table.url)
    finally:
        spark.conf.unset("repave.run")
    assert notes(read(spark, table)) == {1: "old"}
    table.assert_settled()


def test_a_write_into_a_partitions_folder_belongs_to_its_table(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    frame = sales(spark, [1], "new").drop("day")
    frame.write.mode("overwrite").parquet(f"{table.url}/day=1")
    assert notes(read(spark, table)) == {1: "new", 2: "old"}
    assert not [key for key in table.listing() if key.startswith("day=1/_repave")]
    assert table.head()["version"] == 2
    table.assert_settled()


def test_no_success_file_when_hadoops_switch_is_off(
    spark: "SparkSession", table: TableFolder
) -> None:
    writer = sales(spark, [1], "x").write
    writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").parquet(table.url)
    assert "_SUCCESS" not in table.listing()
    assert read(spark, table).count() == 2


def test_the_table_is_read_while_it_is_overwritten(
    spark: "SparkSession", table: TableFolder, dynamic: None
) -> None:
    sales(spark, range(3), "old").write.partitionBy("day").parquet(table.url)
    changed = read(spark, table).where("day > 0").selectExpr("id", "'new' AS note", "day")
    changed.write.mode("overwrite").partitionBy("day").parquet(table.url)
    assert notes(read(spark, table)) == {0: "old", 1: "new", 2: "new"}
    assert read(spark, table).count() == 6
    table.assert_settled()


def test_a_misspelt_setting_is_refused_before_anything_happens(
    spark: "SparkSession", table: TableFolder
) -> None:
    with pytest.raises(Exception, match=r"There is no setting repave\.conflct"):
        sales(spark, [1], "x").write.option("repave.conflct", "fail").parquet(table.url)
    assert table.listing() == []


def test_a_repeated_append_with_the_same_token_changes_nothing(
    spark: "SparkSession", table: TableFolder
) -> None:
    for _ in range(2):
        writer = sales(spark, [1], "x").write.mode("append").option("repave.token", "run-7")
        with in_a_batch(spark):
            writer.parquet(table.url)
    assert rows(read(spark, table).select("id")) == [(100,), (101,)]
    assert table.head()["version"] == 1
    table.assert_settled()


def test_a_token_that_this_application_has_used_is_refused_before_any_task(
    spark: "SparkSession", table: TableFolder
) -> None:
    for day, expected in ((1, None), (2, "was made by this application")):
        writer = sales(spark, [day], "x").write.mode("append").option("repave.token", "night")
        if expected is None:
            writer.parquet(table.url)
        else:
            with pytest.raises(Exception, match=expected):
                writer.parquet(table.url)
    assert table.head()["version"] == 1
    table.assert_settled()


def test_a_token_of_the_whole_session_is_refused(spark: "SparkSession", table: TableFolder) -> None:
    spark.conf.set("repave.token", "night")
    try:
        with pytest.raises(Exception, match=r"that runs one job, set repave\.run instead"):
            sales(spark, [1], "x").write.mode("append").parquet(table.url)
    finally:
        spark.conf.unset("repave.token")
    assert table.listing() == []


LATE = {"spark.hadoop.repave.only": "day=7", "spark.hadoop.repave.run": "night 6"}


@pytest.mark.parametrize(("key", "value"), LATE.items(), ids=LATE)
def test_a_setting_that_spark_does_not_pass_on_is_refused(
    spark: "SparkSession", table: TableFolder, key: str, value: str
) -> None:
    """Spark copies `spark.hadoop.…` when it starts, so a guard given later would not guard."""
    append = sales(spark, [1], "x").write.mode("append").partitionBy("day")
    expected = f"Set {key.removeprefix('spark.hadoop.')} instead"
    spark.conf.set(key, value)
    try:
        with pytest.raises(Exception, match=expected):
            append.parquet(table.url)
    finally:
        spark.conf.unset(key)
    with pytest.raises(Exception, match=expected):
        append.option(key, value).parquet(table.url)
    assert table.listing() == []


def test_only_the_same_write_may_follow_a_write_of_a_run_whose_outcome_is_not_known(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.conf.set("repave.run", "night 8")
    spark.conf.set("repave.lease", "1ms")
    frame = sales(spark, [1], "a")
    first = frame.write.mode("append").partitionBy("day")
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    table.lake.proxy.set_faults([denied])
    try:
        with pytest.raises(Exception, match="decided but not finished"):
            first.parquet(table.url)
        table.lake.proxy.set_faults([])
        other = sales(spark, [2], "b").write.mode("append").partitionBy("day")
        renamed = frame.withColumnRenamed("note", "remark").write.partitionBy("day")
        for unlike in (
            other,
            renamed.mode("append"),
            frame.write.mode("append").partitionBy("day", "note"),
            frame.write.mode("append").partitionBy("day").option("compression", "gzip"),
        ):
            with pytest.raises(Exception, match="End the application after a failed write"):
                unlike.parquet(table.url)
        with pytest.raises(Exception, match="End the application after a failed write"):
            first.orc(table.url)
        first.parquet(table.url)
        other.parquet(table.url)
    finally:
        spark.conf.unset("repave.run")
        spark.conf.unset("repave.lease")
    assert rows(read(spark, table).select("id")) == [(100,), (101,), (200,), (201,)]
    assert [commit["token"] for commit in table.head()["log"]] == ["night 8/1", "night 8/2"]
    table.assert_settled()


TWO_DAYS = "VALUES (100L, 'a', 1), (101L, 'a', 1), (200L, 'b', 2) AS it(id, note, day)"


@pytest.mark.parametrize("files", ["kept", "replaced"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {stage}",
        f"SELECT * FROM {TWO_DAYS} WHERE id IN (SELECT id FROM {{stage}})",
    ],
    ids=["read", "subquery"],
)
def test_a_query_on_replaced_files_is_not_the_write_that_failed(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, query: str, files: str
) -> None:
    stage = f"file://{tmp_path}/stage"
    select = query.format(stage=f"parquet.`{stage}`")
    append = {"mode": "append", "partitionBy": "day"}
    spark.conf.set("repave.run", "night 9")
    spark.conf.set("repave.lease", "1ms")
    denied = Fault("error", op="CompleteMultipartUpload", status=403, code="AccessDenied")
    table.lake.proxy.set_faults([denied])
    try:
        sales(spark, [1], "a").write.parquet(stage)
        with pytest.raises(Exception, match="decided but not finished"):
            spark.sql(select).write.parquet(table.url, **append)
        table.lake.proxy.set_faults([])
        if files == "replaced":
            sales(spark, [2], "b").write.mode("overwrite").parquet(stage)
            with pytest.raises(Exception, match="End the application after a failed write"):
                spark.sql(select).write.parquet(table.url, **append)
            assert len(RepaveTable.for_path(spark, table.url).recover().commits) == 1
        else:
            spark.sql(select).write.parquet(table.url, **append)
    finally:
        spark.conf.unset("repave.run")
        spark.conf.unset("repave.lease")
    assert rows(read(spark, table).select("id")) == [(100,), (101,)]
    assert [commit["token"] for commit in table.head()["log"]] == ["night 9/1"]
    table.assert_settled()


def test_each_write_of_a_run_counts_and_has_a_token_of_its_own(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.conf.set("repave.run", "night 7")
    try:
        for day in (1, 2):
            sales(spark, [day], "x").write.mode("append").parquet(table.url)
        sales(spark, [3], "x").write.mode("overwrite").parquet(table.url)
    finally:
        spark.conf.unset("repave.run")
    assert rows(read(spark, table).select("id")) == [(300,), (301,)]
    assert [commit["token"] for commit in table.head()["log"]] == [
        "night 7/1",
        "night 7/2",
        "night 7/3",
    ]
