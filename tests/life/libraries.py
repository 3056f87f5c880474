"""What pyarrow, DuckDB, Polars and delta-rs see of a table."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import repave
from e2e.lake import TableFolder
from life.model import Rows

COLUMNS = ["id", "note", "part"]


def rows_of_dicts(found: Iterable[dict[str, Any]]) -> Rows:
    return Counter((one["id"], one["note"], one["part"]) for one in found)


class Libraries:
    """Readers without Spark; those of `repave.snapshot` read any version."""

    def __init__(self, table: TableFolder) -> None:
        self.url = table.url.replace("s3a://", "s3://")
        self.endpoint = table.lake.proxy.endpoint

    def snapshot(self, version: int | None = None) -> repave.Snapshot:
        return repave.snapshot(
            self.url, version, endpoint_url=self.endpoint, partition_types={"part": "string"}
        )

    @property
    def ways(self) -> dict[str, Callable[[int | None], Rows]]:
        return {"pyarrow": self.arrow, "polars": self.polars, "duckdb": self.duckdb}

    def arrow(self, version: int | None = None) -> Rows:
        return rows_of_dicts(self.snapshot(version).arrow().to_table(columns=COLUMNS).to_pylist())

    def polars(self, version: int | None = None) -> Rows:
        return rows_of_dicts(self.snapshot(version).polars().collect().to_dicts())

    def duckdb(self, version: int | None = None) -> Rows:
        import duckdb  # noqa: PLC0415 - it takes a second

        with duckdb.connect() as connection:
            relation = self.snapshot(version).duckdb(connection)
            found = relation.select(", ".join(COLUMNS)).fetchall()
        return Counter((one[0], one[1], one[2]) for one in found)

    def delta(self) -> Rows:
        from deltalake import DeltaTable  # noqa: PLC0415 - it takes a second

        options = {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
        }
        log = DeltaTable(self.url, storage_options=options)
        return rows_of_dicts(log.to_pyarrow_table(columns=COLUMNS).to_pylist())
