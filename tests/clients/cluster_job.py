"""A task for a cluster: `spark-submit … cluster_job.py <JSON>`; a test kills it.

It appends rows with a token of their own, then runs the five statements of `e2e.nightly`.
"""

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from e2e.nightly import Nightly

if TYPE_CHECKING:
    from e2e.frames import Row

PER_DAY = 3
AUDITED = 4


def expected_audit() -> "Counter[Row]":
    return Counter((n, "audit", 1) for n in range(AUDITED))


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.getOrCreate()
    rows = spark.range(0, AUDITED, 1, 2).selectExpr("id", "'audit' AS note", "1 AS day")
    rows.write.mode("append").option("repave.token", work["token"]).parquet(work["audit"])
    print("audited", flush=True)
    Nightly(spark, work["sales"], work["totals"], PER_DAY).run()
    spark.stop()


if __name__ == "__main__":
    main()
