"""One write, measured: what the clock, the journal, the event log and a reader say of it."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.cpu import CpuTime
from benchmarks.heap import peak_bytes, reset_peak
from benchmarks.phases import last_task_end
from benchmarks.poller import Poller
from benchmarks.result import Checked, Figures
from benchmarks.run_context import RunContext, System
from benchmarks.session import start_session
from benchmarks.sites import Site, keys
from benchmarks.victim import death_of, kill_when
from benchmarks.visibility import Visibility, replay
from benchmarks.workload import Workload, found_rows
from repave_lab.proxy import Entry

CONFLICTS: Final = ("CommitConflict", "CommitFailed", "Concurrent", "CONCURRENT", "conflicting")
"""What Repave, Iceberg and Delta say when another job was faster."""
TRIES_IN_CROWD: Final = 20


@dataclass(frozen=True)
class Timed:
    """When a write ran, and how often it was started: once, and once more for each conflict."""

    begin: float
    end: float
    tries: int


class Run:
    """A system, a workload, and a store that they have for themselves."""

    def __init__(self, name: str, system: System, workload: Workload, site: Site) -> None:
        self._name = name
        self._system = system
        self._workload = workload
        self._site = site

    def measure(self, folder: Path) -> tuple[Checked, Figures]:
        """Write old data without latency, then the workload with it, and read it back."""
        events = folder / "events"
        events.mkdir()
        own = self._system.conf(self._workload.write, self._site.lake)
        spark = start_session(self._site.conf(), folder, events, own)
        try:
            context = RunContext(spark, self._site.through, folder / "files", self._site.lake)
            # This also loads the classes and warms the JVM, for every system alike.
            self._system.create(context, self._workload.old(spark))
            for _ in range(self._workload.earlier_commits):
                self._system.write(context, self._workload.again(spark), self._workload.write)
            if self._workload.crash:
                self._crash()
            return self._write(context, lambda begin, end: last_task_end(events, begin, end))
        finally:
            spark.stop()

    def _write(
        self, context: RunContext, tasks_end: Callable[[float, float], float | None]
    ) -> tuple[Checked, Figures]:
        workload, lake, spark = self._workload, self._site.lake, context.spark
        new = workload.new(spark)
        self._system.prepare(context, new)
        before = self._keys()
        reset_peak(spark)
        self._site.begin(spark)
        cpu = CpuTime(self._processes(spark))
        with Poller(self._keys, lake.table) as poller:
            timed = self._timed(context, new)
            cpu_seconds = cpu.seconds()
            heap = peak_bytes(spark)
            entries = self._site.end(spark)
        listed = self._system.listed and not workload.flat
        shown = replay(entries, before, lake.table, timed.end) if listed else None
        found = found_rows(self._system.read(context))
        told = figures(entries, timed, tasks_end(timed.begin, timed.end), self._meant(shown))
        polled = self._meant(poller.seen() if listed else None)
        return (
            "right" if found == workload.expected() else "wrong",
            replace(
                told,
                polled_missing_seconds=polled.missing_seconds if polled else None,
                polled_doubled_seconds=polled.doubled_seconds if polled else None,
                polls=poller.polls,
                heap_peak_bytes=heap,
                cpu_seconds=cpu_seconds or None,
                commit_millis=self._commit_millis(set(before)),
            ),
        )

    def _processes(self, spark: Any) -> dict[str, int]:  # noqa: ANN401 - a SparkSession
        jvm = spark._jvm.ProcessHandle.current().pid()  # noqa: SLF001 - no other way to it
        return {"spark": jvm, "python": os.getpid(), **self._site.processes}

    def _timed(self, context: RunContext, new: Any) -> Timed:  # noqa: ANN401 - a DataFrame
        """Write, all writers at once."""
        workload, shares = self._workload, self._workload.shares(new)
        tries = TRIES_IN_CROWD if workload.writers > 1 else 1 + workload.crash

        def write(share: Any) -> int:  # noqa: ANN401 - a DataFrame
            return repeats(lambda: self._system.write(context, share, workload.write), tries)

        with ThreadPoolExecutor(len(shares)) as pool:
            begin = time.time()
            repeated = sum(pool.map(write, shares))
            return Timed(begin, time.time(), 1 + repeated)

    def _crash(self) -> None:
        """Let the same job die in its commit, at a request that it never gets an answer to."""
        workload, lake = self._workload, self._site.lake
        fault = death_of(self._name).fault(workload.files, lake.table)
        self._site.begin(None)
        is_held = self._site.hold(fault)
        kill_when(is_held, self._name, workload, lake, self._site.conf())
        self._site.end(None)

    def _meant(self, shown: Visibility | None) -> Visibility | None:
        """Leave out what an append is for: old and new side by side."""
        if shown and self._workload.write == "append":
            return replace(shown, doubled_seconds=None)
        return shown

    def _keys(self) -> list[str]:
        return keys(self._site.direct, self._site.lake)

    def _commit_millis(self, before: set[str]) -> dict[str, int] | None:
        """Return what Repave's own report of this commit says of each step."""
        reports = [key for key in self._keys() if key.endswith("/report.json")]
        new = [key for key in reports if "/_repave/commits/" in key and key not in before]
        if not new:
            return None
        bucket = self._site.lake.bucket
        body = self._site.direct.get_object(Bucket=bucket, Key=max(new))["Body"].read()
        millis: dict[str, int] = json.loads(body)["millis"]
        return millis


def repeats(write: Callable[[], None], tries: int) -> int:
    """Write until there is no conflict, and return how often that was repeated."""
    for repeated in range(tries):
        try:
            write()
        except Exception as error:
            is_conflict = any(word in str(error) for word in CONFLICTS)
            if not is_conflict or repeated + 1 == tries:
                raise
        else:
            return repeated
    raise AssertionError(tries)


def figures(
    entries: list[Entry], timed: Timed, tasks_end: float | None, seen: Visibility | None
) -> Figures:
    """Put together what the clock, the journal and the event log say."""
    begin, end = timed.begin, timed.end
    return Figures(
        seconds=round(end - begin, 3),
        task_seconds=None if tasks_end is None else round(tasks_end - begin, 3),
        commit_seconds=None if tasks_end is None else round(end - tasks_end, 3),
        requests=dict(sorted(Counter(entry.op for entry in entries).items())),
        bytes_copied=sum(entry.copied or 0 for entry in entries),
        bytes_stored=sum(entry.stored or 0 for entry in entries),
        missing_seconds=seen.missing_seconds if seen else None,
        missing_longest_seconds=seen.missing_longest_seconds if seen else None,
        missing_partitions=seen.missing_partitions if seen else None,
        doubled_seconds=seen.doubled_seconds if seen else None,
        tries=timed.tries,
    )
