"""The rows of each commit and file are known, for whatever Spark writes as Parquet."""

import io
import json
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.oldest

parquet = pytest.importorskip("pyarrow.parquet")


def content(table: TableFolder, path: str) -> bytes:
    key = f"{table.name}/{path}"
    found: bytes = table.lake.client.get_object(Bucket=table.lake.bucket, Key=key)["Body"].read()
    return found


def save(frame: "DataFrame", table: TableFolder, readers: str, mode: str = "overwrite") -> None:
    writer = frame.write.mode(mode).partitionBy("day").option("repave.readers", readers)
    writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_an_overwrite_tells_its_rows(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    save(sales(spark, [0, 1, 2], "old"), table, readers)
    save(sales(spark, [1, 2], "new").union(sales(spark, [2], "more")), table, readers)
    repaved = RepaveTable.for_path(spark, table.url)
    newest, first = repaved.history()[:2]
    per_day = sales(spark, [0], "old").count()
    assert (first.rows_in, first.rows_out) == (3 * per_day, 0)
    # What a listing finds has no facts.
    removed = 2 * per_day if readers == "snapshot" else None
    assert (newest.rows_in, newest.rows_out) == (3 * per_day, removed)
    last = repave.last_commit(spark, table.url)
    assert last is not None
    assert (last.rows_in, last.rows_out) == (newest.rows_in, newest.rows_out)
    success = json.loads(content(table, "_SUCCESS"))
    assert success["rows-in"] == 3 * per_day
    assert sum(file.rows or 0 for file in repaved.files()) == repaved.to_df().count()


def test_the_rows_are_those_that_pyarrow_reads(spark: "SparkSession", table: TableFolder) -> None:
    frame = spark.range(10_000, numPartitions=3).selectExpr(
        "id",
        "array(id, id + 1) AS several",
        "named_struct('a', id, 'b', map('k', uuid())) AS nested",
        "timestamp_micros(id) AS at",
        "int(id % 7) AS day",
    )
    save(frame, table, "listing")
    files = RepaveTable.for_path(spark, table.url).files()
    assert len(files) == 21
    for file in files:
        assert file.rows == parquet.read_metadata(io.BytesIO(content(table, file.path))).num_rows


def test_sql_and_empty_results(spark: "SparkSession", table: TableFolder) -> None:
    spark.sql(f"CREATE TABLE counted (id LONG) USING parquet LOCATION '{table.url}'")
    try:
        spark.sql("INSERT INTO counted SELECT id FROM range(5)")
        spark.sql("INSERT INTO counted SELECT id FROM range(5) WHERE id < 0")
        spark.sql("INSERT OVERWRITE counted SELECT 1L")
    finally:
        spark.sql("DROP TABLE counted")
    rows = [one.rows_in for one in RepaveTable.for_path(spark, table.url).history()]
    assert rows == [1, 0, 5]


def test_csv_beside_parquet_leaves_the_sum_unknown(
    spark: "SparkSession", table: TableFolder
) -> None:
    save(sales(spark, [0, 1], "old"), table, "snapshot")
    text = sales(spark, [2], "text").write.mode("append").partitionBy("day")
    text.option("repave.readers", "snapshot").csv(table.url)
    static = sales(spark, [5], "new").write.mode("overwrite").partitionBy("day")
    static.option("repave.readers", "snapshot").parquet(table.url)
    repaved = RepaveTable.for_path(spark, table.url)
    replaced, written_csv, first = repaved.history()[:3]
    assert (written_csv.rows_in, written_csv.rows_out) == (None, 0)
    assert (replaced.rows_in, replaced.rows_out) == ((first.rows_in or 0) // 2, None)
    assert {file.rows for file in repaved.files(version=written_csv.version)} == {
        None,
        (first.rows_in or 0) // 2,
    }


def test_the_rows_of_orc_files_are_recorded(spark: "SparkSession", table: TableFolder) -> None:
    frame = sales(spark, [1, 2], "orc", per_day=40)
    frame.write.partitionBy("day").option("repave.stats.columns", "id").orc(table.url)
    opened = RepaveTable.for_path(spark, table.url)
    changes = opened.manifest().partitions
    rows = {one.partition: sum(file.rows or 0 for file in one.added) for one in changes}
    assert rows == {"day=1": 40, "day=2": 40}
    assert opened.history()[0].rows_in == 80
    # ORC's types are not Spark's, so the schema and bounds are unknown.
    assert {(file.schema, file.columns) for file in opened.files()} == {(None, ())}
