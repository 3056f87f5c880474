"""One run, in a process of its own: `python -m benchmarks.run` prints one line of JSON."""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.ground import BUCKET, TABLE, Ground, System
from benchmarks.phases import last_task_end
from benchmarks.result import Checked, Circumstances, Figures, Result
from benchmarks.session import start_session
from benchmarks.systems import SYSTEMS
from benchmarks.versions import cores, git_sha, versions
from benchmarks.visibility import Visibility, replay
from benchmarks.workload import NEW, OLD, Workload, found_rows, load_workload
from repave.lab.proxy import Entry, Proxy, load_model
from repave.lab.servers import embedded_s3

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SERVER: Final = "ministack"
REFUSAL: Final = "does not support dynamicPartitionOverwrite"


class Run:
    """A system, a workload, and an empty store that they have for themselves."""

    def __init__(self, system: System, workload: Workload, proxy: Proxy, folder: Path) -> None:
        self._system = system
        self._workload = workload
        self._proxy = proxy
        self._folder = folder
        self._events = folder / "events"

    def measure(
        self, direct: "S3Client", through: "S3Client", model: str
    ) -> tuple[Checked, Figures]:
        """Write old data without latency, then the workload with it, and read it back."""
        self._events.mkdir()
        write = self._workload.write
        own = self._system.conf(write)
        spark = start_session(self._proxy.endpoint, self._folder, self._events, own)
        try:
            ground = Ground(spark, through, self._folder / "files")
            # This also loads the classes and warms the JVM, for every system alike.
            self._system.create(ground, self._workload.frame(spark, OLD))
            new = self._workload.frame(spark, NEW)
            self._system.prepare(ground, new)
            before = keys(direct)
            self._proxy.settle()
            self._proxy.reset()
            self._proxy.set_model(load_model(model))
            begin = time.time()
            self._system.write(ground, new, write)
            end = time.time()
            self._proxy.settle()
            self._proxy.set_model(None)
            entries = self._proxy.journal()
            found = found_rows(self._system.read(ground))
            seen = replay(entries, before, TABLE, end) if self._system.listed else None
            if seen and write == "append":
                seen = replace(seen, doubled_seconds=None)  # Both are what it is for.
        finally:
            spark.stop()
        return (
            "right" if found == self._workload.expected() else "wrong",
            figures(entries, (begin, end), last_task_end(self._events, begin, end), seen),
        )


def figures(
    entries: list[Entry],
    interval: tuple[float, float],
    tasks_end: float | None,
    seen: Visibility | None,
) -> Figures:
    """Put together what the clock, the journal and the event log say."""
    begin, end = interval
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
    )


def keys(client: "S3Client") -> list[str]:
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return [one["Key"] for page in pages for one in page.get("Contents", ())]


def run(options: argparse.Namespace) -> Result:
    """Run once; whatever goes wrong is a result as well."""
    workload = load_workload(options.workload).scaled(options.partitions)
    told = Circumstances(
        model=load_model(options.model).name,
        seed=options.seed,
        git_sha=git_sha(),
        cores=cores(),
        started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        load=round(os.getloadavg()[0], 1),
        versions=versions(),
    )
    checked: Checked
    measured, reason = None, ""
    try:
        with (
            tempfile.TemporaryDirectory(prefix="repave-bench-") as folder,
            embedded_s3(SERVER) as server,
            Proxy(server.endpoint, seed=options.seed) as proxy,
        ):
            direct = server.client()
            direct.create_bucket(Bucket=BUCKET)
            one = Run(SYSTEMS[options.system](), workload, proxy, Path(folder))
            checked, measured = one.measure(direct, server.client(proxy.endpoint), options.model)
    except Exception as error:  # noqa: BLE001 - a failed run is told, never dropped
        text = str(error)
        checked = "refused" if REFUSAL in text else "failed"
        reason = first_sentence(text, REFUSAL)
    return Result(
        system=options.system,
        workload=workload.name,
        partitions=workload.partitions,
        files=workload.files,
        repeat=options.repeat,
        circumstances=told,
        checked=checked,
        figures=measured,
        reason=reason,
    )


def first_sentence(text: str, wanted: str) -> str:
    """Return the line that says why: the refusal, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fitting = [line for line in lines if wanted in line]
    return next(iter(fitting or lines), "no reason was told")[:300]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--system", choices=SYSTEMS, required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--model", default="typical")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    line = run(options).line()
    sys.stdout.write(line)


if __name__ == "__main__":
    main()
