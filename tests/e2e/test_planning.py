"""What it costs Spark to plan a query through `repave://`, next to S3A's own listing.

`-k figures -s` prints the figures of docs/testing/planning.md.
"""

import io
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyspark
import pytest

from e2e.frames import sales
from e2e.lake import Lake, TableFolder
from e2e.sessions import line
from lab.reader_tables import wide_table
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest

NAME = "planned"
UUID = "01234567-89ab-4def-8123-456789abcdef"
# Spark 4 lists one path by one call; earlier ones let tasks list the folders.
BULK = line(pyspark.__version__) >= "4.0"


def write_wide(spark: "SparkSession", table: TableFolder, partitions: int) -> None:
    """Make a snapshot table with one small file for each partition.

    Its first commit adopts the files that exist, and writes partition 0.
    """
    source = table.lake.table(f"{table.name}-source")
    overwrite(spark, source, [1], "old")
    key = f"{source.name}/{source.data()[0]}"
    body = table.lake.client.get_object(Bucket=table.lake.bucket, Key=key)["Body"].read()

    def put(number: int) -> None:
        key = f"{table.name}/day={number}/part-00000-{UUID}-{number}.c000.snappy.parquet"
        table.lake.client.put_object(Bucket=table.lake.bucket, Key=key, Body=io.BytesIO(body))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(put, range(1, partitions)))
    overwrite(spark, table, [0], "old")


def overwrite(spark: "SparkSession", table: TableFolder, days: list[int], note: str) -> None:
    options = {"partitionOverwriteMode": "dynamic", "repave.readers": "snapshot"}
    frame = sales(spark, days, note, per_day=1)
    frame.write.mode("overwrite").partitionBy("day").options(**options).parquet(table.url)


def versioned(table: TableFolder) -> str:
    return table.url.replace("s3a://", "repave://")


def plan(frame: "DataFrame") -> int:
    """Plan a query; return how many files it would read."""
    return len(frame.inputFiles())


def records(table: TableFolder) -> Counter[str]:
    """Return the names of the records that were read."""
    return Counter(
        entry.key.rpartition("/")[2] for entry in table.journal() if "/_repave/" in entry.key
    )


def few_requests(table: TableFolder) -> int:
    """Return a bound that does not grow with the number of partitions.

    The driver and the tasks read the version once each: every manifest since the checkpoint.
    """
    return 8 + 2 * len(table.head()["log"])


@pytest.fixture(scope="module")
def shared(spark: "SparkSession", lake: Lake) -> TableFolder:
    table = lake.table(NAME)
    write_wide(spark, table, 300)
    return table


@pytest.fixture
def wide(spark: "SparkSession", shared: TableFolder) -> Iterator[TableFolder]:
    """A table of 300 partitions in a version that nobody has read."""
    overwrite(spark, shared, [299], "old")
    shared.lake.proxy.reset()
    yield shared
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


def test_a_path_is_planned_with_few_requests(spark: "SparkSession", wide: TableFolder) -> None:
    assert plan(spark.read.parquet(versioned(wide))) == 300
    counts = wide.counts()
    assert counts["ListObjectsV2"] == 0
    assert sum(counts.values()) <= 12, dict(counts)


def test_a_pruned_query_costs_few_requests(spark: "SparkSession", wide: TableFolder) -> None:
    frame = spark.read.schema("id bigint, note string, day int").parquet(versioned(wide))
    assert len(frame.where("day = 7").collect()) == 1
    assert sum(wide.counts().values()) <= few_requests(wide), dict(wide.counts())


def test_a_file_that_is_read_costs_one_head(spark: "SparkSession", wide: TableFolder) -> None:
    """Spark opens a file of Parquet once or twice, and the first one for the schema."""
    assert len(spark.read.parquet(versioned(wide)).where("day = 7").collect()) == 1
    heads = Counter(
        entry.key
        for entry in wide.journal()
        if entry.op == "HeadObject" and entry.key.endswith(".parquet")
    )
    assert len(heads) <= 2, "the file of the schema, and the one of the day"
    assert set(heads.values()) <= {1}


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_file_is_not_taken_for_a_table(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    """Spark lists each file by its path to infer the columns of JSON and CSV."""
    writer = spark.range(4).selectExpr("id", "id AS day").coalesce(1).write.partitionBy("day")
    writer.option("repave.readers", readers).json(table.url)
    table.lake.proxy.reset()
    assert spark.read.json(versioned(table)).columns == ["id", "day"]
    assert [entry.key for entry in table.journal() if ".json/_repave/" in entry.key] == []


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
@pytest.mark.parametrize("source", ["json", "csv"])
def test_the_columns_of_text_cost_no_look_at_the_table_for_each_file(
    spark: "SparkSession", table: TableFolder, readers: str, source: str
) -> None:
    """Spark lists each of these files by its path, and then reads it."""
    writer = spark.range(20).selectExpr("id", "id AS day").coalesce(1).write.partitionBy("day")
    writer.option("repave.readers", readers).format(source).save(table.url)
    table.lake.proxy.reset()
    frame = spark.read.option("inferSchema", "true").format(source).load(versioned(table))
    assert len(frame.columns) == 2
    # Before Spark 4 each folder of a listing table is listed by itself, with two looks at the head.
    folders = 0 if BULK or readers == "snapshot" else 20
    assert records(table)["head.json"] <= 5 + 2 * folders
    files = Counter(entry.op for entry in table.journal() if f".{source}" in entry.key)
    assert files["HeadObject"] <= 21
    assert table.counts()["ListObjectsV2"] <= 4 + folders


def test_a_version_is_planned_with_few_requests(spark: "SparkSession", wide: TableFolder) -> None:
    version = wide.head()["version"]
    assert plan(spark.read.parquet(f"{versioned(wide)}/@v{version}")) == 300
    assert sum(wide.counts().values()) <= 12, dict(wide.counts())
    overwrite(spark, wide, [5], "new")
    earlier = spark.read.parquet(f"{versioned(wide)}/@v{version}")
    assert {row.note for row in earlier.where("day = 5").collect()} == {"old"}


def test_a_pattern_is_planned_with_few_requests(spark: "SparkSession", wide: TableFolder) -> None:
    assert plan(spark.read.parquet(f"{versioned(wide)}/day=[12]*")) == 222
    # In this session the tasks that list folders run in the same JVM.
    assert records(wide)["head.json"] <= 4
    assert sum(wide.counts().values()) <= few_requests(wide), dict(wide.counts())


def test_a_name_in_the_catalog_is_planned_with_few_requests(
    spark: "SparkSession", wide: TableFolder
) -> None:
    RepaveTable.for_path(spark, wide.url).register(NAME)
    wide.lake.proxy.reset()
    assert len(spark.sql(f"SELECT day FROM {NAME} WHERE day < 20").collect()) == 20
    # Two to look for the log of a stream, and one for all folders that the driver lists.
    assert records(wide)["head.json"] <= 3
    wide.lake.proxy.reset()
    assert spark.sql(f"SELECT day FROM {NAME}").count() == 300
    assert records(wide)["head.json"] <= 3, "one for all folders that tasks list"
    wide.lake.proxy.reset()
    assert len(spark.sql(f"SELECT * FROM {NAME} WHERE day = 7").collect()) == 1
    assert sum(wide.counts().values()) <= 8, dict(wide.counts())


@pytest.mark.slow
def test_a_query_by_name_sees_the_write_before_it(spark: "SparkSession", wide: TableFolder) -> None:
    RepaveTable.for_path(spark, wide.url).register(NAME)
    for note in ("one", "two", "three"):
        overwrite(spark, wide, [5, 6], note)
        spark.catalog.refreshTable(NAME)  # Spark keeps the files of a name.
        rows = spark.sql(f"SELECT note FROM {NAME} WHERE day IN (5, 6)").collect()
        assert {row.note for row in rows} == {note}


@pytest.mark.newest
def test_readers_beside_overwrites_see_one_version(
    spark: "SparkSession", wide: TableFolder
) -> None:
    RepaveTable.for_path(spark, wide.url).register(NAME)
    days = list(range(40))
    overwrite(spark, wide, days, "0")
    read, ended = threading.Event(), threading.Event()
    failed: list[BaseException] = []

    def write() -> None:
        try:
            number = 0
            while not read.is_set():
                number += 1
                overwrite(spark, wide, days, str(number))
        except BaseException as e:  # noqa: BLE001 - shown by the test
            failed.append(e)
        finally:
            ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    reads: list[Callable[[], DataFrame]] = [
        lambda: spark.read.parquet(versioned(wide)).where("day < 40"),
        lambda: spark.read.parquet(f"{versioned(wide)}/day=*"),
        lambda: spark.sql(f"SELECT * FROM {NAME} WHERE day < 30"),
    ]
    polls, seen = 0, set[str]()
    try:
        while (polls < 6 or len(seen) < 3) and not ended.is_set():
            spark.catalog.refreshTable(NAME)
            rows = reads[polls % 3]().select("note", "id").collect()
            notes = Counter(row.note for row in rows if row.note != "old")
            assert len(notes) == 1, notes
            assert set(notes.values()) <= {30, 40}, "no gap, no duplicate"
            seen |= set(notes)
            polls += 1
    finally:
        read.set()
        writer.join()
    assert failed == []
    print(f"{polls} reads of {len(seen)} versions beside overwrites of {len(days)} partitions")


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [2_000])
def test_figures_of_planning(spark: "SparkSession", table: TableFolder, partitions: int) -> None:
    write_wide(spark, table, partitions)
    schema = "id bigint, note string"
    reader = spark.read.schema(f"{schema}, day int")
    proxy = table.lake.proxy
    runs: dict[str, Callable[[], int]] = {
        "repave://, all": lambda: plan(spark.read.parquet(versioned(table))),
        "s3a://, all": lambda: plan(spark.read.parquet(table.url)),
        "repave://, one, read": lambda: len(
            reader.parquet(versioned(table)).where("day = 7").collect()
        ),
        "s3a://, one, read": lambda: len(reader.parquet(table.url).where("day = 7").collect()),
        "repave://, folder, read": lambda: len(
            spark.read.schema(schema).parquet(f"{versioned(table)}/day=7").collect()
        ),
        "s3a://, folder, read": lambda: len(
            spark.read.schema(schema).parquet(f"{table.url}/day=7").collect()
        ),
    }
    proxy.set_model("typical")
    try:
        for name, run in runs.items():
            for _ in range(3):
                if name.startswith("repave"):
                    # Another version, so that nothing of it is in memory.
                    proxy.set_model(None)
                    overwrite(spark, table, [3], "new")
                    proxy.set_model("typical")
                proxy.reset(seed=1)
                start = time.perf_counter()
                files = run()
                seconds = time.perf_counter() - start
                counts = table.counts()
                print(
                    f"{partitions} partitions, {name}: {files} in {seconds:.2f} s, "
                    f"{sum(counts.values())} requests {dict(counts)}, "
                    f"load {os.getloadavg()[0]:.0f}"
                )
    finally:
        proxy.set_model(None)


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [10_000])
def test_figures_of_planning_by_records(spark: "SparkSession", lake: Lake, partitions: int) -> None:
    """A table with a checkpoint and 4 commits since, next to S3A's listing of the same files."""
    wide_table(lake.client, "annex", partitions, "snapshot", since=4)
    table = TableFolder(Lake("annex", lake.client, lake.proxy), "sales")
    store_files(table, partitions)
    reader = spark.read.schema("id bigint, day string")
    folders = [f"day={partitions - number:05}" for number in (1, 2)]
    repaves = [f"{versioned(table)}/{folder}" for folder in folders]
    runs: dict[str, tuple[int, Callable[[], int]]] = {
        "repave://, folder, planned": (8, lambda: plan(reader.parquet(repaves[0]))),
        "repave://, all, planned": (12, lambda: plan(reader.parquet(versioned(table)))),
        "repave://, all, planned again": (4, lambda: plan(reader.parquet(versioned(table)))),
        "s3a://, all, planned": (40, lambda: plan(reader.parquet(table.url))),
        "repave://, folder, read": (8, lambda: len(reader.parquet(repaves[0]).collect())),
        "s3a://, folder, read": (
            40,
            lambda: len(reader.parquet(f"{table.url}/{folders[0]}").collect()),
        ),
        "repave://, filter, read": (
            8,
            lambda: len(
                reader.parquet(versioned(table)).where(f"day = '{folders[0][4:]}'").collect()
            ),
        ),
    }
    sent: dict[str, int] = {}
    lake.proxy.set_model("typical")
    try:
        for name, (most, run) in runs.items():
            time.sleep(6)  # No look at the head is left.
            lake.proxy.reset(seed=1)
            start = time.perf_counter()
            found = run()
            seconds = time.perf_counter() - start
            counts = table.counts()
            sent[name] = sum(counts.values())
            print(
                f"{partitions} partitions by records, {name}: {found} in {seconds:.2f} s, "
                f"{sent[name]} requests {dict(counts)}, load {os.getloadavg()[0]:.0f}"
            )
            assert sent[name] <= most, name
        assert sent["repave://, all, planned"] <= sent["s3a://, all, planned"]
    finally:
        lake.proxy.set_model(None)


def store_files(table: TableFolder, partitions: int) -> None:
    """Store the files that the records name: copies of the last one."""
    folders = [f"{table.name}/day={number:05}" for number in range(partitions - 1)]
    name = table.data()[0].rpartition("/")[2]
    source = f"{table.name}/day={partitions - 1:05}/{name}"
    client = table.lake.client
    body = client.get_object(Bucket=table.lake.bucket, Key=source)["Body"].read()

    def put(folder: str) -> None:
        client.put_object(Bucket=table.lake.bucket, Key=f"{folder}/{name}", Body=body)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(put, folders))
