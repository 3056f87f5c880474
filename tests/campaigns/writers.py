"""A Spark application with several writing threads: `python -m campaigns.writers <JSON>`.

It prints "ready" and waits for a file before it writes; then one line of JSON for each write.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from e2e.sessions import log_commits, session_builder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 10
WARM_UP = 2


def overwrite(spark: "SparkSession", url: str, day: int, note: str) -> None:
    """Replace one day of the table."""
    frame = spark.range(0, ROWS, 1, 1).selectExpr("id", f"'{note}' AS note", f"{day} AS day")
    writer = frame.write.mode("overwrite").partitionBy("day")
    writer.option("partitionOverwriteMode", "dynamic").parquet(url)


def life(spark: "SparkSession", work: dict[str, Any], day: int) -> None:
    """Replace this writer's day again and again."""
    for number in range(1, work["writes"] + 1):
        begin = time.time()
        overwrite(
            spark,
            f"{work['url']}-{day}" if work.get("apart") else work["url"],
            day,
            f"{day}/{number}",
        )
        write = {"day": day, "write": number, "begin": begin, "end": time.time()}
        # One write: the lines of several threads stay apart.
        sys.stdout.write(f"{json.dumps(write)}\n")
        sys.stdout.flush()


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    folder = Path(work["folder"])
    builder = session_builder(folder, {"": work["endpoint"]}).master(work["master"])
    for key, value in {"spark.scheduler.mode": "FAIR", **work.get("conf", {})}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    log_commits(spark)
    with ThreadPoolExecutor(len(work["days"])) as threads:
        # The first writes of a JVM load its classes and try the bucket out.
        for number in range(WARM_UP):
            warm = [
                threads.submit(overwrite, spark, f"{work['url']}-warm-{folder.name}", day, "w")
                for day in work["days"][: 1 + 3 * number]
            ]
            for one in warm:
                one.result()
        print("ready", flush=True)
        while not Path(work["go"]).exists():
            time.sleep(0.02)
        for one in [threads.submit(life, spark, work, day) for day in work["days"]]:
            one.result()
    print("finished", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
