"""An S3 server with latency for a campaign, and what lies in its tables."""

import io
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyarrow import parquet

from e2e.lake import Lake, TableFolder
from repave_lab.proxy import Proxy
from repave_lab.servers import embedded_s3

if TYPE_CHECKING:
    from e2e.frames import Row

DAY = "day="


def use_lab_credentials() -> None:
    """Let readers that ask the environment reach the lab's servers."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "repave-lab")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    os.environ.setdefault("AWS_REGION", "us-east-1")


@contextmanager
def campaign_lake(model: str | None, seed: int = 1) -> Iterator[Lake]:
    """Run MiniStack behind the proxy with a latency model."""
    with (
        embedded_s3("ministack") as server,
        Proxy(server.endpoint, seed=seed, model=model) as proxy,
    ):
        client = server.client()
        client.create_bucket(Bucket="lake")
        yield Lake("lake", client, proxy)


def listed_rows(table: TableFolder) -> "Counter[Row]":
    """Return the rows of all files in the folder, as (id, note, day), past the proxy."""
    found: Counter[Row] = Counter()
    for key in table.data():
        answer = table.lake.client.get_object(Bucket=table.lake.bucket, Key=f"{table.name}/{key}")
        file = parquet.ParquetFile(io.BytesIO(answer["Body"].read())).read()
        columns = [file.column("id").to_pylist(), file.column("note").to_pylist()]
        days = file.column("day").to_pylist() if "day" in file.column_names else None
        columns.append(days or [day_of(key)] * len(file))
        found.update(zip(*columns, strict=True))
    return found


def day_of(key: str) -> int:
    """Return the day of a partition's file.

    >>> day_of("day=7/part-0.parquet")
    7
    """
    return int(key.partition(DAY)[2].partition("/")[0])


def described(arguments: list[str]) -> str:
    """Return what a figure has to be read with: command, date, commit, load."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    return (
        f"{' '.join(arguments)}, {when} UTC, commit {commit}, load {load}, {os.cpu_count()} cores"
    )
