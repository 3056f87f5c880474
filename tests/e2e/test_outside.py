"""What Repave leaves to Spark, and what it refuses."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


def test_local_files_are_written_by_sparks_own_protocol(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, dynamic: None
) -> None:
    folder = tmp_path / "table"
    for days, note in (([1, 2], "old"), ([2, 3], "new")):
        writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
        writer.parquet(f"file://{folder}")
    assert notes(spark.read.parquet(f"file://{folder}")) == {1: "old", 2: "new", 3: "new"}
    assert not (folder / "_repave").exists()
    assert table.lake.proxy.journal() == []
    sales(spark, [7], "static").write.mode("overwrite").option(
        "partitionOverwriteMode", "static"
    ).parquet(f"file://{folder}")
    assert (folder / "_SUCCESS").exists()
    assert notes(spark.read.parquet(f"file://{folder}")) == {7: "static"}


@pytest.mark.parametrize("option", ["repave.exclude", "repave.enabled"])
def test_what_is_excluded_is_overwritten_by_sparks_own_protocol(
    spark: "SparkSession", table: TableFolder, option: str
) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    assert table.has_head()
    value = f"s3://{table.lake.bucket}/{table.name}" if option == "repave.exclude" else "false"
    writer = sales(spark, [2], "new").write.mode("overwrite").partitionBy("day")
    writer.option(option, value).parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {2: "new"}
    assert not table.has_head(), "Spark deletes the whole folder"
    table.lake.proxy.reset()  # Spark renames, which on S3 copies: not ours to forbid.


def test_a_failed_overwrite_keeps_the_rows_whoever_opened_the_file_system(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    jvm = spark._jvm
    assert jvm is not None
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    # The options of the write that first used the bucket, in Hadoop's cache of file systems.
    first = jvm.org.apache.hadoop.fs.Path(table.url).getFileSystem(hadoop).getConf()
    first.set("repave.schemes", "hdfs")
    try:
        failing = sales(spark, [1], "new").selectExpr(
            "IF(id >= 0, raise_error('a bad row'), id) AS id", "note", "day"
        )
        with pytest.raises(Exception, match="a bad row"):
            failing.write.mode("overwrite").partitionBy("day").parquet(table.url)
    finally:
        first.unset("repave.schemes")
    assert notes(spark.read.parquet(table.url)) == {1: "old"}


def test_a_folder_of_a_streaming_query_is_refused(
    spark: "SparkSession", table: TableFolder
) -> None:
    keys = ["_spark_metadata/0", "day=1/part-0.parquet"]
    for key in keys:
        table.lake.client.put_object(
            Bucket=table.lake.bucket, Key=f"{table.name}/{key}", Body=b"v1\n"
        )
    refused = rf"{table.name} is written by a streaming query"
    with pytest.raises(Exception, match=refused):
        sales(spark, [1], "x").write.mode("append").partitionBy("day").parquet(table.url)
    for mode in ("append", "overwrite"):
        with pytest.raises(Exception, match=refused):
            sales(spark, [1], "x").drop("day").write.mode(mode).parquet(f"{table.url}/day=1")
    assert table.listing() == keys


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ("_delta_log/00000000000000000000.json", "a table of Delta"),
        ("metadata/00000-1f.metadata.json", "a table of Iceberg"),
        (".hoodie/hoodie.properties", "a table of Hudi"),
    ],
)
def test_a_folder_of_another_format_is_refused(
    spark: "SparkSession", table: TableFolder, dynamic: None, metadata: str, found: str
) -> None:
    keys = [metadata, "day=1/part-0.parquet"]
    for key in keys:
        table.lake.client.put_object(
            Bucket=table.lake.bucket, Key=f"{table.name}/{key}", Body=b"{}"
        )
    for mode in ("append", "overwrite"):
        writer = sales(spark, [1], "x").write.mode(mode).partitionBy("day")
        with pytest.raises(Exception, match=found):
            writer.parquet(table.url)
        with pytest.raises(Exception, match=found):
            writer.option("partitionOverwriteMode", "static").parquet(table.url)
    assert sorted(table.listing()) == sorted(keys)


def test_a_hive_table_that_spark_does_not_convert_is_hives(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.sql(f"CREATE TABLE serde (id INT, v STRING) STORED AS TEXTFILE LOCATION '{table.url}'")
    try:
        spark.sql("INSERT OVERWRITE TABLE serde VALUES (1, 'x')")
        assert [tuple(row) for row in spark.table("serde").collect()] == [(1, "x")]
        assert not table.has_head()
    finally:
        spark.sql("DROP TABLE serde")
    table.lake.proxy.reset()  # Hive renames, which on S3 copies: not ours to forbid.


def test_rdd_saves_do_not_come_through_the_protocol(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.sparkContext.parallelize(["a", "b"], 1).saveAsTextFile(table.url)
    assert spark.read.text(table.url).count() == 2
    assert not table.has_head()
    table.lake.proxy.reset()


def test_a_partition_on_another_kind_of_store_is_refused_before_anything_is_deleted(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, dynamic: None
) -> None:
    spark.sql(
        f"CREATE TABLE split (id INT, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    folder = tmp_path / "p"
    try:
        spark.range(1).selectExpr("CAST(id AS INT) id").write.parquet(f"file://{folder}")
        spark.sql(f"ALTER TABLE split ADD PARTITION (p=1) LOCATION 'file://{folder}'")
        with pytest.raises(Exception, match="which is not on S3"):
            spark.sql("INSERT OVERWRITE split VALUES (7, 1)")
        assert spark.read.parquet(f"file://{folder}").count() == 1
    finally:
        spark.sql("DROP TABLE split")
    table.await_no_uploads()
