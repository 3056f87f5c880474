"""A Spark application that reads a table again and again, and prints the rows of each read.

`python -m campaigns.spark_poller <JSON>`; a line of JSON for each read, [day, round, rows] each.
"""

import json
import sys
from pathlib import Path
from typing import Any

from e2e.sessions import session_builder


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    builder = session_builder(Path(work["folder"]), {"": work["endpoint"]}).master("local[2]")
    spark = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    reader = spark.read.schema("id bigint, round int, day int")
    for _ in range(work["polls"]):
        try:
            rows = reader.parquet(work["url"]).groupBy("day", "round").count().collect()
            print(json.dumps({"rows": [[row.day, row.round, row[2]] for row in rows]}), flush=True)
        except Exception as error:  # noqa: BLE001 - any failed read is counted
            print(json.dumps({"error": str(error)[:300]}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
