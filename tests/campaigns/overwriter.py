"""A Spark application that replaces all partitions again and again, until a file appears.

`python -m campaigns.overwriter <JSON>`. It prints "ready" after its first commit, and "finished".
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from e2e.sessions import session_builder

ROWS = 3


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    builder = session_builder(Path(work["folder"]), {"": work["endpoint"]}).master("local[2]")
    for key, value in work["conf"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    days, number, end = work["days"], 0, Path(work["end"])
    while not end.exists():
        number += 1
        frame = spark.range(0, days * ROWS, 1, 4).selectExpr(
            "id", f"{number} AS round", f"CAST(id % {days} AS INT) AS day"
        )
        writer = frame.repartition(4, "day").write.mode("overwrite").partitionBy("day")
        writer.option("partitionOverwriteMode", "dynamic").parquet(work["url"])
        if number == 1:
            print("ready", flush=True)
        time.sleep(work["pause"])
    print(f"finished {number}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
