"""Statements for symlink manifests, and their registration in Glue (moto's, on the loopback)."""

import json
from dataclasses import replace

import pytest

from repave._errors import RepaveError, UsageError
from repave._glue import GlueTable
from repave._glue_symlinks import register
from repave._hive_types import declared
from repave._records import DataFile
from repave._snapshot.partitions import Typing
from repave._snapshot.snapshot import Snapshot
from repave._symlinks import ENGINES, SymlinkTable
from unit.glue_catalog import Catalog

INPUT = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat"
SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "price", "type": "decimal(9,2)"},
            {"name": "at", "type": "timestamp_ntz"},
            {"name": "tags", "type": {"type": "array", "elementType": "byte"}},
            {"name": "m", "type": {"type": "map", "keyType": "string", "valueType": "integer"}},
            {
                "name": "s",
                "type": {"type": "struct", "fields": [{"name": "a", "type": "binary"}]},
            },
        ],
    }
)
HIVE = {
    "id": "bigint",
    "price": "decimal(9,2)",
    "at": "timestamp",
    "tags": "array<tinyint>",
    "m": "map<string,int>",
    "s": "struct<a:binary>",
}
PLACE = "s3://lake/sales/_symlink_format_manifest"
# Their rows are of one partition (docs/readers.md, "Partition columns").
ONE_PARTITION = ["DT=1", "dt=1"]


def version(
    partitions: list[str], suffix: str = "snappy.parquet", schema: str | None = SCHEMA
) -> Snapshot:
    files = tuple(
        DataFile(partition, f"part-{at}.c000.{suffix}", 1, None, schema)
        for at, partition in enumerate(partitions)
    )
    typing = Typing.of(None, None, "UTC")
    return Snapshot("s3://lake/sales", 3, files, None, typing, None)  # type: ignore[arg-type]


def symlinks(partitions: list[str]) -> SymlinkTable:
    return SymlinkTable.of(version(partitions))


def test_columns_have_hives_types_and_partition_columns_those_of_all_readers() -> None:
    found = symlinks(["dt=2026-11-21/n=1", "dt=2026-11-22/n=3000000000"])
    assert found.columns == HIVE
    assert found.partition_columns == {"dt": "date", "n": "bigint"}


def test_the_values_of_a_partition_are_unescaped_and_its_place_is_not() -> None:
    found = symlinks(["r=a%3Ab", "r=__HIVE_DEFAULT_PARTITION__"])
    assert found.partitions == {
        f"{PLACE}/r=a%3Ab": ("a:b",),
        f"{PLACE}/r=__HIVE_DEFAULT_PARTITION__": ("__HIVE_DEFAULT_PARTITION__",),
    }


def test_columns_of_all_schemas_are_there_and_a_folders_column_is_not_repeated() -> None:
    later = json.dumps(
        {"fields": [{"name": "note", "type": "string"}, {"name": "DT", "type": "long"}]}
    )
    both = version(["dt=1"])
    files = (*both.files, replace(both.files[0], schema=later))
    found = SymlinkTable.of(replace(both, files=files))
    assert found.columns == {**HIVE, "note": "string"}


@pytest.mark.parametrize("engine", ["athena", "trino"])
def test_the_statements_name_hives_classes(engine: str) -> None:
    create, repair = symlinks(["dt=1"]).statements(engine, "db.sales")
    assert create.startswith("CREATE EXTERNAL TABLE db.sales (\n  `id` bigint,\n")
    assert "PARTITIONED BY (\n  `dt` int\n)" in create
    assert "SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'" in create
    assert f"INPUTFORMAT '{INPUT}'" in create
    assert create.endswith(f"LOCATION '{PLACE}/'")
    assert (
        repair
        == {
            "athena": "MSCK REPAIR TABLE db.sales",
            "trino": "CALL system.sync_partition_metadata('db', 'sales', 'FULL')",
        }[engine]
    )


def test_folders_with_capitals_are_not_left_to_engines_that_pass_over_them() -> None:
    found = symlinks(["Dt=1/n=a", "Dt=2/n=b"])
    _, add = found.statements("athena", "sales")
    assert add == (
        "ALTER TABLE sales ADD IF NOT EXISTS\n"
        f"PARTITION (`Dt`='1', `n`='a') LOCATION '{PLACE}/Dt=1/n=a/'\n"
        f"PARTITION (`Dt`='2', `n`='b') LOCATION '{PLACE}/Dt=2/n=b/'"
    )
    _, sync = found.statements("trino", "db.sales")
    assert sync == "CALL system.sync_partition_metadata('db', 'sales', 'FULL', false)"
    # The second spelling of a column counts too.
    assert "ADD IF NOT EXISTS" in symlinks(["dt=1", "DT=2"]).statements("athena", "sales")[1]


def test_redshift_gets_its_types_and_every_partition() -> None:
    found = symlinks([f"d=x{at:03}" for at in range(250)])
    create, *adds = found.statements("redshift", "spectrum.sales")
    assert '"d" varchar(65535)' in create
    assert '"s" struct<a:binary>' in create
    assert [add.count("PARTITION (") for add in adds] == [100, 100, 50]
    assert f"PARTITION (\"d\"='x000') LOCATION '{PLACE}/d=x000/'" in adds[0]


def test_a_table_without_partitions_is_one_statement() -> None:
    (create,) = symlinks([""]).statements("athena", "sales")
    assert "PARTITIONED" not in create


def test_formats_that_an_engine_does_not_read_are_refused() -> None:
    with pytest.raises(UsageError, match="hive does not read parquet files"):
        symlinks(["dt=1"]).statements("hive", "sales")
    lines = SymlinkTable.of(version(["dt=1"], "txt.gz", None))
    assert lines.columns == {"value": "string"}
    assert "LazySimpleSerDe" in lines.statements("hive", "sales")[0]
    assert set(ENGINES) == {"athena", "hive", "redshift", "trino"}


def test_athena_reads_the_columns_of_orc_files_by_name(glue: Catalog) -> None:
    """By default it reads them by position, and files need not have the same columns."""
    table = SymlinkTable.of(version(["dt=1"], "snappy.orc", None), "id bigint, note string")
    (create, _), (other, _) = (table.statements(it, "sales") for it in ("athena", "trino"))
    assert (
        "OrcSerde'\nWITH SERDEPROPERTIES ('orc.column.index.access' = 'false')\nSTORED AS" in create
    )
    assert "SERDEPROPERTIES" not in other
    assert "SERDEPROPERTIES" not in symlinks(["dt=1"]).statements("athena", "sales")[0]
    register(GlueTable(glue.glue, glue.name), table)
    for entry in (glue.table(), glue.partitions()["1",]):
        parameters = entry["StorageDescriptor"]["SerdeInfo"]["Parameters"]
        assert parameters == {"serialization.format": "1", "orc.column.index.access": "false"}


def test_columns_that_no_record_names_have_to_be_told() -> None:
    rows = version(["dt=1"], "csv", None)
    with pytest.raises(UsageError, match="--columns"):
        SymlinkTable.of(rows)
    assert SymlinkTable.of(rows, "id string, note string").columns == dict.fromkeys(
        ("id", "note"), "string"
    )
    with pytest.raises(UsageError, match="'id'"):
        declared("id")


def test_a_partition_outside_the_table_is_refused() -> None:
    outside = replace(version(["dt=1", "s3://annex/dt=2"]), typing=Typing.of(None, None, "UTC"))
    with pytest.raises(UsageError, match="outside the table"):
        SymlinkTable.of(outside)


def test_a_folder_that_is_no_partition_is_refused() -> None:
    """An adopted table may have it; a table at the manifests' folder does not find its list."""
    with pytest.raises(UsageError, match="The folder 2026/11/22 of s3://lake/sales is not named"):
        symlinks(["", "2026/11/22"])


def test_folders_that_catalogs_take_for_one_partition_are_refused(glue: Catalog) -> None:
    with pytest.raises(RepaveError, match=f"{PLACE}/DT=1 and {PLACE}/dt=1 are one partition of s3"):
        register(GlueTable(glue.glue, glue.name), symlinks(ONE_PARTITION))
    assert glue.calls == []


def test_a_column_of_folders_may_have_two_spellings() -> None:
    found = symlinks(["DT=1", "dt=2"])
    assert found.partition_columns == {"DT": "int"}
    assert found.partitions == {f"{PLACE}/DT=1": ("1",), f"{PLACE}/dt=2": ("2",)}


def test_thousand_partitions_take_ten_calls(glue: Catalog) -> None:
    table = symlinks([f"n={at}" for at in range(1_000)])
    assert register(GlueTable(glue.glue, glue.name), table) == 1_000
    assert glue.calls == ["CreateTable", *["BatchCreatePartition"] * 10]
    known = glue.partitions()
    assert len(known) == 1_000
    assert known["7",]["StorageDescriptor"]["Location"] == f"{PLACE}/n=7"
    found = glue.table()
    assert found["StorageDescriptor"]["InputFormat"] == INPUT
    assert found["PartitionKeys"] == [{"Name": "n", "Type": "int"}]


def test_a_registration_is_idempotent_and_adds_and_updates(glue: Catalog) -> None:
    own = GlueTable(glue.glue, glue.name)
    register(own, symlinks(["n=1", "n=2"]))
    assert register(own, symlinks(["n=1", "n=2"])) == 0
    assert register(own, symlinks(["n=1", "n=3"])) == 1
    assert set(glue.partitions()) == {("1",), ("2",), ("3",)}
    wider = replace(symlinks(["n=1", "n=3"]), columns={"id": "bigint", "note": "string"})
    assert register(own, wider) == 2
    columns = glue.partitions()["3",]["StorageDescriptor"]["Columns"]
    assert [one["Name"] for one in columns] == ["id", "note"]
    found = glue.table()
    assert found["StorageDescriptor"]["Columns"] == columns


def test_a_table_elsewhere_is_not_changed(glue: Catalog) -> None:
    glue.glue.create_table(
        DatabaseName=glue.database,
        TableInput={"Name": "sales", "StorageDescriptor": {"Location": "s3://else/where"}},
    )
    with pytest.raises(UsageError, match="is at s3://else/where"):
        register(GlueTable(glue.glue, glue.name), symlinks(["n=1"]))


def test_what_glue_refuses_is_an_error(glue: Catalog) -> None:
    with pytest.raises(RepaveError, match="Glue"):
        register(GlueTable(glue.glue, "nowhere.sales"), symlinks(["n=1"]))
    with pytest.raises(UsageError, match=r"DATABASE\.TABLE"):
        GlueTable(glue.glue, "sales")
