"""Columns for Hive's catalogs: from records, which may be hostile or differ, and from DDL."""

import json
from dataclasses import replace

import pytest

from repave._errors import InvalidRecordError, UsageError
from repave._hive_types import declared, hive_type
from repave._symlinks import SymlinkTable
from unit.test_symlinks import version


def schema(name: str, kind: object = "long") -> str:
    return json.dumps({"type": "struct", "fields": [{"name": name, "type": kind}]})


def test_a_column_in_two_spellings_is_one_column() -> None:
    one = version(["dt=1"], schema=schema("id"))
    other = replace(one.files[0], name="part-1.c000.snappy.parquet", schema=schema("ID"))
    assert SymlinkTable.of(replace(one, files=(*one.files, other))).columns == {"id": "bigint"}


def test_a_column_has_the_type_and_the_spelling_of_the_newest_file() -> None:
    one = version(["dt=1", "dt=2"], schema=schema("id", "integer"))
    newest = replace(one.files[1], schema=schema("ID", "long"))
    found = SymlinkTable.of(replace(one, files=(one.files[0], newest), newest=newest))
    assert found.columns == {"ID": "bigint"}


@pytest.mark.parametrize(
    "kind",
    [
        "int) LOCATION 's3://elsewhere' --",
        "decimal(9,2)) --",
        "string\n",
        "bigint comment 'x'",
        {"type": "struct", "fields": [{"name": "a:int>) --", "type": "long"}]},
        {"type": "array", "elementType": "int>) --"},
        "interval day to second",
        "variant",
    ],
)
def test_a_type_that_hive_does_not_have_is_refused(kind: object) -> None:
    with pytest.raises(UsageError, match=r"which Hive does not have\. Pass the columns"):
        SymlinkTable.of(version(["dt=1"], schema=schema("a", kind)))


@pytest.mark.parametrize(
    ("kind", "hive"),
    [
        ("string", "string"),
        ("timestamp_ntz", "timestamp"),
        ("decimal(38,18)", "decimal(38,18)"),
        ("varchar(65535)", "varchar(65535)"),
        ({"type": "udt", "sqlType": "binary"}, "binary"),
        ({"type": "struct", "fields": [{"name": "a é.$", "type": "date"}]}, "struct<a é.$:date>"),
    ],
)
def test_a_type_that_hive_has_gets_its_name(kind: object, hive: str) -> None:
    assert hive_type(kind) == hive


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "{}",
        "5",
        '{"fields":5}',
        '{"fields":[5]}',
        '{"fields":[{"name":"a"}]}',
        '{"fields":[{"name":5,"type":"long"}]}',
        '{"fields":[{"name":"a","type":{"type":"z"}}]}',
        '{"fields":[{"name":"a","type":{"type":"struct","fields":[{"name":5,"type":"long"}]}}]}',
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_a_recorded_schema_that_is_none_is_an_invalid_record(text: str) -> None:
    with pytest.raises(InvalidRecordError, match="not Spark's JSON of columns"):
        SymlinkTable.of(version(["dt=1"], schema=text))


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("`my col` bigint, id\tINT", {"my col": "bigint", "id": "int"}),
        ("`a``b,c(` map<string,int>", {"a`b,c(": "map<string,int>"}),
        ("id bigint,\n  note string", {"id": "bigint", "note": "string"}),
    ],
)
def test_declared_names_may_be_quoted(columns: str, found: dict[str, str]) -> None:
    assert declared(columns) == found


@pytest.mark.parametrize("columns", ["", "id", "`id`", "id bigint,", "`id bigint", "`` int"])
def test_what_declares_no_column_is_refused(columns: str) -> None:
    with pytest.raises(UsageError, match="--columns takes names and types"):
        declared(columns)
