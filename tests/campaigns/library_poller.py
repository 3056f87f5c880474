"""Reads a table again and again with one library, and prints what each read saw.

`python -m campaigns.library_poller <JSON>`. Each library has a process of its own, so that no
reader waits for another one's Python.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import deltalake
import duckdb
import polars as pl
import pyarrow as pa
from pyarrow import dataset, fs

import repave
from campaigns.reads import COLUMNS, Row, poll
from e2e.delta_scan import UNSIGNED, delta_extension, let_read_s3, let_scan_delta


class Readers:
    """The readers of one table, each with its own way to find the files."""

    def __init__(self, url: str, endpoint: str) -> None:
        """Read from the store, or through the proxy in front of it."""
        self._endpoint = endpoint
        self._host = endpoint.partition("://")[2]
        self._url = url
        self._s3 = url.replace("s3a://", "s3://")
        # A pattern: these libraries do not pass over `_repave` and `_delta_log` by themselves.
        self._files = f"{self._s3}/day=*/*.parquet"
        self._options = {
            "AWS_ENDPOINT_URL": self._endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }

    def all(self) -> dict[str, Callable[[], pa.Table]]:
        """Return the readers by name."""
        found = {
            "repave.snapshot, pyarrow": self.arrow,
            "repave.snapshot, DuckDB": self.duckdb,
            "repave.snapshot, Polars": self.polars,
            "Delta log, delta-rs": self.delta_rs,
            "Delta log, Polars": self.polars_delta,
            "folders, pyarrow": self.folders,
            "folders, Polars": self.polars_folders,
        }
        if delta_extension():
            found["Delta log, DuckDB"] = self.duckdb_delta
        if delta_extension("httpfs"):
            found["folders, DuckDB"] = self.duckdb_folders
        return found

    def _snapshot(self) -> repave.Snapshot:
        return repave.snapshot(self._url, endpoint_url=self._endpoint)

    def arrow(self) -> pa.Table:
        return self._snapshot().arrow().to_table(columns=COLUMNS)

    def duckdb(self) -> pa.Table:
        with duckdb.connect() as connection:
            relation = self._snapshot().duckdb(connection)
            return relation.select(", ".join(COLUMNS)).to_arrow_table()

    def polars(self) -> pa.Table:
        return self._snapshot().polars().select(COLUMNS).collect().to_arrow()

    def delta_rs(self) -> pa.Table:
        table = deltalake.DeltaTable(self._s3, storage_options=self._options)
        return table.to_pyarrow_dataset().to_table(columns=COLUMNS)

    def polars_delta(self) -> pa.Table:
        frame = pl.scan_delta(self._s3, storage_options=self._options)
        return frame.select(COLUMNS).collect().to_arrow()

    def duckdb_delta(self) -> pa.Table:
        with duckdb.connect(config=UNSIGNED) as connection:
            let_scan_delta(connection, self._host)
            columns = ", ".join(COLUMNS)
            found = connection.sql(f"SELECT {columns} FROM delta_scan('{self._s3}')")
            return found.to_arrow_table()

    def folders(self) -> pa.Table:
        store = fs.S3FileSystem(endpoint_override=self._host, scheme="http", region="us-east-1")
        folder = self._url.partition("://")[2]
        found = dataset.dataset(
            folder, filesystem=store, partitioning="hive", exclude_invalid_files=True
        )
        return found.to_table(columns=COLUMNS)

    def duckdb_folders(self) -> pa.Table:
        with duckdb.connect(config=UNSIGNED) as connection:
            let_read_s3(connection, self._host)
            columns = ", ".join(COLUMNS)
            files = f"read_parquet('{self._files}', hive_partitioning = true)"
            return connection.sql(f"SELECT {columns} FROM {files}").to_arrow_table()

    def polars_folders(self) -> pa.Table:
        frame = pl.scan_parquet(self._files, hive_partitioning=True, storage_options=self._options)
        return frame.select(COLUMNS).collect().to_arrow()


def rows_of(table: pa.Table) -> list[Row]:
    """Return the rows; Delta's and Repave's types of a day differ in width only."""
    return list(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True))


def main() -> None:
    work: dict[str, Any] = json.loads(sys.argv[1])
    reader = Readers(work["url"], work["endpoint"]).all()[work["reader"]]
    poll(lambda: rows_of(reader()), work["polls"], work["days"])


if __name__ == "__main__":
    main()
