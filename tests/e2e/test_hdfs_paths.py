"""Paths of HDFS with Repave and RDD saves switched on: they are written as stock Spark does."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.frames import rows, sales
from e2e.lake import TableFolder
from e2e.rdds import SAVES, pairs, rdd_saves, save, saved
from repave._conf import PROTOCOL_KEY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

STOCK = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def hdfs(spark: "SparkSession") -> Iterator[str]:
    """Register local files under the scheme of HDFS; yield its root."""
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("fs.hdfs.impl", "LocalHdfs")
    yield "hdfs://namenode"
    conf.unset("fs.hdfs.impl")


def write_all(spark: "SparkSession", folder: str) -> None:
    for way in SAVES:
        save(pairs(spark, 2), way, f"{folder}/{way}")
    for note in ("old", "new"):
        frame = sales(spark, [1, 2], note)
        frame.write.mode("overwrite").partitionBy("day").parquet(f"{folder}/frame")


def names(folder: Path) -> list[str]:
    """Return the files below a folder, with the ids of Spark's jobs made equal."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(UUID.sub("<uuid>", str(path.relative_to(folder))) for path in files)


def test_hdfs_paths_are_untouched(
    spark: "SparkSession", table: TableFolder, hdfs: str, tmp_path: Path
) -> None:
    protocol = spark.conf.get(PROTOCOL_KEY)
    assert protocol
    assert protocol != STOCK
    with rdd_saves(spark):
        write_all(spark, f"{hdfs}{tmp_path}/repave")
    spark.conf.set(PROTOCOL_KEY, STOCK)
    try:
        write_all(spark, f"{hdfs}{tmp_path}/stock")
    finally:
        spark.conf.set(PROTOCOL_KEY, protocol)
    found = names(tmp_path / "repave")
    assert found == names(tmp_path / "stock")
    assert "saveAsHadoopFile/part-00001" in found
    assert not [name for name in found if "_repave" in name]
    # Hadoop's local files of another scheme cannot tell their permissions, which readers ask for.
    for way in SAVES:
        assert saved(spark, way, f"file://{tmp_path}/repave/{way}") == {"k0\tv0", "k1\tv1"}
    read = spark.read.parquet(f"file://{tmp_path}/repave/frame")
    assert rows(read) == rows(sales(spark, [1, 2], "new"))
    assert table.lake.proxy.journal() == []
