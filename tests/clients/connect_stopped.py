"""A Spark Connect client that stops its own write: `python -m clients.connect_stopped <JSON>`.

It calls `interruptAll` when the file `stop` of its work is there.
"""

import json
import sys
import time
from pathlib import Path
from threading import Thread

from pyspark.sql import SparkSession

from clients.connect_client import overwrite, told


def main() -> None:
    work = json.loads(sys.argv[1])
    spark = SparkSession.builder.remote(work["remote"]).getOrCreate()
    answers = []

    def write() -> None:
        answers.append(told(lambda: overwrite(spark, work["url"], work["days"], work["note"])))

    thread = Thread(target=write)
    thread.start()
    while not Path(work["stop"]).exists():
        time.sleep(0.05)
    spark.interruptAll()
    thread.join()
    print(f"answer {json.dumps(answers[0])}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
