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
CREATE = "CREATE_TABLE"


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


def overwrite(spark: "SparkSession", work: dict[str, Any], name: str, round_: int) -> None:
    """Replace all days: two stay, one comes, one goes. The table `days` has partitions."""
    days = [1, 2, 3 + round_ % 2]
    writer = sales(spark, days, f"round {round_}").write.mode("overwrite")
    (writer.partitionBy("day") if name == "days" else writer).parquet(f"{work['url']}/{name}")


def require(holds: bool, message: str) -> None:  # noqa: FBT001
    """Raise what a dead driver must not have left."""
    if not holds:
        raise AssertionError(message)


def shown(spark: "SparkSession", name: str, table: RepaveTable) -> dict[int, str]:
    """Return what the metastore shows, which must be the table's newest version."""
    found, wanted = notes(spark.table(f"default.{name}")), notes(table.to_df())
    require(found == wanted, f"the metastore shows {found}, the table is {wanted}")
    require(table.status().followers[0].behind == 0, "the table does not know that it is shown")
    return found


def checked(spark: "SparkSession", work: dict[str, Any]) -> dict[str, Any]:
    """Check what a dead driver left, and bring the metastore forward."""
    name, moment, call = work["check"]
    table = RepaveTable.for_path(spark, f"{work['url']}/{name}")
    if call == CREATE and moment == "before":
        require(not spark.catalog.tableExists(f"default.{name}"), "the table was created")
        left = {}
    else:
        # Never old and new rows of one day; but days may be of two versions until the next move.
        left = notes(spark.table(f"default.{name}"))
        if call != CREATE:
            behind = table.status().followers[0].behind
            require(behind == 1, f"the dead driver left it {behind} versions behind, not 1")
        if name == "days":
            require(left[1] == left[2], f"one call moved only a part of its partitions: {left}")
        table.vacuum(retention="0s")
        same = notes(spark.table(f"default.{name}")) == left
        require(same, "a vacuum deleted what the metastore names")
    if call == CREATE:
        table.follow(f"default.{name}")
    else:
        table.sync()
    return {"left": left, "moved": shown(spark, name, table)}


def check_and_die(spark: "SparkSession", work: dict[str, Any]) -> dict[str, Any]:
    """Check what a dead driver left; then commit, or create a table, and die at a call."""
    found = checked(spark, work) if work["check"] else {}
    print(json.dumps(found), flush=True)
    if not work["kill"]:
        return {}
    name, moment, call = work["kill"]
    table = RepaveTable.for_path(spark, f"{work['url']}/{name}")
    if not spark.catalog.tableExists(f"default.{name}"):
        overwrite(spark, work, name, work["round"])
        if call != CREATE:
            table.follow(f"default.{name}")
            shown(spark, name, table)
    system = spark._jvm.java.lang.System  # type: ignore[union-attr]
    system.setProperty(f"kill.{moment}", call)
    if call == CREATE:
        table.follow(f"default.{name}")
    else:
        overwrite(spark, work, name, work["round"] + 1)
    message = f"nothing died {moment} {call}"
    raise AssertionError(message)


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
