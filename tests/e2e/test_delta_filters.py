"""Filters of Delta tables find the rows of every file, whichever bounds the log has of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow.dataset as ds
import pytest

from e2e.delta_readers import Place, copied, delta_table
from e2e.delta_rows import reading
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

# ruff: noqa: ANN401 - values of any type

VALUES: dict[str, list[Any]] = {
    "id": [1, 11, 21, 31, 41],
    "note": ["x", "y"],
    "share": [0.0, 0.5, 1.5],
    "count": [7, 8],
}


@pytest.fixture(autouse=True)
def _settings(spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with reading(spark, monkeypatch):
        yield


def by_delta_rs(place: Place, column: str, value: Any) -> list[int]:
    found = delta_table(place).to_pyarrow_dataset().to_table(filter=_is(column, value))
    ids: list[int] = found["key"].to_pylist()
    return ids


def by_polars(place: Place, column: str, value: Any, **options: Any) -> list[int]:
    wanted = pl.col(column).is_null() if value is None else pl.col(column) == value
    found = pl.scan_delta(place.url, **options).filter(wanted).collect()
    return found["key"].to_list()


READERS: dict[str, Callable[[Place, str, Any], list[int]]] = {
    "delta-rs": by_delta_rs,
    "Polars": by_polars,
    "Polars, use_pyarrow": lambda *asked: by_polars(*asked, use_pyarrow=True),
}


def _is(column: str, value: Any) -> Any:
    return ds.field(column).is_null() if value is None else ds.field(column) == value


def test_filters_find_the_rows_of_files_that_lack_bounds(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    """Of a column without a bound delta-rs says that no value is in the file, unless it is told."""
    rows = {
        "": "1 AS id, 'x' AS note, 0.5D AS share, 7 AS count",
        "id,note": "11 AS id, 'y' AS note, 1.5D AS share, 8 AS count",
        "id,share,note": "21 AS id, 'x' AS note, 0.0D AS share, 7 AS count",
        "share": "31 AS id, 'y' AS note, 0.5D AS share, 8 AS count",
        "id,count": "41 AS id, 'x' AS note, 1.5D AS share, 7 AS count",
        "note,id": "int(null) AS id, string(null) AS note, double(null) AS share, 8 AS count",
    }
    for key, (bounded, row) in enumerate(rows.items()):
        writer = spark.sql(f"SELECT {key} AS key, {row}").write.mode("append")
        writer = writer.option("repave.followers", "delta").option("repave.readers", "snapshot")
        writer = writer.option("repave.delta.checkpoint.every", "3")
        writer.option("repave.stats.columns", bounded).parquet(table.url)
    place = copied(table, tmp_path)
    _assert_filtered(place, len(rows))
    # These files have the bounds of both columns, so only one of them is read.
    found = delta_table(place).to_pyarrow_dataset().get_fragments(filter=ds.field("id") == 11)
    assert len(list(found)) == len(rows) - 2
    log = [json.loads(line) for line in _log(place)]
    chosen = [one["metaData"]["configuration"] for one in log if "metaData" in one]
    assert chosen == [{}, {"delta.dataSkippingStatsColumns": "id,note"}]
    # A reader that does not begin with the checkpoint misses these.
    folder = Path(place.url) / "_delta_log"
    for version in range(json.loads((folder / "_last_checkpoint").read_text("utf-8"))["version"]):
        (folder / f"{version:020d}.json").unlink()
    _assert_filtered(place, len(rows))


def _assert_filtered(place: Place, rows: int) -> None:
    everything = delta_table(place).to_pyarrow_table()
    assert everything.num_rows == rows
    for column, values in VALUES.items():
        for value in (*values, None):
            wanted = sorted(everything.filter(_is(column, value))["key"].to_pylist())
            for name, read in READERS.items():
                assert sorted(read(place, column, value)) == wanted, (name, column, value)


def _log(place: Place) -> Iterator[str]:
    for version in sorted((Path(place.url) / "_delta_log").glob("*.json")):
        yield from version.read_text("utf-8").splitlines()
