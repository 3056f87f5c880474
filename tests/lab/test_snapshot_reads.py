"""Versions of stored tables, read over HTTP; what it costs to open them."""

import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import fs, orc

import repave
from lab.reader_tables import UUID, StoredTable, parquet, wide_table
from repave.cli import main
from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.fixture(autouse=True)
def _credentials(server: S3Server, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a-session")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", proxy.endpoint)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    yield
    proxy.set_model(None)


@pytest.fixture
def versions(direct: "S3Client", bucket: str) -> StoredTable:
    """A snapshot table in two versions."""
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {"day=1": [1, 2], "day=2": [3]})
    table.commit("dynamic", {"day=2": [4]})
    return table


def ids(snap: repave.Snapshot) -> list[int]:
    return sorted(snap.pandas()["id"])


def test_each_version_has_its_rows(versions: StoredTable) -> None:
    assert ids(repave.snapshot(versions.url)) == [1, 2, 4]
    assert ids(repave.snapshot(versions.url, 1)) == [1, 2, 3]


def test_a_table_in_the_bucket_of_a_repave_path_is_the_same(versions: StoredTable) -> None:
    assert ids(repave.snapshot(versions.url.replace("s3://", "repave://"))) == [1, 2, 4]


def test_a_version_is_found_by_time(versions: StoredTable) -> None:
    with pytest.raises(repave.InvalidRecordError, match="not known when it was published"):
        repave.snapshot(versions.url, as_of=datetime.now(timezone.utc))
    versions.report()
    assert repave.snapshot(versions.url, as_of=datetime.now(timezone.utc)).version == 2


def test_columns_that_older_files_lack_are_null(versions: StoredTable) -> None:
    schema = pa.schema([("id", pa.int64()), ("note", pa.string())])
    frame = repave.snapshot(versions.url).polars(schema=schema).collect()
    assert frame.columns == ["id", "note", "day"]
    assert frame["note"].null_count() == 3


@pytest.mark.xfail(
    pa.__version__.startswith("17."), raises=pa.ArrowTypeError, reason="pyarrow 17 refuses them"
)
def test_columns_inside_structs_that_older_files_lack_are_null(
    direct: "S3Client", bucket: str
) -> None:
    """A file says of a literal's column that it is never null; that does not bind older files."""
    table = StoredTable(direct, bucket, "snapshot")
    old = pa.struct([pa.field("a", pa.int32(), nullable=False)])
    new = pa.struct([*old, pa.field("b", pa.string(), nullable=False)])
    for day, kind in ((1, old), (2, new)):
        row = {"a": day} if kind == old else {"a": day, "b": "x"}
        fields = [pa.field("s", kind, nullable=False), pa.field("l", pa.list_(kind))]
        if kind == new:
            fields += [pa.field("m", pa.map_(pa.string(), new)), pa.field("n", pa.int32(), False)]
        rows = {"s": [row], "l": [[row]], "m": [[("k", row)]], "n": [1]}
        table.commit_rows("append", {f"day={day}": pa.table(rows, pa.schema(fields))})
    snap = repave.snapshot(table.url)
    found = sorted(snap.arrow().to_table().to_pylist(), key=lambda row: row["day"])
    first = {"a": 1, "b": None}
    assert found[0] == {"s": first, "l": [first], "m": None, "n": None, "day": 1}
    assert found[1]["m"] == [("k", {"a": 2, "b": "x"})]
    assert snap.polars().filter(pl.col("n").is_null()).collect()["day"].to_list() == [1]
    assert snap.duckdb().filter("n IS NULL").select("day").fetchall() == [(1,)]


def test_orc_files_that_spell_a_column_differently_are_refused(
    direct: "S3Client", bucket: str
) -> None:
    """Their rows would have nulls, without notice; Spark matches them."""
    table = StoredTable(direct, bucket, "snapshot")
    for day, name in ((1, "id"), (2, "id"), (3, "ID")):
        content = io.BytesIO()
        orc.write_table(pa.table({"s": [{name: day}], "n": [day]}), content)
        table.commit_files("append", {f"day={day}": content.getvalue()}, "orc")
    rows = repave.snapshot(table.url, version=2).arrow().to_table()
    assert sorted(rows["s"].to_pylist(), key=str) == [{"id": 1}, {"id": 2}]
    dataset = repave.snapshot(table.url).arrow()
    with pytest.raises(repave.UsageError, match="has the column 'id', and the table 'ID'"):
        dataset.to_table()
    assert dataset.to_table(filter=ds.field("day") == 3).num_rows == 1


def test_variants_are_refused_because_files_store_them_differently(
    direct: "S3Client", bucket: str
) -> None:
    """A shredded variant is a struct; a cast to the newest file's struct would drop its fields."""
    table = StoredTable(direct, bucket, "snapshot")
    field = {"name": "id", "type": "variant", "nullable": True, "metadata": {}}
    recorded = json.dumps({"type": "struct", "fields": [field]}, separators=(",", ":"))
    table.commit("append", {"day=1": [1]}, schemas=[{"json": [recorded]}])
    snap = repave.snapshot(table.url)
    with pytest.raises(repave.UsageError, match="a column of the type variant"):
        snap.arrow()
    assert snap.arrow(schema=pa.schema([("id", pa.int64())])).to_table()["id"].to_pylist() == [1]


NULL = "__HIVE_DEFAULT_PARTITION__"
NAN = float("nan")
FILTERS = {
    "n": [
        ~pl.col("n").is_in([7]),
        pl.col("n").is_in([7, None]),
        (pl.col("n") == 7).is_null(),
        pl.col("n").ne_missing(7),
        (pl.col("n") > 1.5) & (pl.col("id") > 1),
        (pl.col("n") == 7) | (pl.col("id") == 3),
    ],
    "x": [
        pl.col("x") > 1,
        pl.col("x") != NAN,
        pl.col("x") == NAN,
        ~(pl.col("x") <= 1),
        ~pl.col("x").is_in([1.5]),
    ],
}


@pytest.mark.parametrize("column", FILTERS)
def test_filters_of_polars_mean_what_they_mean_in_memory(
    direct: "S3Client", bucket: str, column: str
) -> None:
    """Nulls and NaN have other rules in pyarrow, so it does not apply filters."""
    table = StoredTable(direct, bucket, "snapshot")
    values = {"n": ("1", "007", NULL), "x": ("1.5", "NaN", "-0.0", NULL)}[column]
    table.commit("append", {f"{column}={one}": [at] for at, one in enumerate(values, 1)})
    snap = repave.snapshot(table.url)
    rows = pl.from_arrow(snap.arrow().to_table())
    assert isinstance(rows, pl.DataFrame)
    for wanted in FILTERS[column]:
        found = snap.polars().filter(wanted).collect()
        assert found.equals(rows.filter(wanted)), wanted
    assert snap.polars().select(pl.len()).collect().item() == len(values)


def test_a_filter_of_polars_reads_only_the_partitions_that_may_pass(
    direct: "S3Client", bucket: str, proxy: Proxy
) -> None:
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {f"day={one}": [at] for at, one in enumerate((1, 2, 3, NULL), 1)})
    frame = repave.snapshot(table.url).polars()
    for wanted in (pl.col("day") == 2, ~pl.col("day").is_in([1, 3]) & (pl.col("id") > 0)):
        proxy.reset()
        assert frame.filter(wanted).collect()["id"].to_list() == [2]
        assert Counter(it.op for it in proxy.journal())["GetObject"] == 1
    assert frame.filter(pl.col("day") == 9).collect().is_empty()
    assert frame.head(2).collect().height == 2


def test_columns_in_another_case_cost_few_requests(
    versions: StoredTable, direct: "S3Client", bucket: str, proxy: Proxy
) -> None:
    """A partition column hides a column of the files in any case."""
    key = f"sales/day=1/part-00000-{UUID}-1.c000.parquet"
    content = io.BytesIO()
    # As long as the other file, which the records describe.
    pq.write_table(pa.table({"ID": [1, 2]}, pa.schema([("ID", pa.int64())])), content)
    assert len(content.getvalue()) == len(parquet([1, 2]))
    direct.put_object(Bucket=bucket, Key=key, Body=content.getvalue())
    dataset = repave.snapshot(versions.url).arrow()
    proxy.reset()
    assert sorted(dataset.to_table()["id"].to_pylist()) == [1, 2, 4]
    # pyarrow opens a file by its path only after a HEAD. Without it there would be 2 GETs a file.
    assert Counter(it.op for it in proxy.journal()) == {"HeadObject": 2, "GetObject": 2}
    hidden = pa.schema([("id", pa.int64()), ("DAY", pa.string())])
    assert repave.snapshot(versions.url).arrow(schema=hidden).schema.names == ["id", "day"]


@pytest.mark.parametrize("days", [("1", "2"), ("1%31", "2")], ids=["plain", "escaped"])
def test_files_of_recorded_columns_cost_no_head(
    direct: "S3Client", bucket: str, proxy: Proxy, days: tuple[str, str]
) -> None:
    table = StoredTable(direct, bucket, "snapshot")
    partitions = {f"day={day}": [at] for at, day in enumerate(days)}
    table.commit("append", partitions, schemas=[{"ddl": ["id long"]}])
    dataset = repave.snapshot(table.url).arrow()
    proxy.reset()
    assert sorted(dataset.to_table()["id"].to_pylist()) == [0, 1]
    assert Counter(it.op for it in proxy.journal())["HeadObject"] == 0


def test_a_table_that_was_emptied_needs_a_schema(direct: "S3Client", bucket: str) -> None:
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {})
    snap = repave.snapshot(table.url)
    with pytest.raises(repave.UsageError, match="has no files with rows"):
        snap.arrow()
    assert snap.arrow(schema=pa.schema([("id", pa.int64())])).to_table().num_rows == 0


def test_a_listing_table_with_other_files_is_refused_or_read_without(
    direct: "S3Client", bucket: str
) -> None:
    table = StoredTable(direct, bucket, "listing")
    table.commit("append", {"day=1": [1]})
    assert ids(repave.snapshot(table.url)) == [1]
    direct.put_object(Bucket=bucket, Key="sales/day=1/stock.parquet", Body=parquet([9]))
    with pytest.raises(repave.UsageError, match="repave adopt"):
        repave.snapshot(table.url)
    assert ids(repave.snapshot(table.url, unrecorded="ignore")) == [1]


def test_a_listing_jumps_over_the_records(direct: "S3Client", bucket: str, proxy: Proxy) -> None:
    table = StoredTable(direct, bucket, "listing")
    table.commit("append", {"a": [1], "z": [2]})
    for number in range(2_500):
        key = f"sales/_repave/commits/{number:05}/report.json"
        direct.put_object(Bucket=bucket, Key=key, Body=b"{}")
    proxy.reset()
    assert len(repave.snapshot(table.url).files) == 2
    assert Counter(it.op for it in proxy.journal())["ListObjectsV2"] == 2


def test_the_command_lists_files_and_uris(versions: StoredTable) -> None:
    name = f"part-00000-{UUID}-1.c000.parquet"
    run = CliRunner().invoke(main, ["files", versions.url, "--version", "1"])
    assert run.output.splitlines()[0].startswith("Version 1: 2 files (")
    assert f"day=1/{name}" in run.output
    run = CliRunner().invoke(main, ["files", versions.url, "--version", "1", "--uris"])
    assert run.output.splitlines() == [f"{versions.url}/day={day}/{name}" for day in (1, 2)]
    run = CliRunner().invoke(main, ["files", versions.url, "--version", "3", "--json"])
    assert run.exit_code == 2
    assert "has no version 3" in run.output


@pytest.mark.parametrize("readers", ["snapshot", "listing"])
@pytest.mark.parametrize("partitions", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_opening_a_wide_table_costs_few_requests(
    direct: "S3Client", bucket: str, proxy: Proxy, readers: str, partitions: int
) -> None:
    url = wide_table(direct, bucket, partitions, readers)
    for model in (None, "typical"):
        proxy.set_model(model)
        proxy.reset(seed=1)
        start = time.perf_counter()
        snap = repave.snapshot(url)
        planned = time.perf_counter()
        dataset = snap.arrow()
        opened = time.perf_counter()
        assert len(dataset.files) == partitions
        counts = Counter(it.op for it in proxy.journal())
        print(
            f"{readers}, {partitions} partitions, latency {model}: {dict(counts)}; "
            f"snapshot {1000 * (planned - start):.0f} ms, "
            f"arrow {1000 * (opened - planned):.0f} ms"
        )
        assert counts["HeadObject"] == 0
        assert sum(counts.values()) <= 25


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [100, 10_000])
def test_figures_of_opening(direct: "S3Client", bucket: str, proxy: Proxy, partitions: int) -> None:
    """`repave.snapshot` next to a dataset of the folder, and to delta-rs on a table of its own."""
    deltalake = pytest.importorskip("deltalake")
    listing = wide_table(direct, bucket, partitions, "listing")
    direct.create_bucket(Bucket=f"{bucket}-versions")
    versions = wide_table(direct, f"{bucket}-versions", partitions, "snapshot", since=4)
    options = {"AWS_ENDPOINT_URL": proxy.endpoint, "AWS_ALLOW_HTTP": "true"}
    options["AWS_REGION"] = "us-east-1"
    native = f"s3://{bucket}/native"
    days = pa.table({"id": range(partitions), "day": [f"{it:05}" for it in range(partitions)]})
    deltalake.write_deltalake(native, days, partition_by=["day"], storage_options=options)
    store = fs.S3FileSystem(
        endpoint_override=proxy.endpoint.partition("://")[2], scheme="http", region="us-east-1"
    )

    def folder() -> int:
        found = ds.dataset(f"{bucket}/sales", filesystem=store, partitioning="hive")
        return len(found.files)

    def delta() -> int:
        table = deltalake.DeltaTable(native, storage_options=options)
        return len(table.to_pyarrow_dataset().files)

    openers = {
        "listing table": lambda: len(repave.snapshot(listing).arrow().files),
        "snapshot table": lambda: len(repave.snapshot(versions).arrow().files),
        "pyarrow.dataset": folder,
        "delta-rs": delta,
    }
    proxy.set_model("typical")
    print(f"{partitions} files, the server lists one page after the other")
    print_openings(proxy, openers, partitions)
    proxy.remember_listings()
    print(f"{partitions} files, pages are answered beside each other")
    print_openings(proxy, openers, partitions)


def print_openings(proxy: Proxy, openers: dict[str, Callable[[], int]], partitions: int) -> None:
    """Open in turn six times, of which the first does not count, and print the fastest."""
    seconds: dict[str, list[float]] = {name: [] for name in openers}
    for turn in range(6):
        for name, opener in openers.items():
            proxy.reset(seed=1)
            start = time.perf_counter()
            assert opener() == partitions
            if turn:
                seconds[name].append(time.perf_counter() - start)
            else:
                print(f"{name}: {dict(Counter(it.op for it in proxy.journal()))}")
    fastest = {name: min(took) for name, took in seconds.items()}
    print(f"load {os.getloadavg()[0]:.0f}", {name: round(it, 3) for name, it in fastest.items()})
    for own in ("listing table", "snapshot table"):
        for other in ("pyarrow.dataset", "delta-rs"):
            print(f"{own}: {fastest[own] / fastest[other]:.2f} of {other}")
