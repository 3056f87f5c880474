"""Readers that read a table again and again, while a job replaces all of its partitions.

`python -m campaigns.polls [--polls N]` prints the figures of docs/testing/polls.md. All readers
of a table read at the same time. What they saw is written into a file every few seconds; the same
command goes on from there.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import deltalake
import duckdb
import polars as pl
import pyarrow as pa
from pyarrow import dataset, fs

import repave
from campaigns.overwriter import ROWS
from campaigns.store import campaign_lake, described, wait_for_line
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.test_delta_log import delta_extension

SECONDS = 600
SAVE_SECONDS = 10
DAYS = 100
ERRORS_KEPT = 3
COLUMNS = ["day", "round"]
PREFIX = "spark.hadoop.repave"


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

    def add(self, rows: "Counter[tuple[int, int]]") -> None:
        """Judge one read: rows by day and by the number of the job that wrote them."""
        days: Counter[int] = Counter()
        for (day, _), count in rows.items():
            days[day] += count
        self.gaps += any(days[day] < ROWS for day in range(DAYS))
        self.duplicates += any(count > ROWS for count in days.values())
        rounds = sorted({number for _, number in rows})
        self.mixed += len(rounds) > 1
        # A reader never goes back, so a new version differs from the last one.
        self.versions += rounds != self.last_rounds
        self.last_rounds = rounds

    def failed(self, error: str) -> None:
        """Count a read that failed; keep the first errors."""
        self.errors += 1
        if len(self.first_errors) < ERRORS_KEPT:
            self.first_errors.append(error[:300])


def counted(table: pa.Table) -> "Counter[tuple[int, int]]":
    """Return the number of rows by day and round."""
    return Counter(
        zip(table.column("day").to_pylist(), table.column("round").to_pylist(), strict=True)
    )


class Readers:
    """The readers of one table, each with its own way to find the files."""

    def __init__(self, table: TableFolder, endpoint: str) -> None:
        """Read from the store, or through the proxy in front of it."""
        self._endpoint = endpoint
        self._url = table.url
        self._delta = table.url.replace("s3a://", "s3://")
        self._options = {
            "AWS_ENDPOINT_URL": self._endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }

    def all(self, readers: str) -> dict[str, Callable[[], pa.Table]]:
        """Return the readers that may read this kind of table, by name."""
        found = {
            "repave.snapshot, pyarrow": self.arrow,
            "repave.snapshot, DuckDB": self.duckdb,
            "repave.snapshot, Polars": self.polars,
            "Delta log, delta-rs": self.delta_rs,
            "Delta log, Polars": self.polars_delta,
        }
        if delta_extension():
            found["Delta log, DuckDB"] = self.duckdb_delta
        return found if readers == "snapshot" else {**found, "folders, pyarrow": self.folders}

    def _snapshot(self) -> repave.Snapshot:
        return repave.snapshot(self._url, endpoint_url=self._endpoint)

    def arrow(self) -> pa.Table:
        return self._snapshot().arrow().to_table(columns=COLUMNS)

    def duckdb(self) -> pa.Table:
        with duckdb.connect() as connection:
            relation = self._snapshot().duckdb(connection)
            return relation.select("day, round").to_arrow_table()

    def polars(self) -> pa.Table:
        return self._snapshot().polars().select(COLUMNS).collect().to_arrow()

    def delta_rs(self) -> pa.Table:
        table = deltalake.DeltaTable(self._delta, storage_options=self._options)
        return table.to_pyarrow_dataset().to_table(columns=COLUMNS)

    def polars_delta(self) -> pa.Table:
        frame = pl.scan_delta(self._delta, storage_options=self._options)
        return frame.select(COLUMNS).collect().to_arrow()

    def duckdb_delta(self) -> pa.Table:
        with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
            for extension in (delta_extension("httpfs"), delta_extension()):
                connection.execute(f"LOAD '{extension}'")
            host = self._endpoint.partition("://")[2]
            connection.execute(
                "CREATE SECRET (TYPE s3, KEY_ID 'repave-lab', SECRET 'repave-lab-secret', "
                f"REGION 'us-east-1', ENDPOINT '{host}', USE_SSL false, URL_STYLE 'path')"
            )
            found = connection.sql(f"SELECT day, round FROM delta_scan('{self._delta}')")
            return found.to_arrow_table()

    def folders(self) -> pa.Table:
        host = self._endpoint.partition("://")[2]
        store = fs.S3FileSystem(endpoint_override=host, scheme="http", region="us-east-1")
        folder = self._url.partition("://")[2]
        found = dataset.dataset(
            folder, filesystem=store, partitioning="hive", exclude_invalid_files=True
        )
        return found.to_table(columns=COLUMNS)


class Campaign:
    """What the readers of one table have seen so far, also in earlier runs."""

    def __init__(self, readers: str, polls: int, minutes: float, state: Path) -> None:
        self._readers = readers
        self._polls = polls
        self._until = time.monotonic() + minutes * 60
        self._state = state
        known = json.loads(state.read_text()) if state.exists() else {}
        self._seen = {name: Polls(**seen) for name, seen in known.items()}

    def seen(self, name: str) -> Polls:
        return self._seen.setdefault(name, Polls())

    def save(self) -> None:
        """Write what was seen into the file from which the next run goes on."""
        new = self._state.with_suffix(".new")
        new.write_text(json.dumps({name: asdict(seen) for name, seen in self._seen.items()}))
        new.replace(self._state)

    def _goes_on(self, seen: Polls) -> bool:
        return seen.polls < self._polls and time.monotonic() < self._until

    def poll(self, name: str, reader: Callable[[], pa.Table]) -> None:
        """Read again and again; a read that fails is counted."""
        seen = self.seen(name)
        while self._goes_on(seen):
            begin = time.monotonic()
            try:
                seen.add(counted(reader()))
            except Exception as error:  # noqa: BLE001 - each library has its own
                seen.failed(str(error))
            seen.polls += 1
            seen.seconds += time.monotonic() - begin

    def spark(self, name: str, url: str, endpoint: str, folder: Path) -> None:
        """Let an application of its own read, and judge what it prints."""
        seen = self.seen(name)
        folder.mkdir()
        work = {"endpoint": endpoint, "url": url, "polls": self._polls - seen.polls}
        with driver(folder, work, "campaigns.spark_poller") as child:
            log = folder / "driver.log"
            read, last = 0, time.monotonic()
            while self._goes_on(seen) and (child.poll() is None or read < log.stat().st_size):
                with log.open() as output:
                    output.seek(read)
                    told = output.read()
                whole = told[: told.rfind("\n") + 1]
                read += len(whole.encode())
                for line in whole.splitlines():
                    if line.startswith('{"'):
                        self._judge(seen, json.loads(line))
                        seen.seconds += time.monotonic() - last
                        last = time.monotonic()
                time.sleep(0.2)

    @staticmethod
    def _judge(seen: Polls, read: dict[str, Any]) -> None:
        seen.polls += 1
        if "error" in read:
            seen.failed(read["error"])
        else:
            seen.add(Counter({(day, number): rows for day, number, rows in read["rows"]}))

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


def campaign(folder: Path, readers: str, chosen: argparse.Namespace) -> None:
    """Let all readers poll one table while a job overwrites it."""
    chosen.state.mkdir(parents=True, exist_ok=True)
    state = chosen.state / f"{readers}.json"
    tallies = Campaign(readers, chosen.polls, chosen.minutes, state)
    with campaign_lake(chosen.model) as lake:
        table = lake.table(readers)
        endpoint = lake.proxy.endpoint if chosen.model else lake.client.meta.endpoint_url
        home, end = folder / readers, folder / f"{readers}.end"
        home.mkdir()
        conf = {f"{PREFIX}.readers": readers, f"{PREFIX}.followers": "delta"}
        work: dict[str, Any] = {
            "endpoint": endpoint,
            "url": table.url,
            "days": DAYS,
            "end": str(end),
            "pause": chosen.pause,
            "conf": conf,
        }
        with driver(home, work, "campaigns.overwriter") as child:
            log = home / "driver.log"
            wait_for_line(log, "ready", child, SECONDS)
            found = Readers(table, endpoint).all(readers)
            sparks = {"repave://, Spark": table.url.replace("s3a://", "repave://")}
            if readers == "listing":
                sparks["folders, Spark"] = table.url
            with ThreadPoolExecutor(len(found) + len(sparks)) as threads:
                runs = [threads.submit(tallies.poll, *reader) for reader in found.items()]
                for name, url in sparks.items():
                    place = folder / f"{readers}-{len(runs)}"
                    runs.append(threads.submit(tallies.spark, name, url, endpoint, place))
                while not all(run.done() for run in runs):
                    time.sleep(SAVE_SECONDS)
                    tallies.save()
                tallies.report()
                for run in runs:
                    run.result()
            end.touch()
            wait_for_line(log, r"finished \d+", child, SECONDS)
            print(f"{readers}: {log.read_text().split('finished ')[-1].strip()} overwrites")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--polls", type=int, default=1000, help="reads by each reader")
    options.add_argument("--minutes", type=float, default=600, help="at most, for each table")
    options.add_argument("--pause", type=float, default=2, help="seconds between two overwrites")
    options.add_argument("--model", help="the proxy's latency model; by default no proxy is used")
    options.add_argument("--state", type=Path, default=Path(".work/polls"), help="what was seen")
    options.add_argument("readers", nargs="*", default=["snapshot", "listing"])
    chosen = options.parse_args()
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "repave-lab")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    os.environ.setdefault("AWS_REGION", "us-east-1")
    print(described(sys.argv[1:]))
    print("| table | reader | reads | gaps | duplicates | mixed | errors | versions | s a read |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="repave-polls-") as folder:
        for readers in chosen.readers:
            campaign(Path(folder), readers, chosen)


if __name__ == "__main__":
    main()
