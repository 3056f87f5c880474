"""One Spark session that writes for a day: `make long-session` (docs/testing/sessions.md).

Overwrites partitions of one table after another, by path and by name, and prints the session's
threads, heap and open files on the way. They must not grow with the number of writes.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from campaigns.store import campaign_lake, described
from e2e.frames import sales
from e2e.sessions import session_builder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from e2e.lake import Lake

MIB = 1 << 20
# Spark keeps the last 1,000 of each for its UI, which would look like a leak of 500 writes.
SPARKS_OWN = {
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "100",
    "spark.sql.ui.retainedExecutions": "10",
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
}
MORE_THREADS = 10
MORE_HEAP = 16
MORE_FILES = 20


@dataclass(frozen=True)
class Held:
    """What the session's JVM holds after a full garbage collection."""

    threads: int
    heap: int
    open_files: int

    def grew_since(self, earlier: "Held") -> bool:
        return (
            self.threads > earlier.threads + MORE_THREADS
            or self.heap > earlier.heap + MORE_HEAP
            or self.open_files > earlier.open_files + MORE_FILES
        )


def held(spark: "SparkSession") -> Held:
    jvm: Any = spark._jvm
    for _ in range(3):
        # Weak references let Spark's cleaner work, which frees more.
        jvm.System.gc()
        time.sleep(0.5)
    runtime = jvm.Runtime.getRuntime()
    return Held(
        jvm.java.lang.management.ManagementFactory.getThreadMXBean().getThreadCount(),
        (runtime.totalMemory() - runtime.freeMemory()) // MIB,
        len(list(Path(f"/proc/{jvm.ProcessHandle.current().pid()}/fd").iterdir())),
    )


def write(spark: "SparkSession", lake: "Lake", number: int, tables: int) -> None:
    """Overwrite one day of a table; half of them are snapshot tables, half are in the catalog."""
    at = number % tables
    frame = sales(spark, [number // tables % 3], f"write {number}")
    url = lake.table(f"table-{at}").url
    spark.conf.set("repave.readers", "snapshot" if at % 4 < 2 else "listing")
    if at % 2 == 0:
        frame.write.mode("overwrite").partitionBy("day").parquet(url)
        return
    place = url.replace("s3a://", "repave://") if at % 4 < 2 else url
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS table_{at} (id BIGINT, note STRING, day INT) USING parquet "
        f"PARTITIONED BY (day) LOCATION '{place}'"
    )
    frame.write.mode("overwrite").insertInto(f"table_{at}")


def run(spark: "SparkSession", lake: "Lake", writes: int, tables: int) -> list[Held]:
    """Return what the session holds after each fifth of its writes."""
    found = []
    for number in range(writes):
        write(spark, lake, number, tables)
        if (number + 1) % (writes // 5) == 0:
            found.append(held(spark))
            print(f"after {number + 1} writes: {found[-1]}", flush=True)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--writes", type=int, default=500)
    options.add_argument("--tables", type=int, default=100)
    options.add_argument("--uncached", action="store_true", help="switch Hadoop's cache off")
    chosen = options.parse_args()
    print(f"Spark {pyspark.__version__}: {described(sys.argv[1:])}", flush=True)
    with campaign_lake(None) as lake, tempfile.TemporaryDirectory(prefix="repave-day-") as folder:
        builder = session_builder(Path(folder), {"": lake.proxy.endpoint})
        for key, value in SPARKS_OWN.items():
            builder = builder.config(key, value)
        uncached = str(chosen.uncached).lower()
        spark = builder.config("spark.hadoop.fs.s3a.impl.disable.cache", uncached).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        found = run(spark, lake, chosen.writes, chosen.tables)
        # By the second fifth every table exists, and every kind of code has run.
        grew = found[-1].grew_since(found[1])
        rows = spark.table("table_1").count()
        spark.stop()
    print(f"rows of one table: {rows}; {'it grew' if grew else 'flat'}", flush=True)
    sys.exit(1 if grew else 0)


if __name__ == "__main__":
    main()
