"""The demo's acts, in order. Every figure that it prints was counted or measured in this run."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

import repave
from repave_lab.demo.lake import BUCKET, PARTITIONS, STOCK, Lake, sales
from repave_lab.demo.readers import everybody
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NIGHT = range(28, 31)
KILL_WAIT_SECONDS = 400.0  # A busy machine takes minutes to start a driver.


@dataclass(frozen=True)
class Run:
    """What one write cost."""

    seconds: float
    requests: int
    copies: int


class Story:
    """Tells what Repave does by doing it."""

    def __init__(self, spark: "SparkSession", lake: Lake, console: Console) -> None:
        self._spark = spark
        self._lake = lake
        self._console = console

    def tell(self) -> bool:
        """Play all acts; return whether every reader saw what was right."""
        self._fill()
        stock, repaved = self._compare()
        right = self._kill()
        self._history()
        self._costs(stock, repaved)
        return right

    def _say(self, title: str, text: str) -> None:
        self._console.print(f"\n[bold]{title}[/bold]\n{text}")

    def _fill(self) -> None:
        self._say("1. A table", f"{PARTITIONS} days of sales, plain Parquet: s3a://{BUCKET}/sales")
        for table in ("sales", "stock"):
            self._write(table, range(1, PARTITIONS + 1), revision=1)

    def _compare(self) -> tuple[Run, Run]:
        self._say(
            "2. The nightly job",
            f"overwrites {len(NIGHT)} of {PARTITIONS} days; once with Spark's own protocol on"
            " S3A, once with Repave, on the same data and latency",
        )
        conf = "spark.sql.sources.commitProtocolClass"
        self._spark.conf.set(conf, STOCK)
        stock = self._write("stock", NIGHT, revision=2)
        self._spark.conf.set(conf, repave.PROTOCOL)
        return stock, self._write("sales", NIGHT, revision=2)

    def _write(self, table: str, days: range, revision: int) -> Run:
        seen = sum(self._lake.proxy.counts().values())
        copied = self._lake.proxy.counts()["CopyObject"]
        begun = time.monotonic()
        frame = sales(self._spark, days, revision)
        frame.write.mode("overwrite").partitionBy("dt").parquet(f"s3a://{BUCKET}/{table}")
        counts = self._lake.proxy.counts()
        return Run(
            seconds=time.monotonic() - begun,
            requests=sum(counts.values()) - seen,
            copies=counts["CopyObject"] - copied,
        )

    def _kill(self) -> bool:
        self._say(
            "3. A driver dies",
            "The job runs again as a program of its own. Its driver is killed (SIGKILL) while it"
            " waits for the answer to its second CompleteMultipartUpload: the commit is decided,"
            " and only some of its files are visible.",
        )
        before = self._see("before")
        self._lake.proxy.set_faults([Fault("hang", "CompleteMultipartUpload", nth=2)])
        words = (self._lake.proxy.endpoint, f"s3a://{BUCKET}/sales", NIGHT.start, NIGHT.stop - 1, 3)
        with self._lake.log.open("ab") as log:
            driver = subprocess.Popen(
                [sys.executable, "-m", "repave_lab.demo.night", *map(str, words)],
                stdout=log,
                stderr=log,
            )
        try:
            self._lake.proxy.wait_for_hits(1, KILL_WAIT_SECONDS)
        finally:
            self._end(driver)
            self._lake.proxy.set_faults([])
        self._see("after the kill, a reader that lists may see old and new rows")
        table = repave.RepaveTable.for_path(self._spark, f"s3a://{BUCKET}/sales")
        for commit in table.status().active:
            self._console.print(f"   unfinished: {commit.commit}, {commit.state}")
        begun = time.monotonic()
        table.recover()
        seconds = time.monotonic() - begun
        after = self._see(f"after `recover`, {seconds:.1f} s")
        return self._is_right(before, 2) and self._is_right(after, 3)

    @staticmethod
    def _end(driver: "subprocess.Popen[bytes]") -> None:
        # pyspark's gateway is a JVM of its own: end the two, by their ids.
        for child in _children(driver.pid):
            os.kill(child, signal.SIGKILL)
        driver.kill()
        driver.wait()

    def _see(self, when: str) -> dict[str, dict[int, int]]:
        seen = everybody(self._spark, self._lake, "sales")
        shown = Table(title=f"rows by revision, {when}", title_justify="left")
        revisions = sorted({revision for counts in seen.values() for revision in counts})
        for column in ("reader", *(f"revision {revision}" for revision in revisions), "all"):
            shown.add_column(column, justify="left" if column == "reader" else "right")
        for reader, counts in seen.items():
            cells = [f"{counts.get(revision, 0):,}" for revision in revisions]
            shown.add_row(reader, *cells, f"{sum(counts.values()):,}")
        self._console.print(shown)
        return seen

    @staticmethod
    def _is_right(seen: dict[str, dict[int, int]], revision: int) -> bool:
        rows = 1_000
        wanted = {1: (PARTITIONS - len(NIGHT)) * rows, revision: len(NIGHT) * rows}
        return all(counts == wanted for counts in seen.values())

    def _history(self) -> None:
        self._say("4. The history", "what each commit added and removed")
        shown = Table("version", "commit", "kind", "partitions", "files in", "files out")
        table = repave.RepaveTable.for_path(self._spark, f"s3a://{BUCKET}/sales")
        for entry in table.history():
            cells = (entry.version, entry.commit[:19], entry.kind, entry.partitions)
            shown.add_row(*map(str, (*cells, entry.files_in, entry.files_out)))
        self._console.print(shown)

    def _costs(self, stock: Run, repaved: Run) -> None:
        self._say(
            "5. What the same night cost",
            "counted and timed by the proxy in this run; its latencies are modelled, so these"
            " are not figures of Amazon S3",
        )
        shown = Table("", "seconds", "requests", "copies")
        for name, run in (("Spark's own protocol on S3A", stock), ("Repave", repaved)):
            shown.add_row(name, f"{run.seconds:.1f}", f"{run.requests:,}", str(run.copies))
        self._console.print(shown)


def _children(pid: int) -> list[int]:
    """Return the processes below one, the deepest first."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    found: list[int] = []
    for line in listed.stdout.split():
        found += [*_children(int(line)), int(line)]
    return found
