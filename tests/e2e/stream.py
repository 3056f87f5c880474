"""A stream into a table, with the token of README: `python -m e2e.stream <JSON>`; a test kills it.

It reads the files of a folder, one in each batch, and ends when it has read them all.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import repave
from e2e.sessions import session_builder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from e2e.frames import Row

COLUMNS = "id long, note string, day int"
PER_DAY = 3
FIRST_FILE = 1_790_000_000


def batch_rows(number: int) -> "list[Row]":
    """Return the rows of a batch: it shares a day with the batch before it."""
    days = (number, number + 1)
    return [(10 * number + n, f"batch {number}", day) for day in days for n in range(PER_DAY)]


def rows_after(batches: int, mode: str) -> "Counter[Row]":
    """Return the rows after so many batches, appended or by dynamic overwrite."""
    found: list[Row] = []
    for number in range(batches):
        new = batch_rows(number)
        if mode == "overwrite":
            found = [row for row in found if row[2] not in {row[2] for row in new}]
        found += new
    return Counter(found)


def add_file(source: Path, number: int) -> None:
    """Put the rows of a batch into a file that the stream has not read."""
    source.mkdir(exist_ok=True)
    rows = [dict(zip(("id", "note", "day"), row, strict=True)) for row in batch_rows(number)]
    file = source / f"{number}.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    # Spark takes files by their time in milliseconds, and those of one millisecond in any order.
    os.utime(file, (FIRST_FILE + number, FIRST_FILE + number))


def main(arguments: Iterable[str]) -> None:
    (text,) = arguments
    work: dict[str, Any] = json.loads(text)
    builder = session_builder(Path(work["folder"]), {"": work["endpoint"]})
    for key, value in work["conf"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("WARN")

    def put(batch: "DataFrame", batch_id: int) -> None:
        print(f"begin {batch_id}", flush=True)
        with repave.write_options(spark, token=f"{work['stream']}-{batch_id}"):
            writer = batch.write.mode(work["mode"]).partitionBy("day")
            writer.option("partitionOverwriteMode", "dynamic").parquet(work["url"])
        print(f"done {batch_id}", flush=True)

    files = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(work["source"])
    writer = files.writeStream.foreachBatch(put).option("checkpointLocation", work["checkpoint"])
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
