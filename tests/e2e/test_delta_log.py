"""delta-rs, Polars and DuckDB read a followed table as a Delta table, with the rows of Repave."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import expr

import repave
from e2e.delta_readers import (
    READERS,
    assert_read,
    by_delta_rs,
    copied,
    delta_table,
    expected,
    places,
    plain,
    stored,
)
from e2e.delta_rows import ROWS, frame, reading, write
from e2e.lake import TableFolder

pa = pytest.importorskip("pyarrow")
deltalake = pytest.importorskip("deltalake", reason="pip install deltalake")

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with reading(spark, monkeypatch):
        yield


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_readers_of_delta_tables_find_the_rows_of_the_table(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str
) -> None:
    options = {"repave.readers": readers, "repave.followers": "delta"}
    write(frame(spark), table, **options)
    write(frame(spark).where("id = 2").withColumn("id", expr("id + 10")), table, **options)
    write(frame(spark).withColumn("id", expr("id + 20")), table, "append", **options)
    wanted = expected(table)
    assert len(wanted) == 2 * len(ROWS)
    assert_read(places(table, tmp_path), wanted)
    assert delta_table(stored(table)).version() == table.head()["version"]
    status = repave.RepaveTable.for_path(spark, table.url).status()
    assert [(it.follower, it.behind) for it in status.followers] == [("delta", 0)]


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_an_empty_file_of_another_writer_stops_no_reader(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, readers: str
) -> None:
    day = "dt=2026-11-21/region=eu/n=1"
    key = f"{table.name}/{day}/part-9.parquet"
    table.lake.client.put_object(Bucket=table.lake.bucket, Key=key, Body=b"")
    options = {"repave.readers": readers, "repave.followers": "delta"}
    write(frame(spark).where("id > 1"), table, **options)
    wanted = expected(table)
    assert len(wanted) == len(ROWS) - 1
    assert_read(places(table, tmp_path / "one"), wanted)
    write(frame(spark), table, **options)
    assert_read(places(table, tmp_path / "two"), expected(table))
    shown = spark.read.parquet(table.url.replace("s3a://", "repave://"))
    assert shown.count() == len(ROWS) == len(expected(table))


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
    place = copied(table, tmp_path / "two")
    for name, read in READERS.items():
        twice = {row["id"]: row["twice"] for row in read(place, None)}
        assert twice == {1: 2, 2: None, 3: None, 4: None, 5: None}, name


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
    place = copied(table, tmp_path)
    log = Path(place.url) / "_delta_log"
    pointer = json.loads((log / "_last_checkpoint").read_text("utf-8"))
    assert pointer["version"] == version
    # A reader that does not begin with the checkpoint misses these.
    for earlier in range(version):
        (log / f"{earlier:020d}.json").unlink()
    wanted = expected(table)
    for name, read in READERS.items():
        assert plain(read(place, None)) == wanted, name
    added = delta_table(place).get_add_actions(flatten=True)
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
    assert not deltalake.DeltaTable.is_deltatable(copied(table, tmp_path).url)


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


def test_a_table_with_a_partition_outside_it_is_refused(
    spark: "SparkSession", table: TableFolder
) -> None:
    folder = f"s3a://annex/elsewhere/{table.name}"
    spark.sql(
        f"CREATE TABLE divided (id INT, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    try:
        spark.sql("INSERT INTO divided VALUES (1, 1)")
        spark.sql(f"ALTER TABLE divided ADD PARTITION (p=2) LOCATION '{folder}'")
        spark.sql("INSERT INTO divided VALUES (2, 2)")
        handle = repave.RepaveTable.for_path(spark, table.url)
        partition = folder.replace("s3a://", "s3://")
        sentence = (
            f"The partition {partition} is outside the table's folder, and a Delta log names files"
            " inside it only."
        )
        with pytest.raises(repave.RepaveError, match=re.escape(sentence)):
            handle.follow("delta")
        assert handle.status().followers == ()
        assert [key for key in table.listing() if key.startswith("_delta_log")] == []
        assert [tuple(row) for row in spark.sql("SELECT * FROM divided ORDER BY id").collect()] == [
            (1, 1),
            (2, 2),
        ]
    finally:
        spark.sql("DROP TABLE divided")
