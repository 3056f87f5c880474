"""A client of a Spark Connect server: `python -m clients.connect_client <JSON>`."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from pyspark.sql import SparkSession

import repave
from e2e.frames import sales


def overwrite(
    spark: SparkSession, url: str, days: Iterable[int], note: str, **options: str
) -> None:
    writer = sales(spark, days, note).write
    writer = writer.mode("overwrite").partitionBy("day").options(**options)
    writer.option("partitionOverwriteMode", "dynamic").parquet(url)


def told(call: Any) -> dict[str, str]:  # noqa: ANN401 - a function without arguments
    """Call, and return the error as a user would see it."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever the client raises
        return {"type": type(error).__name__, "message": str(error)}
    return {"type": "", "message": ""}


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()
    url, day = work["url"], work["day"]
    if "repeats" in work:
        overwrite(spark, url, [day], "repeated", **{"repave.token": work["repeats"]})
        print("answer {}", flush=True)
        return
    for n in range(work["rounds"]):
        overwrite(spark, url, [day], f"round {n}", **{"repave.token": f"{day}-{n}"})

    def repeated() -> None:
        with repave.typed_errors():
            overwrite(spark, url, [day], "again", **{"repave.token": f"{day}-0"})

    def of_a_session() -> None:
        spark.conf.set("repave.token", f"session {day}")
        try:
            with repave.typed_errors():
                overwrite(spark, url, [day], "of a session")
        finally:
            spark.conf.unset("repave.token")

    answer = {
        "refused": told(repeated),
        "of_a_session": told(of_a_session),
        "table": told(lambda: repave.RepaveTable.for_path(spark, url)),
        "last_commit": told(lambda: repave.last_commit(spark, url)),
        "verify": told(lambda: repave.verify_session(spark)),
        "rows": sorted(list(row) for row in spark.read.parquet(url).collect()),
    }
    print(f"answer {json.dumps(answer)}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
