"""How every session of these tests is set up."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

import repave

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from repave._keywords import Options

# The newest patch release of each line that is published; not every one is.
AVRO = {
    ("3.5", "2.12"): "3.5.7",
    ("3.5", "2.13"): "3.5.6",
    ("4.0", "2.13"): "4.0.1",
    ("4.1", "2.13"): "4.1.1",
}


def last_stages(spark: "SparkSession") -> list[str]:
    """Return the busy threads in which Spark 4 runs writes after a shuffle."""
    assert spark._jvm
    beans = spark._jvm.java.lang.management.ManagementFactory
    threads = beans.getThreadMXBean().dumpAllThreads(False, False)
    named = [it for it in threads if it.getThreadName().startswith("ResultQueryStageExecution")]
    return [text for it in named if "ThreadPoolExecutor.getTask" not in (text := it.toString())]


def line(version: str) -> str:
    """Return the release line of a Spark version.

    >>> line("4.0.5")
    '4.0'
    """
    return ".".join(version.split(".")[:2])


# Of `saveAsTable` on a table that exists.
HIDES_OPTIONS = line(pyspark.__version__) in ("3.5", "4.0")


def scala() -> str:
    """Return the Scala version of the Spark that will run: 3.5 exists with two."""
    home = Path(os.environ.get("SPARK_HOME") or pyspark.__path__[0])
    library = next((home / "jars").glob("scala-library-*.jar"))
    return line(library.name.removeprefix("scala-library-"))


def has_avro(spark: SparkSession) -> bool:
    return "spark-avro" in str(spark.conf.get("spark.jars.packages", ""))


def log_commits(spark: SparkSession) -> None:
    """Let the driver log a line for each commit: it has the milliseconds of every step."""
    log4j = spark._jvm.org.apache.logging.log4j  # type: ignore[union-attr]
    log4j.core.config.Configurator.setLevel("io.repave.commits", log4j.Level.INFO)


@contextmanager
def snapshot_tables(spark: SparkSession, *names: str) -> Iterator[None]:
    """Let new tables of a session be snapshot tables; afterwards drop these from its catalog."""
    spark.conf.set("repave.readers", "snapshot")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    yield
    spark.conf.unset("repave.readers")
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    for name in names:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def session_builder(
    folder: Path,
    endpoints: Mapping[str, str],
    *,
    rdd_saves: bool = False,
    **options: "Unpack[Options]",
) -> SparkSession.Builder:
    """Return a builder for a session that writes through Repave.

    Args:
        folder: for what Spark keeps on local disk.
        endpoints: S3 endpoints by S3A's prefix: "" for all buckets, `bucket.<name>.` for one.
        rdd_saves: whether Repave commits RDD saves too.
        **options: Repave's own.
    """
    conf = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:e2e;create=true",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        **s3a_conf(endpoints),
    }
    builder: SparkSession.Builder = SparkSession.builder.master("local[2,4]").appName("e2e")
    for key, value in conf.items():
        builder = builder.config(key, value)
    if version := AVRO.get((line(pyspark.__version__), scala())):
        avro = f"org.apache.spark:spark-avro_{scala()}:{version}"
        builder = builder.config("spark.jars.packages", avro)
    return repave.configure_session(builder, rdd_saves=rdd_saves, **options)


def s3a_conf(endpoints: Mapping[str, str]) -> dict[str, str]:
    conf = {
        "access.key": "repave-lab",
        "secret.key": "repave-lab-secret",
        "path.style.access": "true",
        "endpoint.region": "us-east-1",
        "connection.ssl.enabled": "false",
    }
    for prefix, endpoint in endpoints.items():
        conf[f"{prefix}endpoint"] = endpoint
    return {f"spark.hadoop.fs.s3a.{key}": value for key, value in conf.items()}
