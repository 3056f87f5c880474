"""The demo's lake: one bucket behind the latency proxy, and sessions that write to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import repave
from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from pyspark.sql import DataFrame, SparkSession

BUCKET = "lake"
PARTITIONS = 30
ROWS_A_PARTITION = 1_000
STOCK = "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"


@dataclass(frozen=True)
class Lake:
    """Where the demo happens."""

    server: S3Server
    proxy: Proxy
    client: "S3Client"
    log: Path


def session(endpoint: str) -> "SparkSession":
    """Return a Spark session that commits through Repave; quiet, and with two cores."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only the demo needs Spark

    conf = {
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.access.key": S3Server.access_key,
        "spark.hadoop.fs.s3a.secret.key": S3Server.secret_key,
        "spark.hadoop.fs.s3a.endpoint.region": S3Server.region,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        "spark.log.level": "ERROR",
    }
    builder: SparkSession.Builder = SparkSession.builder.master("local[2]").appName("repave demo")
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark: SparkSession = repave.configure_session(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def sales(spark: "SparkSession", days: range, revision: int) -> "DataFrame":
    """Return the sales of some days; `revision` tells which run of the job computed them."""
    rows = len(days) * ROWS_A_PARTITION
    return spark.range(0, rows, 1, 2).selectExpr(
        f"id % {ROWS_A_PARTITION} AS item",
        f"{revision} AS revision",
        f"concat('2026-11-', lpad({days.start} + id div {ROWS_A_PARTITION}, 2, '0')) AS dt",
    )
