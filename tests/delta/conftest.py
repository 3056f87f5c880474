"""One Spark session with Repave and Delta, on a local S3 server."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

import pyspark

from e2e.conftest import lake, ministack, table
from e2e.lake import Lake
from e2e.sessions import line, session_builder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["lake", "ministack", "table"]
HERE = Path(__file__).parent
PACKAGES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.2",
    "4.0": "io.delta:delta-spark_4.0_2.13:4.2.0",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("slow")
            item.add_marker("e2e")
            # PySpark leaves sockets to the garbage collector.
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))


@pytest.fixture(scope="package")
def spark(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    folder = tmp_path_factory.mktemp("spark")
    builder = session_builder(folder, {"": lake.proxy.endpoint})
    conf = {
        "spark.jars.packages": PACKAGES[line(pyspark.__version__)],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.databricks.delta.snapshotPartitions": "2",
    }
    for key, value in conf.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.range(1).write.parquet(f"s3a://{lake.bucket}/first-table")
    yield session
    session.stop()
