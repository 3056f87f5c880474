"""What sorted files cost: `make order` (docs/testing/order.md).

Writes the same rows by `repave.ordered` with `repave.order`, and by the usual repartition and
sortWithinPartitions, by turns in one session with a small heap. Then reads all rows.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import repave
from e2e.sessions import session_builder
from repave_lab.servers import embedded_s3

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ORDER = "id"


def usual(frame: "DataFrame") -> "DataFrame":
    return frame.repartition("day").sortWithinPartitions("id")


def by_hand(frame: "DataFrame") -> "DataFrame":
    """The usual call of somebody who knows what the writer needs."""
    return frame.repartition("day").sortWithinPartitions("day", "id")


def by_repave(frame: "DataFrame") -> "DataFrame":
    return repave.ordered(frame, ["day"], ["id"])


SHAPES: dict[str, Callable[["DataFrame"], "DataFrame"]] = {
    "usual": usual,
    "by-hand": by_hand,
    "ordered": by_repave,
}


def seconds(frame: "DataFrame", url: str, shape: str) -> float:
    """Write the rows, and return how long it took."""
    writer = SHAPES[shape](frame).write.mode("overwrite").partitionBy("day")
    if shape == "ordered":
        writer = writer.option("repave.order", ORDER)
    began = time.perf_counter()
    writer.parquet(url)
    return time.perf_counter() - began


def unsorted_files(url: str, endpoint: str) -> tuple[int, int]:
    """Return how many files are not in order, and how many there are."""
    report = repave.verify_order(url, ORDER, prove=True, endpoint_url=endpoint)
    return len(report.disordered), len(report.files)


def measure(ids: int, days: int, rounds: int, heap: str) -> None:
    with embedded_s3("ministack") as server, tempfile.TemporaryDirectory() as folder:
        client = server.client()
        client.create_bucket(Bucket="lake")
        builder = session_builder(Path(folder), {"": server.endpoint})
        spark = builder.config("spark.driver.memory", heap).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        both = spark.range(ids).crossJoin(spark.range(days).withColumnRenamed("id", "day"))
        frame = both.selectExpr("(id * 7919) % 1000003 AS id", "day", "CONCAT('note ', id) AS note")
        tables = {shape: f"s3a://lake/{shape}" for shape in SHAPES}
        took: dict[str, list[float]] = {shape: [] for shape in SHAPES}
        for turn in range(rounds + 1):
            for shape in list(SHAPES)[turn % 3 :] + list(SHAPES)[: turn % 3]:
                duration = seconds(frame, tables[shape], shape)
                if turn:  # the first round warms up
                    took[shape].append(duration)
        base = statistics.median(took["usual"])
        for shape, all_seconds in took.items():
            median = statistics.median(all_seconds)
            wrong, files = unsorted_files(tables[shape], server.endpoint)
            print(
                f"{shape:8} median {median:6.2f} s  min {min(all_seconds):6.2f} s  "
                f"{median / base:.2f} x usual  {wrong} of {files} files not in order"
            )
        spark.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="What sorted files cost.")
    parser.add_argument("--ids", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--heap", default="512m")
    arguments = parser.parse_args()
    os.environ |= {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    print(f"load {os.getloadavg()[0]:.1f}")
    measure(arguments.ids, arguments.days, arguments.rounds, arguments.heap)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
