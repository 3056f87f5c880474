"""Filters on columns that are of another kind in older files."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from repave._errors import UsageError
from repave._records import DataFile
from repave._snapshot.column_kinds import changed_columns, kinds_of, recorded_kinds
from repave._snapshot.polars_scan import scan
from unit.stored_files import StoredFiles

MICROS, MOMENTS = pa.timestamp("us"), pa.timestamp("us", "UTC")
TIMES = [datetime(2020, 1, 1, 3), datetime(2020, 1, 2)]  # noqa: DTZ001 - local times
DAYS = [date(2020, 1, 1)]


def recorded(**types: object) -> str:
    """Return columns as records have them."""
    return json.dumps({"type": "struct", "fields": [*map(field, types, types.values())]})


def field(name: str, kind: object) -> dict[str, object]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {}}


def stored(
    folder: Path, old: pa.Array, new: pa.Array, recorded: Mapping[str, str] | None = None
) -> StoredFiles:
    """Return a version whose column `c` is of one type in an older file, and of another in a newer.

    The older file spells it `C`.
    """
    rows = {"day=1": pa.table({"C": old}), "day=2": pa.table({"c": new})}
    return StoredFiles.of(folder, rows, pq.write_table, recorded)


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz"])
def test_dates_that_are_recorded_as_times_in_a_file_are_refused(tmp_path: Path, kind: str) -> None:
    """A filter for 2020-01-01 would lose the row of three o'clock."""
    known = {"day=1": recorded(C=kind), "day=2": recorded(c="date")}
    arrow = MOMENTS if kind == "timestamp" else MICROS
    version = stored(tmp_path, pa.array(TIMES, arrow), pa.array(DAYS), known)
    with pytest.raises(
        UsageError, match=f"column c is a date in the table, and a {kind} in .*/day=1"
    ):
        version.dataset("parquet")
    rows = version.dataset("parquet", pa.schema([("c", arrow)]))
    last = pa.scalar(TIMES[1], arrow)
    assert rows.count_rows(filter=ds.field("c") < last) == 2
    assert version.dataset("parquet", pa.schema([("x", pa.int8())])).count_rows() == 3


def test_dates_inside_structs_are_refused_too(tmp_path: Path) -> None:
    struct = {"type": "struct", "fields": [field("X", "timestamp_ntz")]}
    known = {"day=1": recorded(C=struct)}
    old = pa.array([{"X": one} for one in TIMES])
    version = stored(tmp_path, old, pa.array([{"x": one} for one in DAYS]), known)
    with pytest.raises(
        UsageError, match=r"column c\.x is a date in the table, and a timestamp_ntz"
    ):
        version.dataset("parquet")


@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_file_without_recorded_columns_is_refused_when_it_is_read(
    tmp_path: Path, rows: int
) -> None:
    """Its end, with the columns, may be read alone."""
    old = pa.array([moment for moment in TIMES for _ in range(rows)], MICROS)
    dataset = stored(tmp_path, old, pa.array(DAYS)).dataset("parquet")
    assert dataset.count_rows(filter=ds.field("day") == 2) == 1
    wanted = ds.field("c") == DAYS[0]
    with pytest.raises(UsageError, match="a date in the table, and a timestamp_ntz in the file"):
        dataset.count_rows(filter=wanted)


def test_times_may_be_dates_in_older_files(tmp_path: Path) -> None:
    version = stored(tmp_path, pa.array(DAYS), pa.array(TIMES, MICROS))
    dataset = version.dataset("parquet")
    midnight = datetime(2020, 1, 1)  # noqa: DTZ001 - a local time
    assert dataset.count_rows(filter=ds.field("c") == pa.scalar(midnight, MICROS)) == 1
    assert dataset.count_rows(filter=ds.field("c") > pa.scalar(midnight, MICROS)) == 2


MONEY = pa.decimal128(4, 2)
# The kind in a file, its values, what records call it, and the values of the table's kind.
ROUNDED = {
    "double to float": ("double", pa.array([0.1, 0.2, 0.3]), "double", pa.float32()),
    "decimal to float": (
        "decimal.*",
        pa.array([Decimal("0.10"), Decimal("0.30")], MONEY),
        "decimal(4,2)",
        pa.float32(),
    ),
    "double to decimal": ("double", pa.array([0.295, 0.31]), "double", MONEY),
    "float to decimal": ("float", pa.array([0.1, 0.3], pa.float32()), "float", MONEY),
}


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("change", ROUNDED)
def test_numbers_that_are_rounded_from_a_file_are_refused(
    tmp_path: Path, change: str, *, is_recorded: bool
) -> None:
    """`x >= 0.3` found too few rows: the float 0.3 is more than the file's double 0.3."""
    kind, old, name, now = ROUNDED[change]
    known = {"day=1": recorded(C=name)} if is_recorded else None
    version = stored(tmp_path, old, pa.array([Decimal("0.5")], MONEY).cast(now), known)
    where = f"{kind} in the file .*pa.float64\\(\\) for c"
    problem = f"c is a {change.rsplit(maxsplit=1)[-1]} in the table, and a {where}"
    wanted = ds.field("c") >= pa.scalar(Decimal("0.30"), MONEY).cast(now)
    with pytest.raises(UsageError, match=problem):
        version.dataset("parquet").count_rows(filter=wanted)

    doubles = pa.schema([("c", pa.float64())])
    found = version.dataset("parquet", schema=doubles)
    assert found.count_rows(filter=ds.field("c") >= pa.scalar(0.3 - 1e-9)) == 2


CHANGES: dict[str, tuple[str, list[Any], pa.DataType, list[Any], pa.DataType, Any]] = {
    "long to string": ("long", [9, 10, 100], pa.int64(), ["9", "x"], pa.string(), "9"),
    "string to long": ("string", ["9", "10"], pa.string(), [9, 100], pa.int64(), 9),
    "string to date": (
        "string",
        ["2020-01-01", "2021-01-01"],
        pa.string(),
        DAYS,
        pa.date32(),
        DAYS[0],
    ),
    "date to string": ("date", DAYS * 2, pa.date32(), ["2020-01-01"], pa.string(), "2020-01-01"),
    "int to boolean": ("integer", [0, 1, 2], pa.int32(), [True, False], pa.bool_(), True),
    "moment to time": ("timestamp", TIMES, MOMENTS, TIMES, MICROS, TIMES[0]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_polars_filters_a_column_whose_kind_has_changed(tmp_path: Path, change: str) -> None:
    """Arrow has no comparison of the two types."""
    kind, old, old_type, new, new_type, value = CHANGES[change]
    known = {"day=1": recorded(C=kind)}
    version = stored(tmp_path, pa.array(old, old_type), pa.array(new, new_type), known)
    dataset = version.dataset("parquet")
    rows = pl.from_arrow(dataset.to_table())
    assert isinstance(rows, pl.DataFrame)
    for wanted in (pl.col("c") == value, pl.col("c") > value):
        found = scan(dataset, version).filter(wanted).collect()
        assert found.equals(rows.filter(wanted)), wanted


def test_a_column_is_changed_if_a_recorded_kind_differs() -> None:
    struct = {"type": "struct", "fields": [field("x", "string")]}
    array = {"type": "array", "elementType": "string", "containsNull": True}
    one = recorded(id="integer", Name="binary", s=struct, a=array, more="date", d="timestamp")
    files = [DataFile("", str(at), 1, schema=it) for at, it in enumerate((one, None, "{", one))]
    kinds = {"id": pa.int64(), "name": pa.string(), "s": pa.struct([("x", pa.large_string())])}
    others = {"a": pa.list_(pa.string()), "u": pa.uint8(), "d": MOMENTS, "b": pa.bool_()}
    assert changed_columns(pa.schema({**kinds, **others}), files) == {"name"}
    assert changed_columns(pa.schema({"a": pa.string(), "d": MICROS}), files) == {"a", "d"}


def test_pyarrow_and_records_name_kinds_alike() -> None:
    integers = {"byte": pa.int8(), "short": pa.int16(), "integer": pa.int32(), "long": pa.int64()}
    others = {"boolean": pa.bool_(), "string": pa.string(), "binary": pa.binary()}
    times = {"date": pa.date32(), "timestamp": MOMENTS, "timestamp_ntz": MICROS}
    for name, kind in {**integers, **others, **times}.items():
        assert recorded_kinds(recorded(c=name)) == kinds_of(pa.schema([("C", kind)]))
    for damaged in ("[]", "{}", '{"fields":[1]}', '{"fields":[{"name":1}]}', '{"fields":7}'):
        assert recorded_kinds(damaged) == {}
