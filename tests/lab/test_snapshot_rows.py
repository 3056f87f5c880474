"""Rows that a library would lose or invent if it were given the files of a version as they are."""

import bz2
import gzip
import zlib
from collections.abc import Callable

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from mypy_boto3_s3 import S3Client
from pyarrow import csv

import repave
from lab.reader_tables import StoredTable
from repave_lab.servers import S3Server

IDS = pa.schema([("id", pa.int64())])
LINES = {"csv": b"1\n", "json": b'{"id":1}\n'}
# As Spark writes the files of tasks without rows, too.
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
}
FORMATS = {
    "csv": ds.CsvFileFormat(read_options=csv.ReadOptions(column_names=["id"])),
    "json": None,
}

Query = Callable[[pl.LazyFrame], pl.LazyFrame]
OF_THE_FIRST_ROWS: dict[str, Query] = {
    "head, filter": lambda it: it.head(2).filter(pl.col("id") > 1),
    "head, filter by partition": lambda it: it.head(2).filter(pl.col("day") == 2),
    "head, group, filter": lambda it: it.head(4).group_by("day").len().filter(pl.col("day") == 2),
    "filter, head": lambda it: it.filter(pl.col("id") > 1).head(2),
    "filter, head, filter": lambda it: it.filter(pl.col("id") > 1).head(2).filter(pl.col("id") > 2),
}


@pytest.fixture(autouse=True)
def _credentials(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.endpoint)
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.mark.parametrize("query", OF_THE_FIRST_ROWS)
def test_the_first_rows_of_polars_are_those_before_or_after_a_filter_as_the_query_says(
    direct: S3Client, bucket: str, query: str
) -> None:
    """Polars hands over both together when it means the first rows of the source."""
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {"day=1": [1, 2, 3], "day=2": [4, 5]})
    frame = repave.snapshot(table.url).polars()
    ask = OF_THE_FIRST_ROWS[query]
    assert ask(frame).collect().rows() == ask(frame.collect().lazy()).collect().rows()


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("suffix", COMPRESSED)
def test_a_text_file_without_rows_does_not_stop_readers(
    direct: S3Client, bucket: str, kind: str, suffix: str
) -> None:
    """Spark writes one for a task without rows, and pyarrow refuses it."""
    written = COMPRESSED[suffix]
    table = StoredTable(direct, bucket, "snapshot")
    table.commit_files("append", {"day=1": written(LINES[kind])}, f"{kind}{suffix}")
    table.commit_files("append", {"day=2": written(b"")}, f"{kind}{suffix}")
    snap = repave.snapshot(table.url)
    told = {"schema": IDS, "format": FORMATS[kind]}
    assert snap.arrow(**told).to_table().to_pylist() == [{"id": 1, "day": 1}]
    assert snap.polars(**told).filter(pl.col("day") < 3).collect().rows() == [(1, 1)]
    assert snap.duckdb(**told).fetchall() == [(1, 1)]
    assert len(snap.pandas(**told)) == 1


def test_recorded_copies_that_were_not_completed_have_no_rows(
    direct: S3Client, bucket: str
) -> None:
    """Adoptions used to record them. Spark hides them."""
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {"day=1": [1, 2]})
    table.commit_files("append", {"day=2": b"half of a fi"}, "parquet._COPYING_")
    snap = repave.snapshot(table.url)
    assert snap.arrow().to_table()["id"].to_pylist() == [1, 2]
    assert snap.polars().filter(pl.col("day") < 3).collect()["id"].to_list() == [1, 2]


def test_empty_files_of_other_writers_do_not_stop_readers(direct: S3Client, bucket: str) -> None:
    """Spark passes over them in every format, also where it looks for the columns."""
    table = StoredTable(direct, bucket, "snapshot")
    table.commit("append", {"day=1": [1, 2]})
    table.commit_files("append", {"day=0": b"", "day=2": b""}, "parquet")
    snap = repave.snapshot(table.url)
    assert snap.arrow().to_table()["id"].to_pylist() == [1, 2]
    assert snap.polars().filter(pl.col("day") < 3).collect()["id"].to_list() == [1, 2]
    assert len(snap.duckdb().fetchall()) == len(snap.pandas()) == 2
    table.commit_files("dynamic", dict.fromkeys(("day=0", "day=1", "day=2"), b""), "parquet")
    known = repave.snapshot(table.url).arrow(schema=IDS)
    assert (known.count_rows(), known.schema.names) == (0, ["id", "day"])
    with pytest.raises(repave.UsageError, match="has no files with rows"):
        repave.snapshot(table.url).arrow()


@pytest.mark.parametrize("codec", ["deflate", "snappy", "zst"])
def test_text_in_a_codec_that_pyarrow_does_not_know_is_refused(
    direct: S3Client, bucket: str, codec: str
) -> None:
    """It takes what it does not know for plain text: here it counted one line of three."""
    table = StoredTable(direct, bucket, "snapshot")
    table.commit_files("append", {"day=1": zlib.compress(b"1\n2\n3\n")}, f"csv.{codec}")
    with pytest.raises(repave.UsageError, match="does not read text files that are compressed"):
        repave.snapshot(table.url).arrow(schema=IDS, format=FORMATS["csv"]).count_rows()


@pytest.mark.parametrize("kind", LINES)
def test_a_version_whose_text_files_are_all_without_rows_has_none(
    direct: S3Client, bucket: str, kind: str
) -> None:
    table = StoredTable(direct, bucket, "snapshot")
    table.commit_files("append", {"day=1": b""}, kind)
    found = repave.snapshot(table.url).arrow(schema=IDS, format=FORMATS[kind])
    assert found.to_table().num_rows == 0
    assert found.schema.names == ["id", "day"]


@pytest.mark.parametrize("zero", [0, 0.0, -0.0])
def test_a_list_with_a_zero_has_both_zeros_in_filters_of_pandas(
    direct: S3Client, bucket: str, zero: float
) -> None:
    """The bounds of a row group of zeros are -0.0 and 0.0, which pyarrow treats as one value."""
    zeros, others = pa.table({"v": [0.0, 0.0]}), pa.table({"v": [-0.0, 5.0, 7.0, None]})
    table = StoredTable(direct, bucket, "snapshot")
    table.commit_rows("append", {"x=-0.0": zeros, "x=0.0": others, "x=1.5": zeros})
    snap = repave.snapshot(table.url)
    listed = [zero, 5]
    assert len(snap.pandas(filters=[("v", "in", listed)])) == 6
    assert len(snap.pandas(filters=[("v", "not in", listed)])) == 2
    assert len(snap.pandas(filters=[("x", "in", listed)])) == 6
    assert len(snap.pandas(filters=[("x", "not in", listed)])) == 2
    either = [[("v", "==", 7.0)], [("x", "in", {1.5}), ("v", "in", listed)]]
    assert len(snap.pandas(filters=either)) == 3
