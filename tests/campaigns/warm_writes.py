"""The CPU time of a write in a warm session: `make warm-writes` (docs/testing/cpu.md).

Replaces all partitions of one table again and again, and prints the CPU time of each kind of
thread: those that upload, those that complete, Spark's tasks, the JVM's compiler and collector.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from benchmarks.cpu import cpu_seconds
from campaigns.store import campaign_lake, described
from e2e.sessions import session_builder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 100
TASKS = 4
KINDS = {
    "repave-upload-": "uploads",
    "repave-commit-": "commit",
    "Executor task": "Spark's tasks",
    "C1 CompilerThre": "compiler",
    "C2 CompilerThre": "compiler",
    "GC Thread": "collector",
    "G1 ": "collector",
}
OTHERS = "other"


def spent(pid: int) -> defaultdict[str, float]:
    """Return the CPU seconds of a process so far, by kind of thread."""
    found: defaultdict[str, float] = defaultdict(float)
    for thread in Path(f"/proc/{pid}/task").iterdir():
        try:
            name, seconds = (thread / "comm").read_text("utf-8"), cpu_seconds(thread / "stat")
        except OSError:
            continue  # It has ended.
        kind = next((kind for start, kind in KINDS.items() if name.startswith(start)), OTHERS)
        found[kind] += seconds
    return found


def write(spark: "SparkSession", url: str, partitions: int) -> dict[str, float]:
    """Replace all partitions; return the seconds and the CPU seconds of each kind of thread."""
    pid = spark._jvm.ProcessHandle.current().pid()  # type: ignore[union-attr]
    frame = spark.range(0, partitions * ROWS, 1, TASKS).selectExpr(
        "id", "CAST(id AS STRING) AS text", f"CAST(id / {ROWS} AS INT) AS part"
    )
    before, begun = spent(pid), time.perf_counter()
    frame.write.mode("overwrite").partitionBy("part").parquet(url)
    seconds = time.perf_counter() - begun
    after = spent(pid)
    return {"seconds": seconds, **{kind: after[kind] - before[kind] for kind in after}}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--partitions", type=int, default=1000)
    options.add_argument("--writes", type=int, default=40)
    options.add_argument("--readers", choices=("listing", "snapshot"), default="listing")
    chosen = options.parse_args()
    print(f"Spark {pyspark.__version__}: {described(sys.argv[1:])}", flush=True)
    kinds = ["seconds", *dict.fromkeys(KINDS.values()), OTHERS]
    print("write | " + " | ".join(kinds))
    writes = []
    with campaign_lake(None) as lake, tempfile.TemporaryDirectory(prefix="repave-cpu-") as folder:
        builder = session_builder(Path(folder), {"": lake.client.meta.endpoint_url})
        builder = builder.config("spark.hadoop.repave.readers", chosen.readers)
        dynamic = builder.config("spark.sql.sources.partitionOverwriteMode", "dynamic")
        spark = dynamic.config("spark.driver.memory", "3g").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        for number in range(chosen.writes):
            writes.append(write(spark, lake.table("warm").url, chosen.partitions))
            line = " | ".join(f"{writes[-1].get(kind, 0):.2f}" for kind in kinds)
            print(f"{number} | {line}", flush=True)
        spark.stop()
    last = writes[-5:]
    own = statistics.median(one["uploads"] + one.get("commit", 0) for one in last)
    milliseconds = 1000 * own / chosen.partitions
    print(f"the last {len(last)} writes: {milliseconds:.2f} ms in Repave's threads for each file")


if __name__ == "__main__":
    main()
