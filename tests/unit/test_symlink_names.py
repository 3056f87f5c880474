"""Names and texts in the statements for symlink manifests, which may need quotes or be hostile."""

import json
from dataclasses import replace

import pytest

from repave._dialects import name_parts
from repave._symlinks import SymlinkTable
from unit.test_symlinks import symlinks, version


def of_column(name: str) -> SymlinkTable:
    schema = json.dumps({"fields": [{"name": name, "type": "long"}]})
    return SymlinkTable.of(version(["dt=1"], schema=schema))


@pytest.mark.parametrize(
    ("engine", "name", "quoted"),
    [("athena", "a`b", "`a``b`"), ("trino", 'a"b', '`a"b`'), ("redshift", 'a"b', '"a""b"')],
)
def test_quotes_in_names_are_doubled(engine: str, name: str, quoted: str) -> None:
    create = of_column(name).statements(engine, "t")[0]
    assert f"(\n  {quoted} bigint\n)" in create


def test_redshift_gets_quoted_partition_columns() -> None:
    _, add = symlinks(["order=1/my day=2"]).statements("redshift", "s.t")
    assert "PARTITION (\"order\"='1', \"my day\"='2')" in add


def test_a_partition_column_cannot_end_its_statement() -> None:
    hostile = "x\" int) LOCATION 's3:%2F%2Felsewhere' --=1"
    create, add = symlinks([hostile]).statements("redshift", "t")
    column = '"x"" int) LOCATION \'s3://elsewhere\' --"'
    assert f"PARTITIONED BY (\n  {column} int\n)" in create
    assert f"PARTITION ({column}='1')" in add


def test_texts_are_quoted_as_the_engine_reads_them() -> None:
    of_root = replace(version(["p=O'Neil%5C"]), table="s3://lake/o'neil")
    found = SymlinkTable.of(of_root)
    create, add = found.statements("redshift", "t")
    assert "PARTITION (\"p\"='O''Neil\\\\') LOCATION 's3://lake/o''neil/" in add
    assert create.endswith("LOCATION 's3://lake/o''neil/_symlink_format_manifest/'")
    assert found.statements("athena", "t")[0].endswith(
        r"LOCATION 's3://lake/o\'neil/_symlink_format_manifest/'"
    )


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sales", "'default', 'sales'"),
        ("lake.sales", "'lake', 'sales'"),
        ("hive.lake.`my.s``a`", "'lake', 'my.s`a'"),
        ('lake."o\'neil"', "'lake', 'o''neil'"),
    ],
)
def test_trinos_call_names_the_table_without_quotes(name: str, parts: str) -> None:
    _, call = symlinks(["dt=1"]).statements("trino", name)
    assert call == f"CALL system.sync_partition_metadata({parts}, 'FULL')"


def test_a_quoted_part_of_a_name_may_be_empty_or_hold_dots() -> None:
    assert name_parts('a."b.""c"') == ["a", 'b."c']
    assert name_parts("a.``") == ["a", ""]
