"""A Spark Connect client with a stream: `python -m clients.connect_stream <JSON>`.

Each batch appends with a token. After its write, a batch fails if the file `fails` of the work
exists.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from clients.connect_client import told

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def main() -> None:
    work = json.loads(sys.argv[1])
    url, fails = work["url"], work["fails"]
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()

    def put(batch: "DataFrame", batch_id: int) -> None:
        writer = batch.write.mode("append").partitionBy("day")
        writer.option("repave.token", f"orders-{batch_id}").parquet(url)
        if Path(fails).exists():
            message = "the batch fails after its write"
            raise RuntimeError(message)

    files = spark.readStream.schema("id long, note string, day int").json(work["source"])
    writer = files.writeStream.foreachBatch(put).option("checkpointLocation", work["checkpoint"])

    def run() -> None:
        writer.trigger(availableNow=True).start().awaitTermination()

    print(f"answer {json.dumps(told(run))}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
