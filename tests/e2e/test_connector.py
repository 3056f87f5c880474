"""The connector that `configure_session` has Spark fetch."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from repave._connector import connector_for_spark, has_connector, spark_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTORS = ("com.amazonaws", "io.netty", "org.apache.hadoop", "software.amazon")


def test_spark_fetches_the_pinned_jars_and_no_others(spark: "SparkSession") -> None:
    if has_connector(spark_jars(Path(pyspark.__file__).parent), [], {}):
        pytest.skip("this Spark has a connector of its own")
    pinned = connector_for_spark(spark.version).packages
    asked = str(spark.conf.get("spark.jars.packages"))
    assert asked.endswith(",".join(pinned))
    thread = spark._jvm.java.lang.Thread.currentThread()  # type: ignore[union-attr]
    names = [url.getPath().rsplit("/", 1)[-1] for url in thread.getContextClassLoader().getURLs()]
    fetched = [name for name in names if name and not name.startswith("repave")]
    expected = {f"{group}_{name}-{version}.jar" for group, name, version in map(_parts, pinned)}
    assert expected <= set(fetched)
    # What else is there belongs to the tests' own packages.
    assert [name for name in set(fetched) - expected if name.startswith(CONNECTORS)] == []


def _parts(package: str) -> list[str]:
    return package.split(":")
