"""Values of partition columns: Spark's types, types of one's own, and what is refused."""

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from repave._errors import UsageError
from repave._snapshot.inference import NULL_NAME
from unit.snapshot_table import MemoryTable


def table_of(*folders: str) -> MemoryTable:
    table = MemoryTable()
    table.commit("append", {folder: ["part-0.parquet"] for folder in folders})
    return table


def values(table: MemoryTable, **options: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    snap = table.open(**options)
    return [snap.partition_values(file) for file in snap.files]


def test_nulls_escapes_and_types_are_read_off_the_folders() -> None:
    table = table_of(
        "dt=2026-11-20/region=a%20b%2Fc%3D%25/n=1",
        f"dt={NULL_NAME}/region={NULL_NAME}/n=3000000000",
    )
    assert table.open().partition_types == {"dt": "date", "region": "string", "n": "bigint"}
    assert values(table) == [
        {"dt": date(2026, 11, 20), "region": "a b/c=%", "n": 1},
        {"dt": None, "region": None, "n": 3_000_000_000},
    ]


def test_a_column_of_nulls_alone_is_a_string() -> None:
    table = table_of(f"dt={NULL_NAME}")
    assert (table.open().partition_types, values(table)) == ({"dt": "string"}, [{"dt": None}])


def test_an_unpartitioned_table_has_no_columns() -> None:
    table = table_of("")
    assert (table.open().partition_types, values(table)) == ({}, [{}])
    assert table.open().uris() == ["s3://lake/sales/part-0.parquet"]


def test_the_names_of_columns_may_differ_in_case() -> None:
    """Spark compares them so; the first folder tells the spelling."""
    assert values(table_of("DT=1", "dt=2")) == [{"DT": 1}, {"DT": 2}]


def test_the_names_of_columns_are_unescaped() -> None:
    assert values(table_of("a%2Fb=1")) == [{"a/b": 1}]


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("string", "007", "007"),
        ("string", "a%3Ab", "a:b"),
        ("long", "007", 7),
        ("tinyint", "-128", -128),
        ("double", "1", 1.0),
        ("decimal(5, 2)", "1.50", Decimal("1.50")),
        ("date", "2026-11-20", date(2026, 11, 20)),
        ("timestamp", "2026-11-20", datetime(2026, 11, 20, tzinfo=timezone.utc)),
        (
            "timestamp",
            "2026-11-20 03%3A00%3A00.123456",
            datetime(2026, 11, 20, 3, 0, 0, 123456, tzinfo=timezone.utc),
        ),
        ("timestamp", "2026-11-20T03%3A00%3A00Z", datetime(2026, 11, 20, 3, tzinfo=timezone.utc)),
        ("boolean", "TRUE", True),
        ("string", NULL_NAME, None),
    ],
)
def test_a_type_may_be_chosen(kind: str, name: str, value: object) -> None:
    found = values(table_of(f"p={name}"), partition_types={"p": kind})
    assert found == [{"p": value}]
    assert type(found[0]["p"]) is type(value)


def test_all_columns_may_be_strings() -> None:
    table = table_of("dt=2026-11-20/n=07")
    assert values(table, partition_types="string") == [{"dt": "2026-11-20", "n": "07"}]


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"p": "date"}, r"p=x of s3://lake/sales holds no date"),
        ({"p": "int"}, "holds no int"),
        ({"p": "decimal(40,0)"}, "cannot be 'decimal"),
        ({"p": "array"}, "its type is one of string, tinyint"),
        ({"q": "int"}, "has no such partition column: they are p"),
        ({"p": pa.string()}, "its type is one of string, tinyint"),
        (["p"], r"\['p'\] is not possible: it takes a type for each column"),
        ("int", r"'int' is not possible: it takes a type for each column, such as \{\"dt\""),
    ],
)
def test_types_that_cannot_be_are_refused(types: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(UsageError, match=message):
        values(table_of("p=x"), partition_types=types)


@pytest.mark.parametrize("name", ["1e99999999999999999999", "1e-99999999999999999999"])
def test_a_number_with_an_exponent_of_many_digits_is_a_double_and_no_decimal(name: str) -> None:
    table = table_of(f"p={name}")
    assert values(table) == [{"p": float(name)}]
    with pytest.raises(UsageError, match=r"holds no decimal\(38,0\)"):
        values(table, partition_types={"p": "decimal(38,0)"})


@pytest.mark.parametrize("folders", [("a=1", "b=1"), ("a=1", "a=1/b=1"), ("", "a=1")])
def test_folders_that_do_not_agree_are_refused(folders: tuple[str, ...]) -> None:
    table = table_of(*folders)
    with pytest.raises(UsageError, match="do not agree on its partition columns"):
        values(table)
    assert len(table.open().uris()) == 2


@pytest.mark.parametrize("folders", [("a=1", "backup/a=1"), ("x/a=1", "y/a=2"), ("", "backup")])
def test_folders_of_another_place_are_refused(folders: tuple[str, ...]) -> None:
    """Spark stops at the first two, and of the third it reads what is in the table's folder."""
    table = table_of(*folders)
    with pytest.raises(UsageError, match="do not agree on their place") as refused:
        values(table)
    assert folders[1] in str(refused.value)
    assert len(table.open().uris()) == 2


@pytest.mark.parametrize(
    "folders",
    [("raw/a=1", "raw/a=2"), ("a=1", "a=2/sub"), ("sub",), ("a=1", "s3://annex/x/a=2")],
)
def test_folders_in_one_place_are_read(folders: tuple[str, ...]) -> None:
    assert len(values(table_of(*folders))) == len(folders)


@pytest.mark.parametrize("folder", ["a=1/a=2", "a=1/b=2/A=3"])
def test_a_folder_that_names_a_column_twice_is_refused(folder: str) -> None:
    """Spark compares the names so."""
    snap = table_of(folder).open()
    with pytest.raises(UsageError, match="names the partition column a more than once"):
        snap.partitions()
    assert len(snap.uris()) == 1


class TestOutside:
    FOLDER = "s3://annex/env=prod/old"

    def test_a_folder_that_is_called_so_tells_its_values(self) -> None:
        table = table_of("p=1", "s3://annex/env=prod/p=2")
        assert values(table) == [{"p": 1}, {"p": 2}]
        assert table.open().uris()[1] == "s3://annex/env=prod/p=2/part-0.parquet"

    def test_others_are_told(self) -> None:
        table = table_of("p=1", self.FOLDER)
        found = values(table, locations={"s3a://annex/env=prod/old/": "p=2"})
        assert found == [{"p": 1}, {"p": 2}]

    def test_a_folder_around_it_tells_nothing(self) -> None:
        with pytest.raises(UsageError, match="do not agree"):
            values(table_of("p=1", self.FOLDER))

    def test_a_folder_without_values_is_refused(self) -> None:
        with pytest.raises(UsageError, match=r'locations=\{"s3://annex/old": '):
            values(table_of("p=1", "s3://annex/old"))
