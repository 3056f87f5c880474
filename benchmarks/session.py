"""One session for each run: the class paths of two systems never mix."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from repave import spark_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LISTS: Final = ("spark.jars", "spark.jars.packages", "spark.jars.excludes")
MASTER: Final = "local[4]"
# Iceberg's context ends in the default 1 GiB at 1,000 partitions; every system has the same.
DRIVER_MEMORY: Final = "3g"


def start_session(
    store: Mapping[str, str], folder: Path, events: Path, own: Mapping[str, str]
) -> "SparkSession":
    """Start Spark with the S3A connector and a system's own conf.

    The event log is what separates the task phase from the commit: it is written for every system.
    """
    import pyspark  # noqa: PLC0415 - reports need no Spark
    from pyspark.sql import SparkSession  # noqa: PLC0415

    connector = spark_conf(connector=pyspark.__version__)
    conf = {
        **{key: value for key, value in connector.items() if key in LISTS},
        "spark.driver.memory": DRIVER_MEMORY,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        # What a system keeps on local disk goes when the run ends.
        "spark.local.dir": f"{folder}/spark",
        "spark.sql.warehouse.dir": f"file://{folder}/warehouse",
        "spark.hadoop.hadoop.tmp.dir": f"{folder}/hadoop",
        "spark.hadoop.fs.s3a.committer.staging.tmp.path": f"file://{folder}/staging",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    builder: SparkSession.Builder = SparkSession.builder.master(MASTER).appName("benchmark")
    for key, value in joined(joined(conf, store), own).items():
        builder = builder.config(key, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def joined(common: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return both; lists of packages are joined.

    >>> joined({"spark.jars.packages": "a:b:1"}, {"spark.jars.packages": "c:d:2"})
    {'spark.jars.packages': 'a:b:1,c:d:2'}
    """
    lists = {
        key: ",".join(value for part in (common, own) if (value := part.get(key))) for key in LISTS
    }
    return {**common, **own, **{key: value for key, value in lists.items() if value}}
