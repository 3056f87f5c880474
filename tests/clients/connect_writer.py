"""A client of a Spark Connect server that overwrites days of a table, or prints its rows.

`python -m clients.connect_writer <JSON>`
"""

import json
import sys

from pyspark.sql import SparkSession

from clients.connect_client import overwrite


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()
    if "days" in work:
        options = {"repave.token": work["token"]} if work["token"] else {}
        overwrite(spark, work["url"], work["days"], work["note"], **options)
    else:
        found = spark.read.parquet(work["url"]).select("id", "note", "day").collect()
        print(f"rows {json.dumps([list(row) for row in found])}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
