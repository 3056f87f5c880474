"""pyarrow, DuckDB, Polars and pandas find the rows that Spark finds, in the same types."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv
from pyspark.sql import functions

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from repave._snapshot.inference import infer_all

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest
# ruff: noqa: ANN401, DTZ001 - rows of any type, times in the session's zone

ODD = "a b/c=%d'é:\\*"
ZONE = "Europe/Berlin"
SCHEMA = "id long, note string, tags array<string>, dt date, region string, n int, ts timestamp"
ROWS = [
    (1, "x", ["a", "b"], date(2026, 11, 20), "eu", 1, datetime(2026, 11, 20, 3, 0)),
    (2, None, [], date(2026, 11, 20), ODD, 2, datetime(2026, 11, 20, 3, 0, 30)),
    (3, "", None, date(2026, 11, 21), "", None, None),
    (4, ODD, ["é"], None, None, 3, datetime(2026, 7, 1, 23, 30)),
    (5, "y", ["z"], None, "%20", 4, datetime(2026, 7, 1, 23, 30)),
]
COLUMNS = ["id", "note", "tags", "dt", "region", "n", "ts"]
BY = ("dt", "region", "n", "ts")


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    yield
    spark.conf.set("spark.sql.session.timeZone", str(before))


def write(frame: "DataFrame", table: TableFolder, readers: str, kind: str = "parquet") -> None:
    writer = frame.write.mode("overwrite").partitionBy(*BY).option("repave.readers", readers)
    writer.option("partitionOverwriteMode", "dynamic").format(kind).save(table.url)


def opened(table: TableFolder, **options: Any) -> repave.Snapshot:
    endpoint = table.lake.proxy.endpoint
    return repave.snapshot(table.url, endpoint_url=endpoint, time_zone=ZONE, **options)


def by_library(snap: repave.Snapshot) -> dict[str, list[tuple[Any, ...]]]:
    relation = snap.duckdb().select(", ".join(COLUMNS))
    pandas = snap.pandas(columns=COLUMNS)
    found = {
        "arrow": [[row[it] for it in COLUMNS] for row in snap.arrow().to_table().to_pylist()],
        "duckdb": relation.fetchall(),
        "polars": snap.polars().select(COLUMNS).collect().rows(),
        "pandas": pandas.itertuples(index=False),
    }
    return {library: plain(rows) for library, rows in found.items()}


def by_spark(frame: "DataFrame") -> list[tuple[Any, ...]]:
    micros = [f"unix_micros({it}) AS {it}" if it == "ts" else it for it in COLUMNS]
    return plain(frame.selectExpr(*micros).collect())


def plain(rows: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(map(_plain, row)) for row in rows), key=repr)


def _plain(value: Any) -> Any:
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime):
        return int((value - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1_000_000)
    if isinstance(value, (str, date)):
        return value
    # Whole numbers beside nulls are floats in pandas.
    return tuple(value) if hasattr(value, "__len__") else int(value)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_all_libraries_find_the_rows_and_types_of_spark(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA)
    write(frame, table, readers)
    write(frame.where("id = 2").selectExpr("id + 10 AS id", *COLUMNS[1:]), table, readers)
    url = table.url if readers == "listing" else table.url.replace("s3a:", "repave:")
    read = spark.read.parquet(url)
    expected = by_spark(read)
    assert {row[0] for row in expected} == {1, 12, 3, 4, 5}
    snap = opened(table)
    assert snap.version == table.head()["version"]
    for library, found in by_library(snap).items():
        assert found == expected, library
    types = {field.name: field.dataType.simpleString() for field in read.schema if field.name in BY}
    assert snap.partition_types == types
    assert snap.arrow().schema.names == read.columns


def test_a_timestamp_beyond_nanoseconds_is_what_spark_wrote(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    frame = spark.sql("SELECT 1 AS id, TIMESTAMP'9999-12-31 00:00:00' AS valid_to")
    try:
        frame.write.parquet(table.url)
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
    (row,) = opened(table).arrow().to_table().to_pylist()
    assert (row["valid_to"].year, row["valid_to"].month) == (9999, 12)


def test_filters_on_partitions_read_only_their_files(
    spark: "SparkSession", table: TableFolder
) -> None:
    write(spark.createDataFrame(ROWS, SCHEMA), table, "snapshot")
    snap = opened(table)
    newest = snap.newest
    assert newest is not None
    wanted = snap.key(next(it for it in snap.files if snap.partition_values(it)["n"] == 2))
    reads: dict[str, Callable[[], list[Any]]] = {
        "arrow": lambda: snap.arrow().to_table(filter=ds.field("n") == 2).to_pylist(),
        "duckdb": lambda: snap.duckdb().filter("n = 2").fetchall(),
        "polars": lambda: snap.polars().filter(pl.col("n") == 2).collect().rows(),
        "pandas": lambda: snap.pandas(filters=[("n", "==", 2)]).to_dict("records"),
    }
    for library, read in reads.items():
        table.lake.proxy.reset()
        assert len(read()) == 1, library
        journal = table.journal()
        keys = {f"{it.bucket}/{it.key}" for it in journal}
        # The newest file tells the columns.
        assert keys <= {wanted, snap.key(newest)}, library
        assert {it.op for it in journal} == {"GetObject"}, library


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_poll_beside_overwrites_sees_one_version(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    days = range(20)

    def overwrite(note: str) -> None:
        frame = sales(spark, days, note)
        writer = frame.write.mode("overwrite").partitionBy("day").option("repave.readers", readers)
        writer.option("partitionOverwriteMode", "dynamic").parquet(table.url)

    def overwrite_all() -> None:
        for number in range(1, 6):
            overwrite(str(number))

    overwrite("0")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(overwrite_all)
        seen: list[str] = []
        vanished = 0
        while not job.done():
            snap = opened(table)
            try:
                rows = snap.arrow().to_table(columns=["note", "day"]).to_pylist()
            except OSError:
                # Files of a listing table may be deleted under a read; nothing else may go wrong.
                assert readers == "listing"
                vanished += 1
                continue
            (note,) = {row["note"] for row in rows}
            assert Counter(row["day"] for row in rows) == dict.fromkeys(days, 2)
            seen.append(note)
        job.result()
    assert seen == sorted(seen)
    assert len(set(seen)) > 1, "nothing changed beside the reads"
    print(f"{readers}: {len(seen)} polls of {len(set(seen))} versions, {vanished} too late")


def test_an_earlier_version_is_read_by_number_and_by_time(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = spark.createDataFrame(ROWS[:1], SCHEMA)
    write(frame, table, "snapshot")
    first = opened(table).version
    write(frame.selectExpr("id + 10 AS id", *COLUMNS[1:]), table, "snapshot")
    assert list(opened(table, version=first).pandas()["id"]) == [1]
    assert list(opened(table).pandas()["id"]) == [11]
    now = datetime.now(timezone.utc)
    assert opened(table, as_of=now.replace(year=now.year + 1)).version == first + 1
    with pytest.raises(repave.UsageError, match="had no version yet at 2020"):
        opened(table, as_of="2020-01-01")


def test_partitions_outside_the_table_have_their_values(
    spark: "SparkSession", table: TableFolder
) -> None:
    folder = f"s3a://annex/outside/{table.name}"
    spark.sql(
        f"CREATE TABLE outside (id INT, v STRING, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    try:
        spark.sql("INSERT INTO outside VALUES (1,'a',1)")
        spark.sql(f"ALTER TABLE outside ADD PARTITION (p=2) LOCATION '{folder}'")
        spark.sql("INSERT INTO outside VALUES (2,'b',2)")
        spark.sql(f"ALTER TABLE outside ADD PARTITION (p=3) LOCATION '{folder}-x/p=3'")
        spark.sql("INSERT INTO outside VALUES (3,'c',3)")
        expected = sorted(tuple(row) for row in spark.table("outside").collect())
    finally:
        spark.sql("DROP TABLE outside")
    with pytest.raises(repave.UsageError, match="only the catalog knows them"):
        opened(table).arrow()
    assert len(opened(table).uris()) == 3
    snap = opened(table, locations={folder: "p=2"})
    assert sorted(snap.duckdb().fetchall()) == expected
    assert sorted(snap.polars().collect().rows()) == expected
    assert sorted(map(tuple, snap.pandas().itertuples(index=False))) == expected


@pytest.mark.parametrize("kind", ["orc", "csv", "json"])
def test_other_formats_are_read_as_spark_writes_them(
    spark: "SparkSession", table: TableFolder, kind: str
) -> None:
    frame = spark.createDataFrame(ROWS, SCHEMA).drop("tags")
    write(frame, table, "snapshot", kind)
    read = spark.read.format(kind).load(table.url.replace("s3a:", "repave:"))
    if kind == "csv":
        read = read.toDF("id", "note", *BY).withColumn("id", functions.col("id").cast("long"))
    read = read.select("id", "note", *BY)
    expected = plain(read.drop("ts").collect())
    snap = opened(table)
    told: dict[str, Any] = {}
    if kind != "orc":
        with pytest.raises(repave.UsageError, match="schema="):
            snap.arrow()
        told["schema"] = pa.schema([("id", pa.int64()), ("note", pa.string())])
    if kind == "csv":
        nulls = csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=True)
        names = csv.ReadOptions(column_names=["id", "note"])
        told["format"] = ds.CsvFileFormat(read_options=names, convert_options=nulls)
    columns = [name for name in read.columns if name != "ts"]
    found = snap.polars(**told).select(columns).collect()
    assert plain(found.rows()) == expected
    assert plain(snap.duckdb(**told).select(", ".join(columns)).fetchall()) == expected


def test_the_rule_for_types_is_sparks(spark: "SparkSession", tmp_path: Path) -> None:
    """Every column of one long path has a value, or several that Spark has to fit together."""
    alone = Path(__file__).with_name("partition_values.txt").read_text("utf-8").splitlines()
    pairs = [
        *(
            ("1", other)
            for other in ("3000000000", "1.5", "2026-11-21", "a", "99999999999999999999")
        ),
        *(("3000000000", other) for other in ("1.5", "99999999999999999999", "x")),
        ("1.5", "99999999999999999999"),
        ("2026-11-21", "2026-11-21 00%3A00%3A00"),
        ("2026-11-21", "1.5"),
        *(("__HIVE_DEFAULT_PARTITION__", other) for other in ("7", "2026-11-21", "b")),
    ]
    columns = [(one, one) for one in alone] + pairs
    for side in (0, 1):
        folder = tmp_path / "/".join(f"c{at}={pair[side]}" for at, pair in enumerate(columns))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{side}.txt").write_text("row")
    schema = spark.read.text(str(tmp_path)).schema
    for at, pair in enumerate(columns):
        expected = schema[f"c{at}"].dataType.simpleString()
        expected = "string" if expected == "void" else expected
        assert str(infer_all(pair)) == expected, pair


def test_columns_in_another_spelling_are_what_spark_reads(
    spark: "SparkSession", table: TableFolder
) -> None:
    """Spark has no regard for case, at any depth; pyarrow has."""
    rows = [
        "1 AS id, 'x' AS note, named_struct('a', 1, 'b', array(named_struct('c', 1))) AS s",
        "2 AS ID, 'y' AS Note, named_struct('A', 2, 'B', array(named_struct('C', 2))) AS S",
        "'z' AS nOte, map('k', named_struct('a', 0)) AS m, 3 AS Id",
        "4 AS id, 'w' AS note, named_struct('b', array(named_struct('c', 4)), 'a', 4) AS s",
    ]
    for number, row in enumerate(rows):
        frame = spark.sql(f"SELECT {row}, {number} AS day")
        writer = frame.write.mode("append").partitionBy("day").option("repave.readers", "snapshot")
        writer.parquet(table.url)
    names = ["id", "note", "s", "day"]
    read = spark.read.schema("id int, note string, s struct<b: array<struct<c: int>>, a: int>")
    found = read.parquet(table.url.replace("s3a:", "repave:")).select(*names)
    expected = sorted((row.asDict(recursive=True) for row in found.collect()), key=str)
    assert [row["id"] for row in expected] == [1, 2, 3, 4]
    snap = opened(table)
    assert snap.arrow().schema.names == names
    by = {
        "arrow": snap.arrow().to_table().to_pylist(),
        "polars": snap.polars().collect().to_dicts(),
        "duckdb": [dict(zip(names, row, strict=True)) for row in snap.duckdb().fetchall()],
    }
    for library, those in by.items():
        assert sorted(those, key=str) == expected, library
    # pandas has arrays for lists.
    assert sorted(snap.pandas()["id"]) == [1, 2, 3, 4]
    assert snap.polars().filter(pl.col("s").struct.field("a") == 2).collect()["note"][0] == "y"
