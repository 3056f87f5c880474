"""A Spark application with a Hive metastore on disk, for `campaigns.metastore`.

`python -m campaigns.metastore_driver <JSON>` prints one line of JSON.
"""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from e2e.frames import notes, sales
from e2e.sessions import session_builder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "default.followed"


def session(work: dict[str, Any]) -> "SparkSession":
    folder = Path(work["folder"])
    builder = session_builder(folder, {"": work["endpoint"]}).master("local[2]")
    conf = {
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:{folder}/derby;create=true",
        "spark.driver.extraClassPath": work["classes"],
        "spark.hadoop.hive.metastore.pre.event.listeners": "KillAtCall$Before",
        "spark.hadoop.hive.metastore.event.listeners": "KillAtCall$After",
        "spark.repave.readers": "snapshot",
    }
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.enableHiveSupport().getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def overwrite(spark: "SparkSession", url: str, round_: int) -> None:
    """Replace all days: two stay, one comes, one goes."""
    days = [1, 2, 3 + round_ % 2]
    sales(spark, days, f"round {round_}").write.mode("overwrite").partitionBy("day").parquet(url)


def check_and_die(spark: "SparkSession", work: dict[str, Any]) -> dict[str, Any]:
    """Check what a dead driver left, move the table, then commit and die at a call."""
    url = work["url"]
    table = RepaveTable.for_path(spark, url)
    if work["round"] == 0:
        overwrite(spark, url, 0)
        table.follow(NAME)
        left = notes(spark.table(NAME))
    else:
        # Never old and new rows of one day; but days may be of two versions until the next move.
        left = notes(spark.table(NAME))
        behind = table.status().followers[0].behind
        if behind != 1:
            message = f"the dead driver left the metastore {behind} versions behind, not 1"
            raise AssertionError(message)
        table.vacuum(retention="0s")
        if notes(spark.table(NAME)) != left:
            message = "a vacuum deleted what the metastore names"
            raise AssertionError(message)
        table.sync()
    found = notes(spark.table(NAME))
    if found != notes(table.to_df()) or table.status().followers[0].behind:
        message = f"the metastore shows {found}, the table is {notes(table.to_df())}"
        raise AssertionError(message)
    print(json.dumps({"left": left, "moved": found}), flush=True)
    if work["moment"]:
        system = spark._jvm.java.lang.System  # type: ignore[union-attr]
        system.setProperty(f"kill.{work['moment']}", work["call"])
        overwrite(spark, url, work["round"] + 1)
        message = f"nothing died {work['moment']} {work['call']}"
        raise AssertionError(message)
    return {}


def measure(spark: "SparkSession", work: dict[str, Any]) -> dict[str, Any]:
    """Time single ALTERs of all locations, and the sync that alters them back, in turn."""
    url, partitions = work["url"], work["partitions"]
    frame = spark.range(partitions).selectExpr("id", "CAST(id AS INT) AS day").coalesce(1)
    table = RepaveTable.for_path(spark, url)
    frame.write.mode("overwrite").partitionBy("day").parquet(url)
    table.follow(NAME)
    frame.write.mode("overwrite").partitionBy("day").parquet(url)
    single: list[float] = []
    together: list[float] = []
    for _ in range(work["rounds"]):
        begin = time.monotonic()
        for day in range(partitions):
            place = f"{url}/day={day}"
            spark.sql(f"ALTER TABLE {NAME} PARTITION (day = {day}) SET LOCATION '{place}'")
        single.append(time.monotonic() - begin)
        begin = time.monotonic()
        table.sync()
        together.append(time.monotonic() - begin)
    if spark.table(NAME).count() != partitions:
        message = "the metastore does not show every row"
        raise AssertionError(message)
    return {"single": single, "together": together}


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    spark = session(work)
    done = measure(spark, work) if "partitions" in work else check_and_die(spark, work)
    print(json.dumps(done), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
