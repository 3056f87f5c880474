"""delta-rs, Polars and DuckDB read a followed table as a Delta table, with the rows of Repave."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.functions import expr

import repave
from e2e.delta_scan import UNSIGNED, delta_extension
from e2e.lake import TableFolder

pa = pytest.importorskip("pyarrow")
deltalake = pytest.importorskip("deltalake", reason="pip install deltalake")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# ruff: noqa: ANN401, DTZ001 - rows of any type, times in the session's zone

ODD = "a b/c=%d'é:\\*+"
SCHEMA = (
    "id long, note string, price decimal(12,2), day date, at timestamp, tags array<string>, "
    "place struct<city:string,at:struct<x:double,y:double>>, sizes map<string,int>, "
    "dt date, region string, n int"
)
AT = datetime(2026, 11, 20, 3, 0)
PLACE = {"city": "Köln", "at": {"x": 1.5, "y": None}}
ROWS = [
    (1, "x", Decimal("1.10"), date(2026, 1, 1), AT, ["a", "b"], PLACE, {"s": 1}, "eu", 1),
    (2, None, None, None, None, [], None, {}, ODD, 2),
    (3, "", Decimal("-9.99"), date(1969, 12, 31), AT, None, PLACE, None, "", None),
    (4, ODD, None, None, AT, ["é"], None, {"é": None}, None, 3),
    (5, "y", None, None, None, ["z"], None, None, "%20", 4),
]
BY = ("dt", "region", "n")


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


def frame(spark: "SparkSession") -> "DataFrame":
    rows = [(*row[:8], date(2026, 11, 20 + row[0] % 2), *row[8:]) for row in ROWS]
    return spark.createDataFrame(rows, SCHEMA)


def write(frame: "DataFrame", table: TableFolder, mode: str = "overwrite", **options: str) -> None:
    writer = frame.write.mode(mode).partitionBy(*BY).options(**options)
    writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)


def copied(table: TableFolder, to: Path) -> str:
    """Copy the table's folder to this machine, so that every library can read it."""
    for key in table.listing():
        if key and not key.endswith("/"):
            place = to / key
            place.parent.mkdir(parents=True, exist_ok=True)
            table.lake.client.download_file(table.lake.bucket, f"{table.name}/{key}", str(place))
    return str(to)


def by_delta_rs(path: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = deltalake.DeltaTable(path).to_pyarrow_table().to_pylist()
    return rows


def by_polars(path: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pl.scan_delta(path).collect().to_arrow().to_pylist()
    return rows


def by_duckdb(path: str) -> list[dict[str, Any]]:
    connection = duckdb.connect(config=UNSIGNED)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"LOAD '{delta_extension()}'")
    rows: list[dict[str, Any]] = (
        connection.sql(f"SELECT * FROM delta_scan('{path}')").to_arrow_table().to_pylist()
    )
    return rows


READERS = {"delta-rs": by_delta_rs, "polars": by_polars}
if delta_extension():
    READERS["duckdb"] = by_duckdb


def plain(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr({name: _plain(row[name]) for name in sorted(row)}) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat()
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return tuple(value) if isinstance(value, tuple) else value


def expected(table: TableFolder) -> list[str]:
    snap = repave.snapshot(table.url, endpoint_url=table.lake.proxy.endpoint)
    return plain(snap.arrow().to_table().to_pylist())


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_readers_of_delta_tables_find_the_rows_of_the_table(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str
) -> None:
    options = {"repave.readers": readers, "repave.followers": "delta"}
    write(frame(spark), table, **options)
    write(frame(spark).where("id = 2").withColumn("id", expr("id + 10")), table, **options)
    write(frame(spark).withColumn("id", expr("id + 20")), table, "append", **options)
    path = copied(table, tmp_path)
    wanted = expected(table)
    assert len(wanted) == 2 * len(ROWS)
    for name, read in READERS.items():
        assert plain(read(path)) == wanted, name
    log = deltalake.DeltaTable(path)
    assert log.version() == table.head()["version"]
    status = repave.RepaveTable.for_path(spark, table.url).status()
    assert [(it.follower, it.behind) for it in status.followers] == [("delta", 0)]


def test_an_existing_table_is_followed_as_it_is(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    write(frame(spark), table)
    handle = repave.RepaveTable.for_path(spark, table.url)
    found = handle.follow("delta")
    assert [(it.follower, it.version, it.behind) for it in found.followers] == [
        ("delta", found.version, 0)
    ]
    assert plain(by_delta_rs(copied(table, tmp_path / "one"))) == expected(table)
    added = frame(spark).where("id = 1").selectExpr("*", "id * 2 AS twice")
    write(added, table)
    path = copied(table, tmp_path / "two")
    for name, read in READERS.items():
        twice = {row["id"]: row["twice"] for row in read(path)}
        assert twice == {1: 2, 2: None, 3: None, 4: None, 5: None}, name


def test_an_earlier_version_and_a_rollback_read_right(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    options = {"repave.readers": "snapshot", "repave.followers": "delta"}
    write(frame(spark), table, **options)
    first = table.head()["version"]
    rows = expected(table)
    write(frame(spark).where("id < 3").withColumn("id", expr("-id")), table, **options)
    assert expected(table) != rows
    repave.RepaveTable.for_path(spark, table.url).rollback(first)
    path = copied(table, tmp_path)
    assert plain(by_delta_rs(path)) == rows
    earlier = deltalake.DeltaTable(path, version=first).to_pyarrow_table().to_pylist()
    assert plain(earlier) == rows
    between = deltalake.DeltaTable(path, version=first + 1).to_pyarrow_table().to_pylist()
    assert {row["id"] for row in between} == {-1, -2, 3, 4, 5}


def test_writers_of_delta_tables_are_refused(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    write(frame(spark), table, **{"repave.followers": "delta"})
    path = copied(table, tmp_path)
    rows = deltalake.DeltaTable(path).to_pyarrow_table()
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        deltalake.write_deltalake(path, rows, mode="append")
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        deltalake.DeltaTable(path).delete("id = 1")
    files = sorted(Path(path).rglob("*.parquet"))
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        deltalake.DeltaTable(path).optimize.compact()
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        deltalake.DeltaTable(path).restore(0)
    assert sorted(Path(path).rglob("*.parquet")) == files


def test_a_vacuum_of_delta_rs_deletes_nothing_and_its_checkpoint_may_stay(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    options = {"repave.readers": "snapshot", "repave.followers": "delta"}
    write(frame(spark), table, **options)
    write(frame(spark).withColumn("id", expr("-id")), table, **options)
    path = copied(table, tmp_path)
    log = deltalake.DeltaTable(path)
    files = sorted(Path(path).rglob("part-*"))
    with pytest.raises(Exception, match=r"(?i)unsupported.*feature"):
        log.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert sorted(Path(path).rglob("part-*")) == files
    log.create_checkpoint()
    assert plain(by_delta_rs(path)) == expected(table)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_readers_begin_with_a_checkpoint(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str
) -> None:
    options = {
        "repave.readers": readers,
        "repave.followers": "delta",
        "repave.delta.checkpoint.every": "2",
        "repave.stats.columns": "id,day",
    }
    rows = frame(spark).coalesce(1)
    write(rows, table, **options)
    write(rows.withColumn("id", expr("id + 10")), table, "append", **options)
    version = table.head()["version"]
    if version % 2:
        write(rows.where("id = 1"), table, "append", **options)
        version += 1
    write(rows.where("id = 2"), table, "append", **options)
    path = copied(table, tmp_path)
    log = Path(path) / "_delta_log"
    pointer = json.loads((log / "_last_checkpoint").read_text("utf-8"))
    assert pointer["version"] == version
    # A reader that does not begin with the checkpoint misses these.
    for earlier in range(version):
        (log / f"{earlier:020d}.json").unlink()
    wanted = expected(table)
    for name, read in READERS.items():
        assert plain(read(path)) == wanted, name
    added = deltalake.DeltaTable(path).get_add_actions(flatten=True)
    found = pa.table(added).to_pydict()
    assert min(found["min.id"]) == 1
    assert max(found["max.id"]) == 15
    assert sum(found["num_records"]) == len(wanted)
    assert max(day for day in found["max.day"] if day) == date(2026, 1, 1)


def test_switching_it_off_leaves_no_delta_table(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    write(frame(spark), table)
    handle = repave.RepaveTable.for_path(spark, table.url)
    handle.follow("delta")
    assert handle.unfollow("delta").followers == ()
    assert [key for key in table.listing() if key.startswith("_delta_log")] == []
    assert table.head()["format"] == 1
    assert not deltalake.DeltaTable.is_deltatable(copied(table, tmp_path))


def test_each_version_names_its_commit(spark: "SparkSession", table: TableFolder) -> None:
    write(frame(spark), table, **{"repave.followers": "delta", "repave.token": "run-1"})
    key = f"{table.name}/_delta_log/{1:020d}.json"
    body = table.lake.client.get_object(Bucket=table.lake.bucket, Key=key)["Body"].read()
    actions = [json.loads(line) for line in body.splitlines()]
    info = actions[0]["commitInfo"]
    assert info["repave"]["version"] == 1
    assert info["repave"]["token"] == "run-1"
    stats = [json.loads(one["add"]["stats"]) for one in actions if "add" in one]
    assert sum(one["numRecords"] for one in stats) == len(ROWS)
