"""A Spark application that reads a table again and again, and prints what each read saw.

`python -m campaigns.spark_poller <JSON>`.
"""

import json
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaigns.reads import COLUMNS, Row, poll
from delta.session import delta_session
from e2e.sessions import session_builder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def session(work: dict[str, Any]) -> "SparkSession":
    folder, endpoint = Path(work["folder"]), work["endpoint"]
    if "delta" in work["reader"]:
        return delta_session(folder, endpoint)
    return session_builder(folder, {"": endpoint}).master("local[2]").getOrCreate()


def loader(spark: "SparkSession", work: dict[str, Any]) -> Callable[[], "DataFrame"]:
    """Return what makes the frame of a new read; every other one infers the schema."""
    if "delta" in work["reader"]:
        return lambda: spark.read.format("delta").load(work["url"])
    if work["reader"].startswith("name"):
        return by_name(spark, work)
    readers = cycle([spark.read.schema("id bigint, round int, day int"), spark.read])
    return lambda: next(readers).parquet(work["url"])


def by_name(spark: "SparkSession", work: dict[str, Any]) -> Callable[[], "DataFrame"]:
    """Return what reads a name in the catalog, and each time one partition of it before.

    Spark keeps the listing of that partition when it plans without the records.
    """
    RepaveTable.for_path(spark, work["url"]).register("polled")
    days = cycle(range(work["days"]))

    def load() -> "DataFrame":
        spark.table("polled").where(f"day = {next(days)}").count()
        return spark.table("polled")

    return load


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    spark = session(work)
    spark.sparkContext.setLogLevel("OFF")
    # The files are tiny: without this a task reads only thirty of them.
    spark.conf.set("spark.sql.files.openCostInBytes", "0")
    load = loader(spark, work)

    def read() -> list[Row]:
        return [(row.id, row.day, row.round) for row in load().select(COLUMNS).collect()]

    poll(read, work["polls"], work["days"])
    spark.stop()


if __name__ == "__main__":
    main()
