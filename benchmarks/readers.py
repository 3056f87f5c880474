"""Ways to open a table and to read one of its partitions, by name, in the order of the report."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import repave
from benchmarks.folders import repave_listing, repave_snapshot
from benchmarks.formats import SORTED, Delta, iceberg
from benchmarks.run_context import RunContext, System

if TYPE_CHECKING:
    from pyarrow.dataset import Dataset
    from pyspark.sql import DataFrame

Answer = tuple[int, int]
"""Rows, and the sum of their ids."""


@dataclass(frozen=True)
class Reader:
    """A way to read what a system wrote."""

    system: Callable[[], System]
    query: Callable[[System, RunContext, int], Answer]
    """Reads one partition."""
    open: Callable[[System, RunContext], Callable[[], Answer]]
    """Learns which files the table has; its result reads all of them."""


def open_by_spark(system: System, context: RunContext) -> Callable[[], Answer]:
    """Plan a query of all rows, down to its tasks."""
    frame = system.read(context)
    frame._jdf.queryExecution().toRdd().getNumPartitions()  # noqa: SLF001 - no public way plans a query and runs none of it
    return lambda: _answer(frame)


def by_spark(system: System, context: RunContext, part: int) -> Answer:
    return _answer(system.read(context).where(f"part = {part}"))


def _answer(frame: "DataFrame") -> Answer:
    (row,) = frame.agg({"*": "count", "id": "sum"}).collect()
    return int(row["count(1)"]), int(row["sum(id)"] or 0)


def by_pyarrow(system: Callable[[], System], opened: Callable[[RunContext], "Dataset"]) -> Reader:
    """Read with pyarrow what a library opens."""

    def answer(dataset: "Dataset", part: int | None) -> Answer:
        from pyarrow import compute  # noqa: PLC0415 - a campaign of writers needs no library

        condition = None if part is None else compute.field("part") == part
        rows = dataset.to_table(columns=["id"], filter=condition)
        return rows.num_rows, compute.sum(rows["id"]).as_py() or 0

    def query(_system: System, context: RunContext, part: int) -> Answer:
        return answer(opened(context), part)

    def opens(_system: System, context: RunContext) -> Callable[[], Answer]:
        dataset = opened(context)
        return lambda: answer(dataset, None)

    return Reader(system, query, opens)


def _records(context: RunContext) -> Any:  # noqa: ANN401 - a pyarrow dataset, without types
    return _snapshot(context).arrow()


def _folders(context: RunContext) -> Any:  # noqa: ANN401 - a pyarrow dataset, without types
    from pyarrow import dataset, fs  # noqa: PLC0415 - a campaign of writers needs no library

    scheme, _, host = context.client.meta.endpoint_url.partition("://")
    keys = _keys(context)
    store = fs.S3FileSystem(
        endpoint_override=host,
        scheme=scheme,
        region=context.client.meta.region_name,
        access_key=keys["AWS_ACCESS_KEY_ID"],
        secret_key=keys["AWS_SECRET_ACCESS_KEY"],
    )
    folder = f"{context.lake.bucket}/{context.lake.table}"
    return dataset.dataset(
        folder, filesystem=store, partitioning="hive", exclude_invalid_files=False
    )


def _delta_rs(context: RunContext) -> Any:  # noqa: ANN401 - a pyarrow dataset, without types
    from deltalake import DeltaTable  # noqa: PLC0415 - a campaign of writers needs no library

    options = {
        **_keys(context),
        "AWS_ENDPOINT_URL": context.client.meta.endpoint_url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": context.client.meta.region_name,
    }
    url = context.lake.url.replace("s3a://", "s3://")
    return DeltaTable(url, storage_options=options).to_pyarrow_dataset()


def by_duckdb(_system: System, context: RunContext, part: int) -> Answer:
    import duckdb  # noqa: PLC0415 - a campaign of writers needs no library

    with duckdb.connect() as connection:
        table = _snapshot(context).duckdb(connection)
        ids = table.filter(f"part = {part}").select("id").to_arrow_table()["id"].to_pylist()
    return len(ids), sum(ids)


def by_polars(_system: System, context: RunContext, part: int) -> Answer:
    import polars as pl  # noqa: PLC0415 - a campaign of writers needs no library

    rows = _snapshot(context).polars().filter(pl.col("part") == part)
    ids = rows.select("id").collect()["id"]
    return len(ids), int(ids.sum())


def _iceberg() -> System:
    """Return Iceberg with sorted tasks: with 10,000 files open at once the driver dies."""
    return replace(iceberg(), options=SORTED)


def _snapshot(context: RunContext) -> repave.Snapshot:
    os.environ.update(_keys(context))
    endpoint = context.client.meta.endpoint_url
    return repave.snapshot(context.lake.url, endpoint_url=endpoint)


def _keys(context: RunContext) -> dict[str, str]:
    """Return the credentials of the client, by the names that every library knows."""
    keys = context.client._request_signer._credentials.get_frozen_credentials()  # type: ignore[attr-defined]  # noqa: SLF001 - there is no public way
    return {"AWS_ACCESS_KEY_ID": keys.access_key, "AWS_SECRET_ACCESS_KEY": keys.secret_key}


RECORDS: Final = by_pyarrow(repave_snapshot, _records)
READERS: Final[dict[str, Reader]] = {
    "spark-repave": Reader(repave_snapshot, by_spark, open_by_spark),
    "spark-folders": Reader(repave_listing, by_spark, open_by_spark),
    "spark-delta": Reader(Delta, by_spark, open_by_spark),
    "spark-iceberg": Reader(_iceberg, by_spark, open_by_spark),
    "pyarrow-repave-snapshot": RECORDS,
    "pyarrow-repave-listing": by_pyarrow(repave_listing, _records),
    "pyarrow-folders": by_pyarrow(repave_listing, _folders),
    "delta-rs": by_pyarrow(Delta, _delta_rs),
    # Both open the dataset of pyarrow.
    "duckdb-repave": Reader(repave_snapshot, by_duckdb, RECORDS.open),
    "polars-repave": Reader(repave_snapshot, by_polars, RECORDS.open),
}
