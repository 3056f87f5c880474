"""Emptied partitions, rollbacks and time travel of a Delta log, for every reader of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import expr

import repave
from e2e.delta_readers import assert_read, expected, places
from e2e.delta_rows import frame, reading, write
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

STATIC = {"partitionOverwriteMode": "static"}


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with reading(spark, monkeypatch):
        yield


def test_emptied_partitions_of_a_listing_table_are_gone(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    rows = frame(spark).coalesce(1)
    write(rows, table, **{"repave.readers": "listing", "repave.followers": "delta"})
    write(rows.where("id = 5"), table, **STATIC)
    wanted = expected(table)
    assert len(wanted) == 1
    assert_read(places(table, tmp_path / "one"), wanted)
    write(rows.where("id > 100"), table, **STATIC)
    assert_read(places(table, tmp_path / "none"), [])
    write(rows.where("id = 5"), table)
    assert_read(places(table, tmp_path / "again"), wanted)


def test_each_version_reads_as_it_was_after_rollbacks_and_emptied_partitions(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    options = {"repave.readers": "snapshot", "repave.followers": "delta"}
    rows = frame(spark).coalesce(1)
    write(rows, table, **options)
    first = table.head()["version"]
    versions = {first: expected(table)}
    write(rows.where("id = 5"), table, **STATIC)
    second = table.head()["version"]
    versions[second] = expected(table)
    write(rows.where("id > 100"), table, **STATIC)
    versions[table.head()["version"]] = []
    handle = repave.RepaveTable.for_path(spark, table.url)
    handle.rollback(first)
    versions[table.head()["version"]] = expected(table)
    write(rows.where("id < 3").withColumn("id", expr("-id")), table)
    versions[table.head()["version"]] = expected(table)
    handle.rollback(second)
    versions[table.head()["version"]] = expected(table)
    in_order = [versions[one] for one in sorted(versions)]
    assert [len(one) for one in in_order] == [5, 1, 0, 5, 5, 1]
    assert in_order[0] == in_order[3] != in_order[4]
    found = places(table, tmp_path)
    for version, wanted in versions.items():
        assert_read(found, wanted, version)
    assert_read(found, versions[second])
