"""A Spark application that reads a table again and again, and prints what each read saw.

`python -m campaigns.spark_poller <JSON>`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from campaigns.reads import Row, poll
from e2e.sessions import session_builder


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    builder = session_builder(Path(work["folder"]), {"": work["endpoint"]}).master("local[2]")
    # The files are tiny: without this a task reads only thirty of them.
    spark = builder.config("spark.sql.files.openCostInBytes", "0").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    reader = spark.read.schema("id bigint, round int, day int")

    def read() -> list[Row]:
        found = reader.parquet(work["url"]).select("id", "day", "round").collect()
        return [(row.id, row.day, row.round) for row in found]

    poll(read, work["polls"], work["days"])
    spark.stop()


if __name__ == "__main__":
    main()
