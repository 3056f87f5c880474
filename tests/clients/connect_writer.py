"""A client of a Spark Connect server that overwrites days of a table, or prints its rows.

`python -m clients.connect_writer <JSON>`
"""

import json
import sys

from pyspark.sql import SparkSession

from e2e.frames import sales


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()
    if "days" in work:
        writer = sales(spark, work["days"], work["note"]).write.mode("overwrite").partitionBy("day")
        if work["token"]:
            writer = writer.option("repave.token", work["token"])
        writer.option("partitionOverwriteMode", "dynamic").parquet(work["url"])
    else:
        found = spark.read.parquet(work["url"]).select("id", "note", "day").collect()
        print(f"rows {json.dumps([list(row) for row in found])}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
