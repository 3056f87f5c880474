"""Values that pyarrow reads off the names of plain folders are those that Python converts."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import fs

from repave._errors import UsageError
from repave._records import DataFile
from repave._snapshot.arrow_access import Access
from repave._snapshot.arrow_dataset import dataset_of
from repave._snapshot.inference import NULL_NAME
from repave._snapshot.partitions import Typing
from repave._snapshot.snapshot import Snapshot

# ruff: noqa: ANN401 - pyarrow has no types

NUMBERS = (
    "0|-0|+1|007|-07|1999999999|2147483647|2147483648|-2147483649|01999999999|999999999999999999|"
    "9999999999999999999|1000000000000000000000|1.5|-0.0|1e5|NaN|1d|0x1p3|\u0661|true|FALSE"
)
MOMENTS = (
    "0001-01-01|9999-12-31|0000-01-01|2026-02-30|2026-1-1|2026-02-28 x|20260101|2026-W01-1|"
    "2026-02-28 01%3A02%3A03"
)
OTHERS = f"a=b|=|a b|é|😀|%41|%zz|%C3%A9|_|.x|null|{NULL_NAME}|__HIVE%5FDEFAULT_PARTITION__|\n|\\|+"
ODD = ["", *NUMBERS.split("|"), *MOMENTS.split("|"), *OTHERS.split("|")]
INTS = st.integers(-(10**20), 10**20).map(str) | st.from_regex(r"-?[0-9]{1,12}", fullmatch=True)
DATES = st.dates().map(str)
TEXTS = st.text(
    "ab09=%-+.:_ é😀\
",
    max_size=5,
)
VALUES = [one | st.just(NULL_NAME) for one in (INTS, DATES, TEXTS, st.sampled_from(ODD))]
TYPES = ("string", "tinyint", "int", "bigint", "date", "double", "boolean")


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], dict[str, str]]:
    """Return the folders of a table, and the types that its user chose."""
    names = draw(st.lists(st.sampled_from(["a", "B", "é", "c d", "x%20"]), unique=True, max_size=3))
    families = [draw(st.sampled_from(VALUES)) for _ in names]
    rows = draw(st.lists(st.tuples(*families), min_size=1, max_size=6, unique=True))
    inner = draw(st.sampled_from(["", "plain/", "=/"]))
    folders = [
        (inner + "/".join(f"{name}={value}" for name, value in zip(names, row, strict=True))).strip(
            "/"
        )
        for row in rows
    ]
    chosen = {name: draw(st.sampled_from(TYPES)) for name in names if draw(st.booleans())}
    return folders, chosen


def version(
    folders: list[str], chosen: dict[str, str], table: str = "s3://lake/k=v/sales"
) -> Snapshot:
    files = tuple(DataFile(one, f"{at}=x.parquet", 10 + at) for at, one in enumerate(folders))
    typing = Typing.of(chosen, {}, "UTC")
    return Snapshot(table, 1, files, files[0], typing, Access(None, None))


def dataset(snap: Snapshot) -> Any:
    columns = pa.schema([("id", pa.int64())])
    return dataset_of(snap, fs.LocalFileSystem(), None, columns, "arrow")


def converted_by_python(snap: Snapshot) -> Any:
    """Return the dataset of the same version in which pyarrow reads nothing off names."""
    twin = replace(snap)
    twin.__dict__["_partitions"] = replace(snap.partitions(), are_plain=False)
    return dataset(twin)


def assert_equal(found: Any, expected: Any) -> None:
    assert (found.schema, found.files) == (expected.schema, expected.files)
    fragments = zip(found.get_fragments(), expected.get_fragments(), strict=True)
    for one, other in fragments:
        assert one.path == other.path
        pair = (one.partition_expression, other.partition_expression)
        assert pair[0].equals(pair[1]), pair


@settings(deadline=None)  # the first one imports pyarrow
@given(tables())
def test_odd_values_are_the_same(table: tuple[list[str], dict[str, str]]) -> None:
    snap = version(*table)
    try:
        snap.partitions()
    except UsageError:
        return
    assert_equal(dataset(snap), converted_by_python(snap))


@pytest.mark.parametrize("kind", ["string", "int", "bigint", "date"])
@pytest.mark.parametrize("value", ODD)
def test_each_odd_value_is_the_same(kind: str, value: str) -> None:
    snap = version([f"x={value}"], {"x": kind})
    try:
        snap.partitions()
    except UsageError:
        return
    assert_equal(dataset(snap), converted_by_python(snap))


PLAIN = [
    ["n=1", "n=-007", f"n={NULL_NAME}"],
    ["n=3000000000"],
    ["dt=2026-11-25/region=eu west/é=ü", f"dt={NULL_NAME}/region=a=b/é=x"],
    ["plain"],
]


@pytest.mark.parametrize("table", ["s3://lake", "s3://lake/k=v/sales"])
@pytest.mark.parametrize("folders", PLAIN)
def test_usual_values_are_plain(folders: list[str], table: str) -> None:
    snap = version(folders, {}, table)
    assert snap.partitions().are_plain
    assert_equal(dataset(snap), converted_by_python(snap))


@pytest.mark.parametrize(
    "folders",
    [["n=1%41"], ["n=1.5"], ["n=1", "N=2"], ["s3://annex/n=1"], ["n=2147483647"], ["n="]],
)
def test_other_folders_are_not(folders: list[str]) -> None:
    snap = version(folders, {})
    assert not snap.partitions().are_plain
    assert dataset(snap).files == [snap.key(it) for it in snap.files]


def test_a_folder_inside_a_partition_is_none_of_its_values() -> None:
    """`adopt` records the files below a partition with their path inside it."""
    snap = version(["n=1"], {})
    snap = replace(snap, files=(*snap.files, DataFile("n=2", "n=3/a.parquet", 1)))
    assert snap.partitions().are_plain
    assert_equal(dataset(snap), converted_by_python(snap))


def test_files_that_may_spell_columns_differently_are_opened_in_another_way() -> None:
    snap = version(["n=1", "n=2"], {})
    known = replace(snap.files[0], schema='{"fields":[{"name":"id","type":"long"}]}')
    mixed = replace(snap, files=(known, snap.files[1]))
    kinds = [type(one.filesystem) for one in dataset(mixed).get_fragments()]
    assert kinds == [fs.LocalFileSystem, fs.PyFileSystem]
    assert_equal(dataset(mixed), dataset(snap))
