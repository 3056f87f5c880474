"""Every format that Spark writes through the commit protocol, with compression."""

import io
from typing import TYPE_CHECKING

import pytest

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.sessions import has_avro

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

FORMATS = [
    ("parquet", "snappy", ".snappy.parquet"),
    ("parquet", "zstd", ".zstd.parquet"),
    ("orc", "snappy", ".snappy.orc"),
    ("csv", "none", ".csv"),
    ("csv", "gzip", ".csv.gz"),
    ("json", "bzip2", ".json.bz2"),
    ("avro", "deflate", ".avro"),
]


@pytest.mark.parametrize(("source", "codec", "suffix"), FORMATS)
def test_a_dynamic_overwrite_of_each_format_reads_back(
    spark: "SparkSession", table: TableFolder, source: str, codec: str, suffix: str
) -> None:
    if source == "avro" and not has_avro(spark):
        pytest.skip("this Spark's avro module is not published")
    for days, note in ((range(3), "old"), (range(1, 4), "new")):
        writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
        writer = writer.option("compression", codec).option("header", "true")
        writer.option("partitionOverwriteMode", "dynamic").format(source).save(table.url)
    assert all(key.endswith(suffix) for key in table.data())
    reader = spark.read.format(source).option("header", "true")
    frame = reader.schema("id long, note string, day int").load(table.url)
    assert notes(frame) == {0: "old", 1: "new", 2: "new", 3: "new"}
    assert frame.count() == 8
    table.assert_settled()


def test_text_keeps_every_line(spark: "SparkSession", table: TableFolder) -> None:
    lines = spark.createDataFrame([("ein Satz", 1), ("", 1), ("é ü", 2)], "value string, p int")
    lines.write.partitionBy("p").option("compression", "gzip").text(table.url)
    lines.where("p = 2").write.mode("append").partitionBy("p").text(table.url)
    assert rows(spark.read.text(table.url)) == [("", 1), ("ein Satz", 1), ("é ü", 2), ("é ü", 2)]
    table.assert_settled()


@pytest.mark.slow
def test_a_file_of_several_parts_is_one_object(spark: "SparkSession", table: TableFolder) -> None:
    # Random text does not shrink: about 20 MB, three parts of 8 MiB.
    wide = spark.range(20_000, numPartitions=1).selectExpr(
        "id", *(f"uuid() || uuid() || uuid() || uuid() AS c{n}" for n in range(7))
    )
    wide.write.option("compression", "none").parquet(table.url)
    counts = table.counts()
    assert counts["CreateMultipartUpload"] == 1
    assert counts["UploadPart"] >= 3
    assert spark.read.parquet(table.url).count() == 20_000
    table.assert_settled()


@pytest.mark.parametrize("mode", ["static", "dynamic"])
def test_an_overwrite_leaves_no_summary_of_the_files_that_it_replaces(
    spark: "SparkSession", table: TableFolder, mode: str
) -> None:
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    footer = io.BytesIO()
    parquet.write_metadata(pa.schema([("id", pa.int64()), ("gone", pa.string())]), footer)
    for name in ("_metadata", "_common_metadata"):
        key = f"{table.name}/{name}"
        table.lake.client.put_object(Bucket=table.lake.bucket, Key=key, Body=footer.getvalue())
    assert "gone" in spark.read.parquet(table.url).columns
    writer = sales(spark, [1], "new").write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", mode).parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "new"}
    assert not [key for key in table.listing() if key.endswith("_metadata")]
    table.assert_settled()
