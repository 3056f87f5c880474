"""A driver of its own: `python -m e2e.driver <JSON>`; a test kills it, or gives it odd settings."""

import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from e2e.frames import notes, sales
from e2e.processes import running
from e2e.sessions import log_commits, session_builder
from repave import RepaveTable

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import DataFrame, SparkSession

TESTS = Path(__file__).parent.parent
SLEEP_SECONDS = 20
RECOVERED = "recovered "
IO = "org.apache.hadoop.io"
NEW_FORMAT = "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"


def session(work: dict[str, Any]) -> "SparkSession":
    endpoints = {"": work["endpoint"]}
    builder = session_builder(Path(work["folder"]), endpoints, rdd_saves="lines" in work)
    for key, value in work.get("conf", {}).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def write(spark: "SparkSession", work: dict[str, Any]) -> None:
    if "statements" in work:
        for statement in work["statements"]:
            spark.sql(statement)
        return
    if "lines" in work:
        save_lines(spark, work)
        return
    writer = shuffled(spark, work).write.mode(work.get("mode", "overwrite")).partitionBy("day")
    writer = writer.options(**work.get("options", {}))
    writer.option("partitionOverwriteMode", work.get("overwrite", "dynamic")).parquet(work["url"])


def shuffled(spark: "SparkSession", work: dict[str, Any]) -> "DataFrame":
    """Return the sales of each day, in tasks by the day.

    `unordered` rows fall into other tasks each time that they are shuffled. Spark calls such a
    stage indeterminate.
    """
    frame, tasks = sales(spark, work["days"], work["note"]), work.get("tasks", 1)
    if work.get("unordered"):
        spark.conf.set("spark.sql.execution.sortBeforeRepartition", "false")
        mixed = frame.repartition(2, "id").rdd.mapPartitions(in_any_order)
        return spark.createDataFrame(mixed, frame.schema).repartition(tasks)
    return frame.repartition(tasks, "day")


def in_any_order(rows: Iterable[Any]) -> list[Any]:
    mixed = list(rows)
    random.shuffle(mixed)
    return mixed


def save_lines(spark: "SparkSession", work: dict[str, Any]) -> None:
    """Save a text file from each task, each of one line."""
    lines = [f"line-{n}" for n in range(work["lines"])]
    rdd = spark.sparkContext.parallelize(lines, work["lines"])
    rdd = rdd.map(first_attempt_sleeps) if work.get("sleeps") else rdd
    if work.get("api") == "new":
        keyed = rdd.map(lambda line: (None, line))
        keyed.saveAsNewAPIHadoopFile(work["url"], NEW_FORMAT, f"{IO}.NullWritable", f"{IO}.Text")
    else:
        rdd.saveAsTextFile(work["url"])


def recover(spark: "SparkSession", work: dict[str, Any]) -> None:
    """Print the days that the table has by its name, recover it, and print what it shows then."""
    named = spark.table(work["name"]).select("day").distinct().collect()
    before = sorted(row.day for row in named)
    found = RepaveTable.for_path(spark, work["recover"]).recover(tables=work.get("tables"))
    after = notes(spark.table(work["name"]))
    answer = {"before": before, "after": after, "found": asdict(found)}
    print(f"{RECOVERED}{json.dumps(answer)}", flush=True)


def first_attempt_sleeps(line: str) -> str:
    """Let one task's first attempt take so long that a speculative twin is started."""
    from pyspark import TaskContext  # noqa: PLC0415 - runs in an executor's Python

    context = TaskContext.get()
    if context and context.partitionId() == 0 and context.attemptNumber() == 0:
        time.sleep(SLEEP_SECONDS)
    return line


@contextmanager
def driver(
    folder: Path,
    work: dict[str, Any],
    module: str = "e2e.driver",
    more: Mapping[str, str] | None = None,
) -> Iterator["subprocess.Popen[str]"]:
    """Run a driver in a process of its own; kill what is left of it when the block ends."""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", module, json.dumps({"folder": str(folder), **work})]
    env = {**os.environ, "PYTHONPATH": path, **(more or {})}
    with running(folder / "driver.log", words, env=env) as child:
        yield child


def executors_of(session: int) -> list[int]:
    """Return the executors' JVMs: processes of the driver's session that say so."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        found = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and is_executor(int(entry.name), session)
        ]
        if found:
            return found
    return []


def is_executor(pid: int, session: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"CoarseGrainedExecutorBackend" in command and os.getsid(pid) == session
    except OSError:
        return False


def main() -> None:
    work = json.loads(sys.argv[1])
    run(work)
    if "again" in work:
        run({**work, **work["again"]})


def run(work: dict[str, Any]) -> None:
    """Write in a session of its own; or recover a table, and show it by its name."""
    spark = session(work)
    spark.sparkContext.setLogLevel("ERROR")
    if work.get("logs"):
        log_commits(spark)
    if "recover" in work:
        recover(spark, work)
    else:
        write(spark, work)
        print("committed", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
