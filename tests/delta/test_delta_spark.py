"""delta-spark reads the Delta log of a followed table as what Repave reads."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

import repave
from delta.rows import ODD, ROWS, as_delta, as_repave, files_read, frame, plain, shifted, write
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Write = Callable[["SparkSession", TableFolder], object]

SNAPSHOT = {"repave.readers": "snapshot", "repave.followers": "delta"}
LISTING = {"repave.readers": "listing", "repave.followers": "delta"}


def sql(spark: "SparkSession", text: str, table: TableFolder) -> "DataFrame":
    return spark.sql(text.replace("TABLE", f"delta.`{table.url}`"))


@pytest.mark.parametrize("options", [LISTING, SNAPSHOT], ids=["listing", "snapshot"])
def test_it_reads_the_rows_of_the_table(
    spark: "SparkSession", table: TableFolder, options: dict[str, str]
) -> None:
    rows = frame(spark)
    write(rows, table, **options)
    write(shifted(rows.where("id = 2"), 10), table, **options)
    write(shifted(rows, 20), table, "append", **options)
    found = as_delta(spark, table)
    assert len(plain(found)) == 2 * len(ROWS)
    assert plain(found) == plain(as_repave(spark, table))
    assert found.where("id = 12").collect()[0]["region"] == ODD
    by_sql = sql(spark, "SELECT count(*), count(region) FROM TABLE WHERE n IS NULL", table)
    assert [tuple(row) for row in by_sql.collect()] == [(2, 0)]


def test_it_reads_earlier_versions_by_number_and_by_time(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = frame(spark)
    wanted = []
    for step in range(3):
        write(shifted(rows, step * 10), table, **SNAPSHOT)
        wanted.append(plain(as_repave(spark, table)))
        time.sleep(1)
    first = table.head()["version"] - 2
    repave.RepaveTable.for_path(spark, table.url).rollback(first)
    for step in range(3):
        by_number = as_delta(spark, table, versionAsOf=str(first + step))
        assert plain(by_number) == wanted[step]
        # A version's time is the one at which the file of the log was written.
        log = f"{table.name}/_delta_log/{first + step:020d}.json"
        file = table.lake.client.head_object(Bucket=table.lake.bucket, Key=log)
        then = file["LastModified"] + timedelta(milliseconds=1001)
        by_time = as_delta(spark, table, timestampAsOf=then.strftime("%Y-%m-%d %H:%M:%S.%f"))
        assert plain(by_time) == wanted[step]
    assert plain(as_delta(spark, table)) == wanted[0]
    history = sql(spark, "DESCRIBE HISTORY TABLE", table).orderBy("version").collect()
    assert history[-1]["userMetadata"] == f"version {first + 3} of Repave"
    assert [row["timestamp"] for row in history] == sorted(row["timestamp"] for row in history)


def streamed(
    spark: "SparkSession", table: TableFolder, folder: object, **options: str
) -> list[int]:
    """Return the ids that a stream reads from where it ended the last time."""
    seen: list[int] = []
    stream = spark.readStream.format("delta").options(**options).load(table.url)
    writer = stream.writeStream.option("checkpointLocation", f"{folder}/stream")
    query = writer.trigger(availableNow=True).foreachBatch(
        lambda batch, _: seen.extend(row["id"] for row in batch.collect())
    )
    query.start().awaitTermination()
    return seen


def test_a_stream_reads_no_row_again_after_a_rollback(
    spark: "SparkSession", table: TableFolder, tmp_path: object
) -> None:
    rows = frame(spark).select("id", "note", "dt")
    write(rows, table, **SNAPSHOT)
    first = table.head()["version"]
    write(shifted(rows, 10), table, "append", **SNAPSHOT)
    assert sorted(streamed(spark, table, tmp_path)) == [1, 2, 3, 4, 5, 11, 12, 13, 14, 15]
    repave.RepaveTable.for_path(spark, table.url).rollback(first)
    assert streamed(spark, table, tmp_path, ignoreChanges="true") == []


def test_a_stream_reads_appends_and_stops_at_an_overwrite(
    spark: "SparkSession", table: TableFolder, tmp_path: object
) -> None:
    rows = frame(spark).select("id", "note", "dt")
    write(rows, table, **SNAPSHOT)
    seen: list[int] = []

    def run(**options: str) -> None:
        seen.extend(streamed(spark, table, tmp_path, **options))

    run()
    assert sorted(seen) == [1, 2, 3, 4, 5]
    write(shifted(rows, 10), table, "append", **SNAPSHOT)
    run()
    assert sorted(seen) == [1, 2, 3, 4, 5, 11, 12, 13, 14, 15]
    write(shifted(rows.where("id = 1"), 20), table, **SNAPSHOT)
    with pytest.raises(Exception, match=r"DELTA_SOURCE_TABLE_IGNORE_CHANGES|ignoreChanges"):
        run()
    run(skipChangeCommits="true")
    write(shifted(rows.where("id = 1"), 30), table, "append", **SNAPSHOT)
    run(skipChangeCommits="true")
    assert sorted(seen) == [1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 31]


def test_it_skips_the_files_that_cannot_have_the_rows(
    spark: "SparkSession", table: TableFolder
) -> None:
    # Spark's default, INT96, has no bounds.
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    rows = frame(spark)
    for step in range(4):
        moved = rows.selectExpr(
            f"id + {step * 100} AS id",
            f"concat('{'abcd'[step]}', repeat('x', 80)) AS note",
            f"cast({step} + 0.25 AS decimal(12,2)) AS price",
            f"date_add(date'2026-01-01', {step}) AS day",
            f"timestamp'2026-01-01 00:00:00.123456' + make_interval(0,0,0,{step}) AS at",
            f"double({step} + 1.5) AS share",
            "if(id = 9, id, null) AS large",
            "dt",
        ).coalesce(1)
        write(moved, table, "append", **SNAPSHOT)
    found = as_delta(spark, table)
    everything = files_read(found)[1]
    assert everything == 8
    for condition, files in {
        "id = 203": 2,
        "id > 1000": 0,
        "note > 'd'": 2,
        "price = 2.25": 2,
        "day = date'2026-01-03'": 2,
        "at = timestamp'2026-01-03 00:00:00.123456'": 2,
        # No columns of the log's bounds: floating-point, and without a value in the first version.
        "share < 2": everything,
        "large IS NOT NULL": everything,
        "dt = date'2026-11-20' AND id < 100": 1,
    }.items():
        chosen, read = files_read(found.where(condition))
        assert (condition, read) == (condition, files)
        assert len(chosen) == as_repave(spark, table).where(condition).count(), condition


def test_minimum_and_maximum_from_the_log_are_those_of_the_rows(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = frame(spark)
    write(rows, table, **SNAPSHOT)
    write(shifted(rows.where("id < 3"), 10), table, "append", **SNAPSHOT)
    for column in ("id", "note", "price", "large", "day", "at", "share", "dt", "region", "n"):
        text = f"SELECT min({column}) AS low, max({column}) AS high, count(*) AS rows FROM"
        as_repave(spark, table).createOrReplaceTempView("truth")
        truth = spark.sql(f"{text} truth").collect()
        found = sql(spark, f"{text} TABLE", table)
        assert repr(found.collect()) == repr(truth), column
    counted = sql(spark, "SELECT count(*), min(id), max(id) FROM TABLE", table)
    assert files_read(counted)[1] == 0  # from the statistics alone


def test_added_columns_and_emptied_partitions_read_right(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = frame(spark).drop("region", "n")
    write(rows, table, **LISTING)
    write(rows.where("id = 1").selectExpr("*", "id * 2 AS twice"), table, **LISTING)
    twice = {row["id"]: row["twice"] for row in as_delta(spark, table).collect()}
    assert twice == {1: 2, 2: None, 4: None}
    empty = rows.where("id > 100")
    empty.write.mode("overwrite").option("partitionOverwriteMode", "static").partitionBy(
        "dt"
    ).parquet(table.url)
    assert as_delta(spark, table).count() == 0
    assert "twice" in as_delta(spark, table).columns
    write(rows, table, **LISTING)
    assert plain(as_delta(spark, table).drop("twice")) == plain(rows)


def _by(mode: str) -> Write:
    return lambda spark, table: frame(spark).write.format("delta").mode(mode).save(table.url)


def _by_sql(text: str) -> Write:
    return lambda spark, table: sql(spark, text, table).collect()


WRITES: dict[str, Write] = {
    "append": _by("append"),
    "overwrite": _by("overwrite"),
    "INSERT": _by_sql("INSERT INTO TABLE SELECT * FROM TABLE"),
    "DELETE": _by_sql("DELETE FROM TABLE WHERE id = 1"),
    "UPDATE": _by_sql("UPDATE TABLE SET note = 'z' WHERE id = 1"),
    "OPTIMIZE": _by_sql("OPTIMIZE TABLE"),
    "VACUUM": _by_sql("VACUUM TABLE"),
    "VACUUM at once": _by_sql("VACUUM TABLE RETAIN 0 HOURS"),
    "RESTORE": _by_sql("RESTORE TABLE TO VERSION AS OF 1"),
}
# Files that they have written before Delta refuses the commit.
LEFT = {"append", "overwrite", "INSERT", "UPDATE", "OPTIMIZE"}


def test_writers_are_refused(spark: "SparkSession", table: TableFolder) -> None:
    rows = frame(spark)
    write(rows, table, **SNAPSHOT)
    write(rows, table, "append", **SNAPSHOT)
    wanted = plain(as_repave(spark, table))
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    left: dict[str, int] = {}
    before = set(table.listing())
    for name, attempt in WRITES.items():
        with pytest.raises(Exception, match="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"):
            attempt(spark, table)
        after = set(table.listing())
        assert before <= after, f"{name} deleted files"
        left[name] = len([key for key in after - before if not key.endswith("/")])
        before = after
    print(left)
    assert {name for name, files in left.items() if files} <= LEFT
    assert plain(as_delta(spark, table)) == wanted
    assert plain(as_repave(spark, table)) == wanted


def test_a_session_with_delta_reads_and_writes_the_folder_as_parquet(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = frame(spark)
    write(rows, table, **LISTING)
    folder = spark.read.parquet(table.url)
    assert plain(folder) == plain(as_delta(spark, table))
    write(shifted(rows, 10), table, **LISTING)
    assert plain(as_delta(spark, table)) == plain(as_repave(spark, table))


def test_it_begins_with_a_checkpoint(spark: "SparkSession", table: TableFolder) -> None:
    options = {**SNAPSHOT, "repave.delta.checkpoint.every": "2"}
    rows = frame(spark).coalesce(1)
    write(rows, table, **options)
    for step in range(3):
        write(shifted(rows, step * 10 + 10), table, "append", **options)
    write(rows.where("id < 3"), table, **options)
    newest = table.head()["version"]
    at = newest // 2 * 2
    assert f"_delta_log/{at:020d}.checkpoint.parquet" in table.listing()
    assert "_delta_log/_last_checkpoint" in table.listing()
    # Only a reader that begins with the checkpoint does not need these.
    for version in range(at):
        key = f"{table.name}/_delta_log/{version:020d}.json"
        table.lake.client.delete_object(Bucket=table.lake.bucket, Key=key)
    assert plain(as_delta(spark, table)) == plain(as_repave(spark, table))
    found, read = files_read(as_delta(spark, table).where("id = 23"))
    assert (len(found), read) == (1, 1)


def test_a_table_of_delta_itself_is_not_written_as_files(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = frame(spark)
    rows.write.format("delta").save(table.url)
    table.lake.proxy.reset()  # Delta renames its versions, which on S3 copies: not ours to forbid.
    before = table.listing()
    spark.conf.set("spark.databricks.delta.formatCheck.enabled", "false")
    try:
        for mode in ("append", "overwrite"):
            with pytest.raises(Exception, match="There is a table of Delta in"):
                write(rows, table, mode)
    finally:
        spark.conf.unset("spark.databricks.delta.formatCheck.enabled")
    assert table.listing() == before
    assert plain(as_delta(spark, table)) == plain(rows)
