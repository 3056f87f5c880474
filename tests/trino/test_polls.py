"""Trino reads a table again and again, while Spark replaces all of its partitions.

`TRINO_POLLS` says how often each way is read; docs/testing/trino.md has figures of 1,000.
"""

import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from click.testing import CliRunner

from campaigns.overwriter import ROWS
from campaigns.reads import Row, judged
from e2e.lake import TableFolder
from repave import RepaveTable
from repave.cli import main
from trino.engine import QueryFailedError, Trino
from trino.test_trino import add_partitions, register, s3
from unit.glue_catalog import Catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLLS = int(os.environ.get("TRINO_POLLS", "20"))
PLACES = 20
PAUSE_SECONDS = 0.5
GONE = "Error opening Hive split"


def overwrite(spark: "SparkSession", table: TableFolder, number: int, **options: str) -> None:
    """Replace every partition by rows that name this overwrite."""
    rows = spark.range(0, PLACES * ROWS, 1, 2).selectExpr(
        "id", f"'{number}' AS note", f"CAST(id % {PLACES} AS STRING) AS place"
    )
    writer = rows.repartition(2, "place").write.mode("overwrite").partitionBy("place")
    writer.options(partitionOverwriteMode="dynamic", **options).parquet(table.url)


@contextmanager
def overwriting(step: Callable[[int], None]) -> Iterator[Callable[[], int]]:
    """Take a step again and again in another thread; yield how to learn how many were taken."""
    end, done, errors = threading.Event(), [1], list[BaseException]()

    def run() -> None:
        try:
            while not end.is_set():
                step(done[0] + 1)
                done[0] += 1
                time.sleep(PAUSE_SECONDS)
        except BaseException as error:  # noqa: BLE001 - shown by the test's own thread
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield lambda: done[0]
    finally:
        end.set()
        thread.join()
    assert errors == []


def polls(engine: Trino, glue: Catalog, steps: Callable[[], int]) -> Counter[str]:
    """Read the table so often; count what a reader would call wrong."""
    seen: Counter[str] = Counter()
    newest: set[int] = set()
    for _ in range(POLLS):
        try:
            found = engine.rows(f"SELECT id, place, note FROM {glue.name}")
        except QueryFailedError as error:
            assert GONE in str(error)  # noqa: PT017 - a read may fail in no other way
            seen["errors"] += 1
            continue
        rows: list[Row] = [(number, int(place), int(note)) for number, place, note in found]
        read = judged(rows, PLACES)
        seen["gaps"] += read["gap"]
        seen["duplicates"] += read["duplicate"]
        seen["mixed partitions"] += any(len(rounds) > 1 for rounds in by_place(rows).values())
        seen["mixed"] += len(read["rounds"]) > 1
        newest.update(read["rounds"])
    print(f"{POLLS} reads by Trino beside {steps()} overwrites: {dict(seen)}")
    assert len(newest) > 1, "nothing changed beside the reads"
    return seen


def by_place(rows: list[Row]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for _, place, number in rows:
        found[place].add(number)
    return found


def test_locations_in_glue_beside_overwrites(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    overwrite(spark, table, 1, **{"repave.readers": "snapshot"})
    opened = RepaveTable.for_path(spark, table.url)
    opened.follow(glue.name, catalog="glue")

    def step(number: int) -> None:
        overwrite(spark, table, number)
        opened.sync()

    with overwriting(step) as steps:
        seen = polls(engine, glue, steps)
    for wrong in ("gaps", "duplicates", "mixed partitions", "errors"):
        assert seen[wrong] == 0, wrong


def test_symlink_manifests_beside_overwrites(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    overwrite(spark, table, 1, **{"repave.readers": "snapshot", "repave.followers": "symlink"})
    line = ["symlinks", s3(table), "--glue", glue.name]
    line += ["--endpoint-url", table.lake.proxy.endpoint]
    assert CliRunner().invoke(main, line, catch_exceptions=False).exit_code == 0
    with overwriting(lambda number: overwrite(spark, table, number)) as steps:
        seen = polls(engine, glue, steps)
    for wrong in ("gaps", "duplicates", "mixed partitions", "errors"):
        assert seen[wrong] == 0, wrong


def test_plain_folders_of_a_listing_table_beside_overwrites(
    spark: "SparkSession", table: TableFolder, engine: Trino, glue: Catalog
) -> None:
    overwrite(spark, table, 1)
    register(glue, table)
    add_partitions(glue, table)
    with overwriting(lambda number: overwrite(spark, table, number)) as steps:
        seen = polls(engine, glue, steps)
    # Old and new rows may be seen together, and a file may be gone when it is read.
    assert seen["gaps"] == 0
