"""`repave symlinks` from a table on a lab server to statements, and to moto's Glue Data Catalog."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from click.testing import CliRunner, Result

from lab.reader_tables import StoredTable
from repave.cli import main
from repave_lab.servers import S3Server
from unit.glue_catalog import serving

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

FOLLOWER = {"kind": "symlink", "id": "f1", "from": 1, "next": 2}
COLUMNS = ["--columns", "id bigint"]
SYMLINKS = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat"


@pytest.fixture
def table(server: S3Server, direct: "S3Client", bucket: str) -> StoredTable:
    """A snapshot table of two days, one of them null, with symlink manifests."""
    found = StoredTable(direct, bucket, "snapshot")
    found.commit("append", {"dt=2026-11-21": [1], "dt=__HIVE_DEFAULT_PARTITION__": [2]})
    return found


@pytest.fixture(autouse=True)
def _environment(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.endpoint)
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.fixture
def glue(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The endpoint of moto's Glue, which the command finds in the environment."""
    with serving() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", endpoint)
        yield endpoint


def follow(table: StoredTable) -> None:
    table.records.publish(format=2, followers=[FOLLOWER])
    table.publish()


def run(table: StoredTable, *words: str) -> Result:
    return run_at(table.url, *words)


def run_at(url: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["symlinks", url, *words])


def test_the_command_prints_the_statements_of_each_engine(table: StoredTable) -> None:
    follow(table)
    for engine in ("athena", "hive", "redshift", "trino"):
        done = run(table, "--ddl", engine, "--name", "lake.sales", *COLUMNS)
        if engine == "hive":
            assert done.exit_code == 2
            assert "hive does not read parquet" in done.output
            continue
        assert done.exit_code == 0, done.output
        create, *partitions = done.output.rstrip().rstrip(";").split(";\n")
        folder = f"{table.url}/_symlink_format_manifest"
        assert create.startswith("CREATE EXTERNAL TABLE lake.sales (")
        assert f"STORED AS INPUTFORMAT '{SYMLINKS}'" in create
        assert create.endswith(f"LOCATION '{folder}/'")
        assert len(partitions) == 1
        if engine == "redshift":
            null = "__HIVE_DEFAULT_PARTITION__"
            assert f"(\"dt\"='{null}') LOCATION '{folder}/dt={null}/'" in partitions[0]


@pytest.mark.parametrize(
    ("folder", "engine", "named"),
    [
        ("sales", "redshift", "TABLE sales ("),
        ("my-sales", "athena", "TABLE `my-sales` ("),
        ("v1.2", "trino", "CALL system.sync_partition_metadata('default', 'v1.2', 'FULL')"),
    ],
)
def test_a_tables_default_name_is_its_folders(
    table: StoredTable, folder: str, engine: str, named: str
) -> None:
    follow(table)
    table.put_as(folder, {})
    done = run_at(f"s3://{table.bucket}/{folder}/", "--ddl", engine, *COLUMNS)
    assert done.exit_code == 0, done.output
    assert named in done.output


def test_a_table_in_a_buckets_root_needs_a_name(table: StoredTable) -> None:
    follow(table)
    for key, content in table.records.contents.items():
        table.s3.put_object(Bucket=table.bucket, Key=key.removeprefix("sales/"), Body=content)
    done = run_at(f"s3://{table.bucket}/", "--ddl", "athena", *COLUMNS)
    assert done.exit_code == 2
    assert "has no folder whose name the statements could use: pass --name." in done.output
    done = run_at(f"s3://{table.bucket}/", "--ddl", "athena", "--name", "all_sales", *COLUMNS)
    assert "TABLE all_sales (" in done.output


def test_the_command_registers_the_table_in_glue(table: StoredTable, glue: str) -> None:
    follow(table)
    client = boto3.client("glue", endpoint_url=glue)
    client.create_database(DatabaseInput={"Name": "lake"})
    done = run(table, "--glue", "lake.sales", *COLUMNS)
    assert done.exit_code == 0, done.output
    assert "lake.sales is registered: partitions added or changed: 2." in done.output
    assert "added or changed: 0." in run(table, "--glue", "lake.sales", *COLUMNS).output
    found = client.get_table(DatabaseName="lake", Name="sales")["Table"]
    assert found["StorageDescriptor"]["InputFormat"] == SYMLINKS
    assert found["PartitionKeys"] == [{"Name": "dt", "Type": "date"}]
    known = client.get_partitions(DatabaseName="lake", TableName="sales")["Partitions"]
    assert {one["Values"][0] for one in known} == {"2026-11-21", "__HIVE_DEFAULT_PARTITION__"}


def test_a_table_without_symlink_manifests_is_refused(table: StoredTable) -> None:
    done = run(table, "--ddl", "athena", *COLUMNS)
    assert done.exit_code == 2
    assert "has no symlink manifests. First run: repave follow" in done.output
