"""RDD saves through Repave: nothing is visible before the commit, and a file costs 3 requests."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.lake import TableFolder
from e2e.rdds import NEW_FORMAT, SAVES, TEXT, TEXT_SAVES, lines, pairs, rdd_saves, save, saved
from repave import RepaveTable
from repave._conf import PROTOCOL_KEY
from repave._verify import STOCK_CLASS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

FILES = 20
# A task that does not get the driver's configuration reads the id of its commit, so many times.
READS_MAX = {"saveAsHadoopDataset": 1, "saveAsNewAPIHadoopDataset": 2}


@pytest.fixture
def saves(spark: "SparkSession") -> Iterator[None]:
    with rdd_saves(spark):
        yield


@pytest.mark.parametrize("way", SAVES)
def test_a_file_costs_three_requests_whichever_call_saves_it(
    spark: "SparkSession", table: TableFolder, saves: None, way: str
) -> None:
    save(pairs(spark, FILES), way, table.url)
    assert saved(spark, way, table.url) == {f"k{n}\tv{n}" for n in range(FILES)}
    assert len(table.data()) == FILES
    assert all(key.endswith(".gz") for key in table.data()) is (way == "saveAsTextFile")
    counts = table.counts()
    uploads = ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")
    assert {op: counts[op] for op in uploads} == dict.fromkeys(uploads, FILES)
    writes = sum(counts[op] for op in ("PutObject", "DeleteObject", "DeleteObjects"))
    assert writes <= 12, counts
    gets = [e for e in table.journal() if e.op == "GetObject" and "/_repave/" in (e.key or "")]
    assert len(gets) <= 3 + READS_MAX.get(way, 0) * FILES, counts
    (entry,) = RepaveTable.for_path(spark, table.url).history()
    assert (entry.kind, entry.files_in) == ("append", FILES)
    assert not [key for key in table.listing() if "/jobs/" in key or "/task-" in key]
    table.assert_settled()


def test_a_path_without_scheme_is_on_the_default_file_system(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    before = conf.get("fs.defaultFS")
    conf.set("fs.defaultFS", f"s3a://{table.lake.bucket}")
    try:
        for number, way in enumerate(TEXT_SAVES):
            save(pairs(spark, 2), way, f"/{table.name}/n={number}")
    finally:
        if before is None:
            conf.unset("fs.defaultFS")
        else:
            conf.set("fs.defaultFS", before)
    for number in range(len(TEXT_SAVES)):
        assert lines(spark, f"{table.url}/n={number}") == {"k0\tv0", "k1\tv1"}
    history = RepaveTable.for_path(spark, table.url).history()
    assert [entry.kind for entry in history] == ["append"] * len(TEXT_SAVES)
    table.assert_settled()


def test_a_token_of_the_application_is_refused_because_it_would_be_that_of_every_save(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("repave.token", "load/7")
    try:
        with pytest.raises(Exception, match="RDD saves and MapReduce jobs take no token"):
            spark.sparkContext.parallelize(["a"]).saveAsTextFile(f"{table.url}/dt=1")
    finally:
        hadoop.unset("repave.token")
    assert table.listing() == []


def test_a_failed_save_leaves_nothing_and_can_be_run_again(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    def fails(line: str) -> str:
        if line == "bad":
            message = "it fails"
            raise ValueError(message)
        return line

    rdd = spark.sparkContext.parallelize(["good", "bad"], 2)
    with pytest.raises(Exception, match="it fails"):
        rdd.map(fails).saveAsTextFile(table.url)
    table.await_no_uploads()
    assert table.data() == []
    rdd.saveAsTextFile(table.url)
    assert lines(spark, table.url) == {"good", "bad"}
    with pytest.raises(Exception, match="already exists"):
        rdd.saveAsTextFile(table.url)
    spark.sparkContext.parallelize(["more"], 1).saveAsTextFile(f"{table.url}/dt=2")
    assert spark.read.text(table.url).where("dt = 2").count() == 1
    assert table.head()["version"] == 2, "a partition's folder belongs to its table"
    table.assert_settled()


def test_a_save_whose_writer_cannot_be_created_leaves_nothing_open(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    """Spark does not abort such a task, and its executor would keep the file in memory."""
    # It creates the file before it looks for its native library, which PySpark does not have.
    codec = "org.apache.hadoop.io.compress.ZStandardCodec"
    compressed = {
        "mapreduce.output.fileoutputformat.compress": "true",
        "mapreduce.output.fileoutputformat.compress.codec": codec,
    }
    rdd = pairs(spark, 2)
    open_files = spark._jvm.io.repave.hadoop.upload.OpenFiles.JVM  # type: ignore[union-attr]
    before = open_files.size()
    with pytest.raises(Exception, match="native zStandard library"):
        rdd.map("\t".join).saveAsTextFile(table.url, codec)
    with pytest.raises(Exception, match="native zStandard library"):
        rdd.saveAsNewAPIHadoopFile(table.url, NEW_FORMAT, TEXT, TEXT, conf=compressed)
    assert open_files.size() <= before
    assert table.listing() == []
    table.assert_settled()


def test_local_and_excluded_paths_are_committed_as_before(
    spark: "SparkSession", table: TableFolder, saves: None, tmp_path: Path
) -> None:
    for way in SAVES:
        save(pairs(spark, 2), way, f"{tmp_path}/{way}-without-scheme")
        assert (tmp_path / f"{way}-without-scheme" / "_SUCCESS").exists()
        save(pairs(spark, 2), way, f"file://{tmp_path}/{way}")
        assert saved(spark, way, f"file://{tmp_path}/{way}") == {"k0\tv0", "k1\tv1"}
        assert (tmp_path / way / "_SUCCESS").exists()
    assert table.lake.proxy.journal() == []
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("repave.exclude", f"s3://{table.lake.bucket}/{table.name}")
    try:
        for way in SAVES:
            save(pairs(spark, 2), way, f"{table.url}/{way}")
            assert saved(spark, way, f"{table.url}/{way}") == {"k0\tv0", "k1\tv1"}
    finally:
        conf.unset("repave.exclude")
    assert not table.has_head()
    table.lake.proxy.reset()  # Stock committers rename, which on S3 copies: not ours to forbid.


def test_a_dataframe_that_sparks_own_protocol_writes_is_visible_when_its_job_commits(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    """Formats without a committer of their own, such as CSV, ask the factory for one."""

    def fails(line: str) -> tuple[str]:
        if line == "bad":
            time.sleep(2)  # The other task has committed by then.
            message = "it fails"
            raise ValueError(message)
        return (line,)

    rdd = spark.sparkContext.parallelize(["good", "bad"], 2)
    ours = str(spark.conf.get(PROTOCOL_KEY))
    spark.conf.set(PROTOCOL_KEY, STOCK_CLASS)
    try:
        with pytest.raises(Exception, match="it fails"):
            spark.createDataFrame(rdd.map(fails), "line string").write.csv(table.url, mode="append")
        assert [key for key in table.listing() if "part-" in key or "_repave" in key] == []
        good = spark.createDataFrame(rdd.map(lambda line: (line,)), "line string")
        good.write.csv(table.url, mode="append")
    finally:
        spark.conf.set(PROTOCOL_KEY, ours)
    assert {row.line for row in spark.read.csv(table.url, schema="line string").collect()} == {
        "good",
        "bad",
    }
    assert not table.has_head()
    table.lake.proxy.reset()  # Spark renames, which on S3 copies: not ours to forbid.


def test_a_hive_insert_still_goes_through_hives_own_staging(
    spark: "SparkSession", table: TableFolder, saves: None
) -> None:
    spark.sql(f"CREATE TABLE serde (id INT, v STRING) STORED AS TEXTFILE LOCATION '{table.url}'")
    try:
        spark.sql("INSERT OVERWRITE TABLE serde VALUES (1, 'x')")
        assert [tuple(row) for row in spark.table("serde").collect()] == [(1, "x")]
        assert not [key for key in table.listing() if "_repave" in key]
    finally:
        spark.sql("DROP TABLE serde")
    table.lake.proxy.reset()  # Hive renames, which on S3 copies: not ours to forbid.
