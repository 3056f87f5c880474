"""RDD saves through Repave: nothing is visible before the commit, and a file costs 3 requests."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.deaths import kill_driver_at
from e2e.driver import driver, executors_of
from e2e.lake import TableFolder
from e2e.test_clusters import CLUSTER, SECONDS, finish
from repave import RepaveTable
from repave._conf import RDD_SAVES
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

OLD_FORMAT = "org.apache.hadoop.mapred.TextOutputFormat"
NEW_FORMAT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"
CODEC = "org.apache.hadoop.io.compress.GzipCodec"
TEXT = "org.apache.hadoop.io.Text"
SAVES = (
    "saveAsTextFile",
    "saveAsHadoopFile",
    "saveAsNewAPIHadoopFile",
    "saveAsNewAPIHadoopDataset",
)
FILES = 20


@pytest.fixture
def saves(spark: "SparkSession") -> Iterator[None]:
    """Switch RDD saves on in the session that runs already."""
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    before = {key: conf.get(key) for key in keys()}
    for key, value in zip(keys(), RDD_SAVES.values(), strict=True):
        conf.set(key, value)
    yield
    for key, value in before.items():
        conf.unset(key) if value is None else conf.set(key, value)


def keys() -> list[str]:
    return [key.removeprefix("spark.hadoop.") for key in RDD_SAVES]


def pairs(spark: "SparkSession", count: int) -> "RDD[tuple[str, str]]":
    return spark.sparkContext.parallelize([(f"k{n}", f"v{n}") for n in range(count)], count)


def save(rdd: "RDD[Any]", way: str, url: str) -> None:
    if way == "saveAsTextFile":
        rdd.map("\t".join).saveAsTextFile(url, CODEC)
    elif way == "saveAsHadoopFile":
        rdd.saveAsHadoopFile(url, OLD_FORMAT, TEXT, TEXT)
    elif way == "saveAsNewAPIHadoopFile":
        rdd.saveAsNewAPIHadoopFile(url, NEW_FORMAT, TEXT, TEXT)
    else:
        conf: dict[str, Any] = {
            "mapreduce.job.outputformat.class": NEW_FORMAT,
            "mapreduce.output.fileoutputformat.outputdir": url,
            "mapreduce.job.output.key.class": TEXT,
            "mapreduce.job.output.value.class": TEXT,
        }
        rdd.saveAsNewAPIHadoopDataset(conf)


def lines(spark: "SparkSession", url: str) -> set[str]:
    found = [row.value for row in spark.read.text(url).collect()]
    assert len(found) == len(set(found)), "a line is there twice"
    return set(found)


@pytest.mark.parametrize("way", SAVES)
def test_a_file_costs_three_requests_whichever_call_saves_it(
    spark: "SparkSession", table: TableFolder, saves: None, way: str
) -> None:
    save(pairs(spark, FILES), way, table.url)
    assert lines(spark, table.url) == {f"k{n}\tv{n}" for n in range(FILES)}
    assert len(table.data()) == FILES
    assert all(key.endswith(".gz") for key in table.data()) is (way == "saveAsTextFile")
    counts = table.counts()
    uploads = ("CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload")
    assert {op: counts[op] for op in uploads} == dict.fromkeys(uploads, FILES)
    writes = sum(counts[op] for op in ("PutObject", "DeleteObject", "DeleteObjects"))
    assert writes <= 12, counts
    if way != "saveAsNewAPIHadoopDataset":
        # Its tasks do not get the driver's configuration, and read the id of their commit.
        gets = [e for e in table.journal() if e.op == "GetObject" and "/_repave/" in (e.key or "")]
        assert len(gets) <= 3, counts
    (entry,) = RepaveTable.for_path(spark, table.url).history()
    assert (entry.kind, entry.files_in) == ("append", FILES)
    assert not [key for key in table.listing() if "/jobs/" in key or "/task-" in key]
    table.assert_settled()


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


def test_local_and_excluded_paths_are_committed_as_before(
    spark: "SparkSession", table: TableFolder, saves: None, tmp_path: Path
) -> None:
    for way in SAVES:
        save(pairs(spark, 2), way, f"file://{tmp_path}/{way}")
        assert lines(spark, f"file://{tmp_path}/{way}") == {"k0\tv0", "k1\tv1"}
        assert (tmp_path / way / "_SUCCESS").exists()
    assert table.lake.proxy.journal() == []
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("repave.exclude", f"s3://{table.lake.bucket}/{table.name}")
    try:
        for way in SAVES:
            save(pairs(spark, 2), way, f"{table.url}/{way}")
            assert lines(spark, f"{table.url}/{way}") == {"k0\tv0", "k1\tv1"}
    finally:
        conf.unset("repave.exclude")
    assert not table.has_head()
    table.lake.proxy.reset()  # Stock committers rename, which on S3 copies: not ours to forbid.


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


def work(table: TableFolder, conf: dict[str, str], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"endpoint": table.lake.proxy.endpoint, "url": table.url, "conf": conf, **more}


@pytest.mark.slow
def test_an_executor_that_dies_writes_no_line_twice(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    table.lake.proxy.set_faults([Fault("hang", op="UploadPart", times=1)])
    with driver(tmp_path, work(table, CLUSTER, lines=4)) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        for pid in executors_of(child.pid):
            os.kill(pid, signal.SIGKILL)
        finish(child, tmp_path)
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    assert len(table.data()) == 4
    assert table.counts()["CreateMultipartUpload"] > 4, "no executor has left an upload"
    table.await_no_uploads()
    table.assert_settled()


@pytest.mark.slow
def test_a_driver_that_dies_in_its_commit_is_recovered_and_one_before_is_vacuumed(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    fault = Fault("hang", op="CompleteMultipartUpload", nth=3)
    kill_driver_at(table, tmp_path, fault, lines=4)
    repaved = RepaveTable.for_path(spark, table.url)
    assert len(repaved.recover().commits) == 1
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}

    before_commit = Fault("hang", op="UploadPart", nth=4)
    conf = {"spark.hadoop.validateOutputSpecs": "false"}
    kill_driver_at(table, tmp_path, before_commit, lines=4, conf=conf)
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    assert len([key for key in table.listing() if "/jobs/" in key]) == 2
    repaved.vacuum(retention="0ms")
    assert not [key for key in table.listing() if "/jobs/" in key or "/task-" in key]
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    table.await_no_uploads()
    table.assert_settled()
