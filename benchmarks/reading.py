"""One query, measured: a reader opens a table, or reads one of its partitions."""

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Timed, figures
from benchmarks.readers import Answer, Reader
from benchmarks.result import Checked, Figures
from benchmarks.run_context import RunContext, System
from benchmarks.session import start_session
from benchmarks.sites import Site
from benchmarks.workload import NEW, Workload


class Reading:
    """A reader, a workload, and a store that they have for themselves."""

    def __init__(self, reader: Reader, workload: Workload, site: Site) -> None:
        self._reader = reader
        self._workload = workload
        self._site = site
        self._part = workload.partitions // 2

    def measure(self, folder: Path) -> tuple[Checked, Figures]:
        """Write a table and read it, both without latency; replace it, and read it with latency.

        So the reader's classes are loaded, and what it may have kept of the table is out of date,
        as on the morning after a nightly job.
        """
        events = folder / "events"
        events.mkdir()
        workload, system = self._workload, self._reader.system()
        own = system.conf(workload.write, self._site.lake)
        spark = start_session(self._site.conf(), folder, events, own)
        try:
            context = RunContext(spark, self._site.through, folder / "files", self._site.lake)
            system.create(context, workload.old(spark))
            self._query(system, context)()
            system.write(context, workload.new(spark), workload.write)
            fresh = RunContext(spark.newSession(), context.client, context.folder, self._site.lake)
            if workload.query == "open-again":
                self._reader.open(system, fresh)
            return self._timed(lambda: self._query(system, fresh))
        finally:
            spark.stop()

    def _query(self, system: System, context: RunContext) -> Callable[[], Answer]:
        """Do what is measured; its result tells what was found."""
        if self._workload.query != "read-partition":
            return self._reader.open(system, context)
        answer = self._reader.query(system, context, self._part)
        return lambda: answer

    def _timed(self, query: Callable[[], Callable[[], Answer]]) -> tuple[Checked, Figures]:
        workload = self._workload
        self._site.begin(None)
        begin = time.time()
        found = query()
        timed = Timed(begin, time.time(), tries=1)
        entries = self._site.end(None)
        one = workload.query == "read-partition"
        expected = workload.expected()[(self._part, NEW)] if one else workload.read_back()
        return "right" if found() == expected else "wrong", figures(entries, timed, None, None)
