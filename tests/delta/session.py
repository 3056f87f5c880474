"""How a session with both Repave and Delta is set up."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from e2e.sessions import line, session_builder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = {
    "3.5": "io.delta:delta-spark_2.12:3.3.2",
    "4.0": "io.delta:delta-spark_2.13:4.0.1",
}


def has_delta() -> bool:
    """Whether there is a delta-spark for this Spark."""
    return line(pyspark.__version__) in PACKAGES


def delta_session(folder: Path, endpoint: str) -> "SparkSession":
    """Return a session whose catalog is Delta's."""
    builder = session_builder(folder, {"": endpoint})
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
    return session
