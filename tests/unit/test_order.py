"""Orders as text, and whether the rows of files are in them."""

import math
import random
from datetime import datetime
from functools import cmp_to_key, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from pyarrow import fs

from repave import UsageError
from repave._order import SortColumn, order_of, order_text
from repave._order_report import FileOrder, OrderReport, report_of
from repave._records import DataFile
from repave._snapshot import row_order
from repave._snapshot.arrow_access import Access
from repave._snapshot.row_order import Incomparable, RowOrder, Unreadable
from repave.cli import main
from unit.snapshot_table import MemoryTable

# ruff: noqa: ANN401 - pyarrow has no types

Rows = list[tuple[Any, ...]]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [  # FileOrderTest has the same
        ("id", "id"),
        ("ID  Asc nulls FIRST ", "ID"),
        ("id desc nulls last", "id desc"),
        ("id desc nulls first,b nulls last", "id desc nulls first, b nulls last"),
        ("désc desc", "`désc` desc"),
        ("`id`", "id"),
        ("desc desc", "desc desc"),
        ("`a, ``b```", "`a, ``b```"),
    ],
)
def test_equal_orders_have_one_text(text: str, canonical: str) -> None:
    assert order_text(order_of(text)) == canonical
    assert order_text(order_of(canonical)) == canonical


NO_ORDERS = ["", ",", "id,", ",id", "id,,b", "id up", "id desc asc", "id nulls", "a.b", "`a", "a b"]
NO_ORDERS += ["``", "id, ID desc", "a,b,c,d,e,f,g,h,i", "id nulls last desc"]


@pytest.mark.parametrize("text", NO_ORDERS)
def test_other_texts_are_no_order(text: str) -> None:
    with pytest.raises(UsageError, match="is not an order such as"):
        order_of(text)


@pytest.mark.parametrize("value", [None, 1, ["id", None]])
def test_other_values_are_no_order(value: Any) -> None:
    with pytest.raises(UsageError, match="is not an order such as"):
        order_of(value)


def spark_key(column: SortColumn, value: Any) -> tuple[int, Any]:
    """Return a key that sorts as Spark does, ascending and without nulls."""
    if isinstance(value, float) and math.isnan(value):
        return (1, 0)
    return (0, value)


def compare(columns: tuple[SortColumn, ...], left: tuple[Any, ...], right: tuple[Any, ...]) -> int:
    for column, one, other in zip(columns, left, right, strict=True):
        if one is None or other is None:
            if one is not other:
                first = (one is None) != column.nulls_last
                return -1 if first else 1
            continue
        keys = spark_key(column, one), spark_key(column, other)
        if keys[0] != keys[1]:
            return -1 if (keys[0] < keys[1]) != column.descending else 1
    return 0


def first_disorder(columns: tuple[SortColumn, ...], rows: Rows) -> int | None:
    pairs = enumerate(pairwise(rows), 1)
    return next((at for at, (one, other) in pairs if compare(columns, one, other) > 0), None)


def written(folder: Path, columns: dict[str, pa.DataType], rows: Rows) -> str:
    path = folder / "part.parquet"
    lists = list(zip(*rows, strict=True)) or [() for _ in columns]
    arrays = [
        pa.array(list(values), kind) for values, kind in zip(lists, columns.values(), strict=True)
    ]
    pq.write_table(pa.table(arrays, names=list(columns)), path)
    return str(path)


FILE = DataFile("", "part.parquet", 1)
VALUES: dict[str, list[Any]] = {
    "number": [None, -3, 0, 1, 2],
    "real": [None, -1.5, -0.0, 0.0, 2.0, float("inf"), float("-inf"), float("nan")],
    "text": [None, "", "Z", "a", "é", "😀"],
    "flag": [None, False, True],
}
TYPES = {"number": pa.int64(), "real": pa.float64(), "text": pa.string(), "flag": pa.bool_()}


def test_rows_are_compared_as_spark_sorts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in batches of three rows: sorted ones, and sorted ones with a swap."""
    monkeypatch.setattr(row_order, "ROWS_AT_ONCE", 3)
    local = fs.LocalFileSystem()
    disordered = 0
    for seed in range(300):
        draw = random.Random(seed)  # noqa: S311
        names = draw.sample(sorted(TYPES), draw.randint(1, 3))
        columns = tuple(
            SortColumn(name, draw.random() < 0.5, draw.random() < 0.5) for name in names
        )
        rows = [
            tuple(draw.choice(VALUES[name]) for name in names) for _ in range(draw.randint(0, 12))
        ]
        rows.sort(key=cmp_to_key(partial(compare, columns)))
        if rows and draw.random() < 0.7:
            one, other = draw.randrange(len(rows)), draw.randrange(len(rows))
            rows[one], rows[other] = rows[other], rows[one]
        expected = first_disorder(columns, rows)
        disordered += expected is not None
        path = written(tmp_path, {name: TYPES[name] for name in names}, rows)
        found = RowOrder(local, columns).first_disorder(path, FILE)
        assert found == expected, (seed, columns, rows)
    assert disordered > 90


def test_times_that_nanoseconds_cannot_hold_are_compared(tmp_path: Path) -> None:
    """Spark writes times as INT96, which pyarrow reads as nanoseconds by default."""
    path = str(tmp_path / "part.parquet")
    times = [datetime(1, 1, 1), datetime(1969, 12, 31, 23), datetime(2026, 1, 1)]  # noqa: DTZ001
    times.append(datetime(9999, 12, 31))  # noqa: DTZ001
    for values, order, expected in (
        (times, "at", None),
        (times[::-1], "at desc", None),
        (times[::-1], "at", 1),
        (times, "at desc", 1),
    ):
        rows = pa.table({"at": pa.array(values, pa.timestamp("us"))})
        pq.write_table(rows, path, use_deprecated_int96_timestamps=True)
        found = RowOrder(fs.LocalFileSystem(), order_of(order)).first_disorder(path, FILE)
        assert found == expected, (order, values)


def test_what_cannot_be_compared_is_told(tmp_path: Path) -> None:
    local = fs.LocalFileSystem()
    path = written(tmp_path, {"id": pa.int64(), "inner": pa.list_(pa.int64())}, [(1, [1])])
    for order, file, why in (
        ("other", FILE, "it has no column other"),
        ("inner", FILE, "its column inner is nested"),
        ("id", DataFile("", "part.csv", 1), "does not end in .parquet"),
        ("id", DataFile("", "part.parquet", 1, None, '{"__COLLATIONS":1}'), "collation"),
    ):
        with pytest.raises(Incomparable, match=why):
            RowOrder(local, order_of(order)).first_disorder(path, file)
    assert RowOrder(local, order_of("ID")).first_disorder(path, FILE) is None


def test_a_file_that_is_damaged_or_gone_is_unreadable(tmp_path: Path) -> None:
    local = fs.LocalFileSystem()
    path = Path(written(tmp_path, {"id": pa.int64()}, [(at,) for at in range(1_000)]))
    whole = path.read_bytes()
    footer = whole[-100:]
    for damaged in (b"", b"garbage", whole[:-9], whole[:4] + bytes(len(whole) - 104) + footer):
        path.write_bytes(damaged)
        with pytest.raises(Unreadable, match="it cannot be read: ") as refused:
            RowOrder(local, order_of("id")).first_disorder(str(path), FILE)
        assert "\n" not in str(refused.value)
    path.unlink()
    with pytest.raises(Unreadable, match="it cannot be read: "):
        RowOrder(local, order_of("id")).first_disorder(str(path), FILE)


def snapshot_of(*orders: str | None) -> Any:
    table = MemoryTable()
    table.commit("append", {"dt=1": [f"f{at}.parquet" for at in range(len(orders))]})
    found = table.open()
    files = tuple(
        DataFile(one.partition, one.name, one.bytes, None, None, (), order)
        for one, order in zip(found.files, orders, strict=True)
    )
    return type(found)(found.table, found.version, files, files[0], found.typing, found.access)


def test_the_records_tell_which_files_are_in_order() -> None:
    report = report_of(snapshot_of("id, ts desc", "id", None), "id")
    assert [file.state for file in report.files] == ["in order", "in order", "unknown"]
    report = report_of(snapshot_of("id, ts desc", "id", None), "id, ts desc")
    assert [file.state for file in report.files] == ["in order", "unknown", "unknown"]
    assert report.unknown[0].detail == "its pages are in the order id"
    assert report_of(snapshot_of("id", None)).order == "id"
    assert report.document() == {
        "table": report.table,
        "version": 1,
        "order": "id, ts desc",
        "by": "pages",
        "in-order": 1,
        "unknown": 2,
        "unreadable": 0,
        "not-in-order": 0,
        "files": [
            {
                "path": "dt=1/f1.parquet",
                "state": "unknown",
                "detail": "its pages are in the order id",
            },
            {
                "path": "dt=1/f2.parquet",
                "state": "unknown",
                "detail": "no page index shows its order",
            },
        ],
    }


def test_an_order_that_the_records_do_not_name_has_to_be_named() -> None:
    with pytest.raises(UsageError, match="name no order of any file"):
        report_of(snapshot_of(None))
    with pytest.raises(UsageError, match=r"several orders: .*id desc \(files: 1\)"):
        report_of(snapshot_of("id", "id desc"))


def test_the_command_fails_when_rows_are_not_in_order_or_a_file_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*states: FileOrder) -> Result:
        report = OrderReport("s3://lake/sales", 3, "id", "rows", states)
        monkeypatch.setattr("repave.cli.order.verify_order", lambda *_, **__: report)
        return CliRunner().invoke(main, ["order", "s3://lake/sales", "--prove"])

    good = FileOrder("a.parquet", "in order")
    unknown = FileOrder("b.csv", "unknown", "its name does not end in .parquet")
    wrong = FileOrder("c.parquet", "not in order", "row 3 sorts before row 2")
    found = answer(good, unknown)
    assert found.exit_code == 0
    assert "1 file in order, 0 not in order, 1 unknown." in found.output
    assert "b.csv  unknown: its name does not end in .parquet" in found.output
    found = answer(good, wrong)
    assert found.exit_code == 1
    assert "c.parquet  not in order: row 3 sorts before row 2" in found.output
    gone = FileOrder("d.parquet", "unreadable", "it cannot be read: d.parquet")
    found = answer(good, unknown, gone)
    assert found.exit_code == 1
    assert "1 file in order, 0 not in order, 1 unknown, 1 unreadable." in found.output
    assert "d.parquet  unreadable: it cannot be read: d.parquet" in found.output
    local = snapshot_of("id")
    rows = [(2,), (1,)]
    written(tmp_path, {"id": pa.int64()}, rows)
    monkeypatch.setattr(Access, "filesystem", lambda *_: fs.LocalFileSystem())
    monkeypatch.setattr(type(local), "key", lambda *_: str(tmp_path / "part.parquet"))
    report = report_of(local, prove=True)
    assert [file.detail for file in report.disordered] == ["row 2 sorts before row 1"]
    (tmp_path / "part.parquet").unlink()
    report = report_of(local, prove=True)
    assert [file.state for file in report.files] == ["unreadable"]
    assert report.unknown == ()
