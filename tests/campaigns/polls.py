"""Readers that read a table again and again, while a job replaces all of its partitions.

`python -m campaigns.polls [--polls N]` prints the figures of docs/testing/polls.md. All readers
of a table read at the same time, each in a process of its own. What they saw is written into a
file every few seconds; the same command goes on from there.
"""

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaigns.store import campaign_lake, described, use_lab_credentials
from delta.session import has_delta
from e2e.delta_scan import delta_extension
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import wait_for_line

if TYPE_CHECKING:
    import subprocess

SECONDS = 600
SAVE_SECONDS = 10
LOOK_SECONDS = 1
DAYS = 100
ERRORS_KEPT = 3
PREFIX = "spark.hadoop.repave"
EVERYWHERE = [
    "repave.snapshot, pyarrow",
    "repave.snapshot, DuckDB",
    "repave.snapshot, Polars",
    "Delta log, delta-rs",
    "Delta log, Polars",
    "repave://, Spark",
]
NAME = "name at repave://, Spark"
RAW = ["folders, pyarrow", "folders, Polars", "folders, Spark"]


@dataclass
class Polls:
    """What one reader saw."""

    polls: int = 0
    gaps: int = 0
    duplicates: int = 0
    mixed: int = 0
    errors: int = 0
    versions: int = 0
    seconds: float = 0
    first_errors: list[str] = field(default_factory=list)
    last_rounds: list[int] = field(default_factory=list)

    def add(self, read: dict[str, Any]) -> None:
        """Count what `campaigns.reads` printed of a read; keep the first errors."""
        self.polls += 1
        self.seconds += read["seconds"]
        if "error" in read:
            self.errors += 1
            if len(self.first_errors) < ERRORS_KEPT:
                self.first_errors.append(read["error"])
            return
        self.gaps += read["gap"]
        self.duplicates += read["duplicate"]
        self.mixed += len(read["rounds"]) > 1
        # A reader never goes back, so a new version differs from the last one.
        self.versions += read["rounds"] != self.last_rounds
        self.last_rounds = read["rounds"]


class Poller:
    """The process of one reader, and what it has printed so far."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path, seen: Polls) -> None:
        self._process = process
        self._log = log
        self._seen = seen
        self._at = 0

    def look(self) -> bool:
        """Count the new reads; return whether there may be more."""
        ended = self._process.poll() is not None
        with self._log.open() as output:
            output.seek(self._at)
            told = output.read()
        whole = told[: told.rfind("\n") + 1]
        self._at += len(whole.encode())
        for line in whole.splitlines():
            if line.startswith('{"'):
                self._seen.add(json.loads(line))
        return not ended


class Campaign:
    """What the readers of one table have seen so far, also in earlier runs."""

    def __init__(self, readers: str, chosen: argparse.Namespace) -> None:
        chosen.state.mkdir(parents=True, exist_ok=True)
        self._readers = readers
        self._names = [name for name in readers_of(readers) if name in (chosen.reader or [name])]
        self._polls = chosen.polls
        self._minutes = chosen.minutes
        self._state = chosen.state / f"{readers}.json"
        known = json.loads(self._state.read_text()) if self._state.exists() else {}
        self._seen = {name: Polls(**seen) for name, seen in known.items()}

    def run(self, table: TableFolder, endpoint: str, folder: Path) -> None:
        """Let every reader poll until each has enough, or the time is over."""
        until = time.monotonic() + self._minutes * 60
        with ExitStack() as processes:
            pollers = []
            for number, name in enumerate(self._names):
                seen = self._seen.setdefault(name, Polls())
                if seen.polls < self._polls:
                    place = folder / f"{self._readers}-{number}"
                    place.mkdir()
                    work = _work(name, table.url, endpoint, self._polls - seen.polls)
                    child = processes.enter_context(driver(place, work, _module(name)))
                    pollers.append(Poller(child, place / "driver.log", seen))
            saved = time.monotonic()
            while pollers and time.monotonic() < until:
                pollers = [poller for poller in pollers if poller.look()]
                if time.monotonic() > saved + SAVE_SECONDS:
                    saved = time.monotonic()
                    self.save()
                time.sleep(LOOK_SECONDS)
            self.save()

    def save(self) -> None:
        """Write what was seen into the file from which the next run goes on."""
        new = self._state.with_suffix(".new")
        new.write_text(json.dumps({name: asdict(seen) for name, seen in self._seen.items()}))
        new.replace(self._state)

    def wrong(self) -> list[str]:
        """Return the readers that saw what docs/readers.md excludes, or that read nothing."""
        return [
            f"{self._readers}: {name}"
            for name, seen in self._seen.items()
            if seen.gaps
            or not seen.polls - seen.errors
            or ((seen.duplicates or seen.mixed) and not name.startswith("folders, "))
        ]

    def report(self) -> None:
        for name, seen in self._seen.items():
            print(
                f"| {self._readers} | {name} | {seen.polls} | {seen.gaps} | {seen.duplicates} |"
                f" {seen.mixed} | {seen.errors} | {seen.versions} |"
                f" {seen.seconds / max(1, seen.polls):.2f} |",
                flush=True,
            )
            for error in seen.first_errors:
                print(f"  {name}: {error}", flush=True)


def readers_of(kind: str) -> list[str]:
    """Return the readers that may read a snapshot or a listing table."""
    found = list(EVERYWHERE)
    if kind == "snapshot":
        found.append(NAME)
    if delta_extension():
        found.append("Delta log, DuckDB")
    if has_delta():
        found.append("Delta log, delta-spark")
    if kind == "listing":
        found += RAW
        if delta_extension("httpfs"):
            found.append("folders, DuckDB")
    return found


def _module(name: str) -> str:
    return (
        "campaigns.spark_poller" if name.lower().endswith("spark") else "campaigns.library_poller"
    )


def _work(name: str, url: str, endpoint: str, polls: int) -> dict[str, Any]:
    place = url.replace("s3a://", "repave://") if name.startswith("repave://") else url
    return {"reader": name, "url": place, "endpoint": endpoint, "polls": polls, "days": DAYS}


def campaign(folder: Path, readers: str, chosen: argparse.Namespace) -> list[str]:
    """Let all readers poll one table while a job overwrites it; return those that were wrong."""
    tallies = Campaign(readers, chosen)
    with campaign_lake(chosen.model) as lake:
        table = lake.table(readers)
        endpoint = lake.proxy.endpoint if chosen.model else lake.client.meta.endpoint_url
        home, end = folder / readers, folder / f"{readers}.end"
        home.mkdir()
        work: dict[str, Any] = {
            "endpoint": endpoint,
            "url": table.url,
            "days": DAYS,
            "end": str(end),
            "pause": chosen.pause,
            "conf": {f"{PREFIX}.readers": readers, f"{PREFIX}.followers": "delta"},
        }
        with driver(home, work, "campaigns.overwriter") as child:
            log = home / "driver.log"
            wait_for_line(log, "ready", child, SECONDS)
            tallies.run(table, endpoint, folder)
            tallies.report()
            end.touch()
            wait_for_line(log, r"finished \d+", child, SECONDS)
            print(f"{readers}: {log.read_text().split('finished ')[-1].strip()} overwrites")
    return tallies.wrong()


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--polls", type=int, default=1000, help="reads by each reader")
    options.add_argument("--minutes", type=float, default=600, help="at most, for each table")
    options.add_argument("--pause", type=float, default=2, help="seconds between two overwrites")
    options.add_argument("--model", help="the proxy's latency model; by default no proxy is used")
    options.add_argument("--state", type=Path, default=Path(".work/polls"), help="what was seen")
    options.add_argument("--reader", action="append", metavar="NAME", help="only this one")
    options.add_argument("readers", nargs="*", default=["snapshot", "listing"])
    chosen = options.parse_args()
    here = {name for kind in chosen.readers for name in readers_of(kind)}
    if unknown := set(chosen.reader or ()) - here:
        options.error(f"no reader {min(unknown)!r} here: choose of {sorted(here)}")
    use_lab_credentials()
    print(described(sys.argv[1:]))
    print("| table | reader | reads | gaps | duplicates | mixed | errors | versions | s a read |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="repave-polls-") as folder:
        wrong = [it for readers in chosen.readers for it in campaign(Path(folder), readers, chosen)]
    for reader in wrong:
        print(f"wrong: {reader}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
