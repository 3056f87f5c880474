"""Readers that read a table again and again, while a job replaces all of its partitions.

`python -m campaigns.polls [--polls N]` prints the figures of docs/testing/polls.md.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
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

SECONDS = 600
DAYS = 100
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
    first_error: str = ""
    seconds: float = 0

    def add(self, rows: "Counter[tuple[int, int]]") -> None:
        """Judge one read: rows by day and by the number of the job that wrote them."""
        days: Counter[int] = Counter()
        for (day, _), count in rows.items():
            days[day] += count
        self.gaps += any(days[day] < ROWS for day in range(DAYS))
        self.duplicates += any(count > ROWS for count in days.values())
        self.mixed += len({number for _, number in rows}) > 1


def counted(table: pa.Table) -> "Counter[tuple[int, int]]":
    """Return the number of rows by day and round."""
    return Counter(
        zip(table.column("day").to_pylist(), table.column("round").to_pylist(), strict=True)
    )


class Readers:
    """The readers of one table, each with its own way to find the files."""

    def __init__(self, table: TableFolder) -> None:
        """Read through the proxy."""
        self._endpoint = table.lake.proxy.endpoint
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

    def folders(self) -> pa.Table:
        host = self._endpoint.partition("://")[2]
        store = fs.S3FileSystem(endpoint_override=host, scheme="http", region="us-east-1")
        folder = self._url.partition("://")[2]
        found = dataset.dataset(
            folder, filesystem=store, partitioning="hive", exclude_invalid_files=True
        )
        return found.to_table(columns=COLUMNS)


def poll(reader: Callable[[], pa.Table], polls: int) -> Polls:
    """Read again and again; a read that fails is counted."""
    seen = Polls()
    rounds: set[int] = set()
    begin = time.monotonic()
    for _ in range(polls):
        seen.polls += 1
        try:
            rows = counted(reader())
        except Exception as error:  # noqa: BLE001 - each library has its own
            seen.errors += 1
            seen.first_error = seen.first_error or str(error)
            continue
        seen.add(rows)
        rounds |= {number for _, number in rows}
    seen.versions = len(rounds)
    seen.seconds = (time.monotonic() - begin) / polls
    return seen


def campaign(folder: Path, readers: str, polls: int, model: str | None) -> None:
    """Let each reader poll one table while a job overwrites it."""
    with campaign_lake(model) as lake:
        table = lake.table(readers)
        home, end = folder / readers, folder / f"{readers}.end"
        home.mkdir()
        conf = {f"{PREFIX}.readers": readers, f"{PREFIX}.followers": "delta"}
        work: dict[str, Any] = {
            "endpoint": lake.proxy.endpoint,
            "url": table.url,
            "days": DAYS,
            "end": str(end),
            "conf": conf,
        }
        with driver(home, work, "campaigns.overwriter") as child:
            log = home / "driver.log"
            wait_for_line(log, "ready", child, SECONDS)
            for name, reader in Readers(table).all(readers).items():
                seen = poll(reader, polls)
                print(
                    f"| {readers} | {name} | {seen.polls} | {seen.gaps} | {seen.duplicates} |"
                    f" {seen.mixed} | {seen.errors} | {seen.versions} | {seen.seconds:.2f} |",
                    flush=True,
                )
                if seen.errors:
                    print(f"  {name}: {seen.first_error[:300]}", flush=True)
            end.touch()
            wait_for_line(log, r"finished \d+", child, SECONDS)
            print(f"{readers}: {log.read_text().split('finished ')[-1].strip()} overwrites")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--polls", type=int, default=1000)
    options.add_argument("--model", help="the proxy's latency model; by default none")
    options.add_argument("readers", nargs="*", default=["snapshot", "listing"])
    chosen = options.parse_args()
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "repave-lab")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    os.environ.setdefault("AWS_REGION", "us-east-1")
    print(described(sys.argv[1:]))
    print("| table | reader | polls | gaps | duplicates | mixed | errors | versions | s a poll |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="repave-polls-") as folder:
        for readers in chosen.readers:
            campaign(Path(folder), readers, chosen.polls, chosen.model)


if __name__ == "__main__":
    main()
