"""Columns of Parquet files whose names differ from the table's only in case."""

import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from repave._errors import UsageError
from repave._snapshot.parquet_names import columns_of, footer_bytes
from repave._snapshot.respelled import TAIL_BYTES, Respelled
from repave._snapshot.spelling import Names

# ruff: noqa: ANN401 - pyarrow has no types

FORMAT = ds.ParquetFileFormat()
# One letter has other bytes, and more of them, in its other case.
TABLE = pa.schema(
    [
        ("id", pa.int64()),
        ("ⱥ", pa.string()),
        ("place", pa.struct([("lat", pa.float64()), ("names", pa.list_(pa.string()))])),
        ("items", pa.list_(pa.struct([("sku", pa.string()), ("n", pa.int32())]))),
        ("rates", pa.map_(pa.string(), pa.struct([("eur", pa.int64())]))),
    ]
)
FILE = pa.schema(
    [
        ("Rates", pa.map_(pa.string(), pa.struct([("EUR", pa.int64())]))),
        ("Items", pa.list_(pa.struct([("n", pa.int32()), ("SKU", pa.string())]))),
        ("more", pa.string()),
        ("place", pa.struct([("LAT", pa.float64()), ("Names", pa.list_(pa.string()))])),
        ("Ⱥ", pa.string()),
        ("ID", pa.int64()),
    ]
)


def row(number: int) -> dict[str, Any]:
    return {
        "ID": number,
        "Ⱥ": f"x{number}",
        "more": "m",
        "place": {"LAT": 1.5, "Names": ["a", None]},
        "Items": [{"SKU": "k", "n": number}],
        "Rates": [("r", {"EUR": 3})],
    }


def expected(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "ⱥ": f"x{number}",
        "place": {"lat": 1.5, "names": ["a", None]},
        "items": [{"sku": "k", "n": number}],
        "rates": [("r", {"eur": 3})],
    }


def read(path: Path, schema: Any) -> list[dict[str, Any]]:
    handler = Respelled(fs.LocalFileSystem())
    handler.schema = schema
    files = fs.PyFileSystem(pickle.loads(pickle.dumps(handler)))  # noqa: S301 - made here
    dataset = ds.FileSystemDataset([FORMAT.make_fragment(str(path), files)], schema, FORMAT, files)
    rows: list[dict[str, Any]] = dataset.to_table().to_pylist()
    return rows


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_compliant_nested_type": False},
        {"store_schema": False, "compression": "none", "version": "1.0"},
    ],
)
@pytest.mark.parametrize("rows", [1, 20_000])
def test_columns_are_found_at_every_depth(
    tmp_path: Path, rows: int, options: dict[str, Any]
) -> None:
    path = tmp_path / "file.parquet"
    table = pa.Table.from_pylist([row(number) for number in range(rows)], FILE)
    pq.write_table(table, path, row_group_size=5_000, **options)
    assert (path.stat().st_size > TAIL_BYTES) == (rows > 1)
    assert read(path, TABLE) == [expected(number) for number in range(rows)]


def test_a_footer_may_be_longer_than_what_is_read_first(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    names = [f"Column_{number:05}" for number in range(2_000)]
    pq.write_table(pa.table({name: [1] for name in names}), path)
    assert (footer_bytes(path.read_bytes()) or 0) > TAIL_BYTES
    schema = pa.schema([(name.lower(), pa.int64()) for name in names])
    assert read(path, schema) == [{name.lower(): 1 for name in names}]


def test_a_file_with_the_names_of_the_table_is_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    for rows in (1, 50_000):
        pq.write_table(pa.table({"id": range(rows), "more": range(rows)}), path)
        assert read(path, pa.schema([("id", pa.int64())])) == [{"id": it} for it in range(rows)]


def test_a_file_that_has_a_name_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"id": [1], "ID": [2]}), path)
    for name in ("id", "Id"):
        with pytest.raises(UsageError, match="it has 'id' and 'ID' for"):
            read(path, pa.schema([(name, pa.int64())]))
    assert read(path, pa.schema([("more", pa.int64())])) == [{"more": None}]


def test_a_table_may_distinguish_names_by_case(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    schema = pa.schema([("id", pa.int64()), ("ID", pa.int64())])
    pq.write_table(pa.table({"ID": [2], "id": [1]}), path)
    assert read(path, schema) == [{"id": 1, "ID": 2}]
    pq.write_table(pa.table({"ID": [2]}), path)
    assert read(path, schema) == [{"id": None, "ID": 2}]
    pq.write_table(pa.table({"Id": [2]}), path)
    with pytest.raises(UsageError, match="it has 'Id' for 'id' and 'ID'"):
        read(path, schema)


def test_a_damaged_file_is_left_to_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"ID": [1]}), path)
    content = path.read_bytes()
    for damaged in (b"", b"PAR1", content[:-1], content[:-8] + b"\xff\xff\xff\x7fPAR1"):
        path.write_bytes(damaged)
        with pytest.raises((OSError, pa.ArrowInvalid)):
            read(path, TABLE)
    footer = content[-(footer_bytes(content) or 0) : -8]
    for length in range(len(footer)):
        columns_of(footer[:length])
    for at in range(len(footer)):
        for byte in (0, 0x19, 0x1C, 0x7F, 0xFF):
            columns_of(footer[:at] + bytes([byte]) + footer[at + 1 :])


@pytest.mark.parametrize(
    ("number", "is_read"),
    [
        (b"\x02", True),
        (b"\x82" + b"\x80" * 8 + b"\x00", True),
        (b"\x82" + b"\x80" * 9 + b"\x00", False),
        (b"\x82" + b"\x80" * 8 + b"\x02", False),
    ],
)
def test_a_number_of_more_than_64_bits_is_not_read(number: bytes, *, is_read: bool) -> None:
    """The time for one of any length would grow with its square."""
    footer = b"\x16" + number + b"\x19\x1c\x48\x02id\x00"
    assert (columns_of(footer) is not None) == is_read


def test_the_recorded_schema_tells_whether_a_file_is_looked_at() -> None:
    def recorded(*names: str) -> str:
        inner = {"type": "struct", "fields": [{"name": names[-1], "type": "long"}]}
        fields: list[dict[str, Any]] = [{"name": name, "type": "long"} for name in names[:-1]]
        fields.append({"name": "more", "type": {"type": "array", "elementType": inner}})
        return json.dumps({"type": "struct", "fields": fields})

    for names in (Names.of(TABLE, None), Names.of(None, recorded("id", "place", "lat"))):
        assert not names.may_differ(recorded("id", "place", "lat"))
        assert not names.may_differ(recorded("id", "other"))
        others = recorded("ID", "lat"), recorded("id", "Lat"), recorded("id", "Id")
        for other in (None, "{", "[]", '{"fields":[{}]}', *others):
            assert names.may_differ(other)
            assert names.may_differ(other)
    twice = recorded("id", "ID")
    assert not Names.of(None, twice).may_differ(twice)
    assert Names.of(None, None).may_differ(twice)
