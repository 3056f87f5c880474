"""How long readers of Delta tables take to open a log of 100 and of 10,000 versions.

`python -m campaigns.long_log FOLDER` prints the figures of docs/testing/delta.md. The folder has
the logs that `LongDeltaLogTest` writes. delta-spark reads if there is one for this Spark. The
command fails when a reader sends more than 5 requests more for the long log.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import deltalake
import duckdb
import polars as pl

from campaigns.store import campaign_lake, described, use_lab_credentials
from delta.session import delta_session, has_delta
from e2e.delta_scan import UNSIGNED, delta_extension, let_scan_delta
from e2e.lake import Lake

RUNS = 5
SHORT, LONG = LOGS = ("log-100", "log-10000")
MORE_REQUESTS = 5


def upload(lake: Lake, folder: Path) -> None:
    """Put the files of a log into the bucket."""
    files = [file for file in folder.rglob("*") if file.is_file()]

    def put(file: Path) -> None:
        key = f"{folder.name}/{file.relative_to(folder)}"
        lake.client.put_object(Bucket=lake.bucket, Key=key, Body=file.read_bytes())

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(put, files))


def by_delta_rs(lake: Lake) -> Callable[[str], int]:
    options = {
        "AWS_ENDPOINT_URL": lake.proxy.endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
    }

    def opened(log: str) -> int:
        table = deltalake.DeltaTable(f"s3://{lake.bucket}/{log}", storage_options=options)
        return len(table.file_uris())

    return opened


def by_polars(lake: Lake) -> Callable[[str], int]:
    options = {
        "AWS_ENDPOINT_URL": lake.proxy.endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
    }
    return lambda log: len(
        pl.scan_delta(f"s3://{lake.bucket}/{log}", storage_options=options).collect_schema()
    )


def by_duckdb(lake: Lake) -> Callable[[str], int]:
    host = lake.proxy.endpoint.partition("://")[2]

    def opened(log: str) -> int:
        with duckdb.connect(config=UNSIGNED) as connection:
            let_scan_delta(connection, host)
            scan = f"FROM delta_scan('s3://{lake.bucket}/{log}')"
            return len(connection.sql(f"DESCRIBE {scan}").fetchall())

    return opened


def by_delta_spark(lake: Lake) -> Callable[[str], int]:
    spark = delta_session(Path(tempfile.mkdtemp(prefix="repave-long-log-")), lake.proxy.endpoint)

    def opened(log: str) -> int:
        # Spark keeps what it has read of a log.
        spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
        return len(spark.read.format("delta").load(f"s3a://{lake.bucket}/{log}").inputFiles())

    return opened


def grown(reader: str, requests: Mapping[str, int]) -> list[str]:
    """Return the sentence for a reader whose requests grow with the log.

    >>> grown("Polars", {"log-100": 12, "log-10000": 17})
    []
    >>> grown("Polars", {"log-100": 12, "log-10000": 18})
    ['Polars: 18 requests for log-10000, 12 for log-100; at most 5 more are allowed.']
    """
    if requests[LONG] <= requests[SHORT] + MORE_REQUESTS:
        return []
    counts = f"{requests[LONG]} requests for {LONG}, {requests[SHORT]} for {SHORT}"
    return [f"{reader}: {counts}; at most {MORE_REQUESTS} more are allowed."]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--model", help="the proxy's latency model; by default none")
    chosen = options.parse_args()
    use_lab_credentials()
    print(described(sys.argv[1:]))
    print("| reader | log | requests | s, fastest of 5 | found |")
    print("|---|---|---|---|---|", flush=True)
    wrong: list[str] = []
    with campaign_lake(None) as lake:
        for log in LOGS:
            upload(lake, chosen.folder / log)
        readers = {"delta-rs": by_delta_rs, "Polars": by_polars}
        if delta_extension():
            readers["DuckDB"] = by_duckdb
        if has_delta():
            readers["delta-spark"] = by_delta_spark
        lake.proxy.set_model(chosen.model)
        for name, opener in readers.items():
            opened = opener(lake)
            seconds: dict[str, float] = {}
            requests: dict[str, int] = {}
            found: dict[str, int] = {}
            for _ in range(RUNS):
                for log in LOGS:  # in turn, because the machine's load changes
                    lake.proxy.reset(seed=1)
                    begin = time.monotonic()
                    found[log] = opened(log)
                    took = time.monotonic() - begin
                    seconds[log] = min(took, seconds.get(log, took))
                    requests[log] = len(lake.proxy.journal())
            for log in LOGS:
                print(
                    f"| {name} | {log} | {requests[log]} | {seconds[log]:.2f} | {found[log]} |",
                    flush=True,
                )
            wrong += grown(name, requests)
    print("\n".join(wrong), end="\n" * bool(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
