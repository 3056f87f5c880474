"""The statements that make new partitions known to a catalog."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave._catalog import catalog_statements, move_in_metastore, readers_of
from repave._location import Location
from repave.cli import change, main
from unit.record_files import SECOND, MemoryObjects, head

TABLE = Location.of("s3://lake/sales")


def test_every_new_partition_has_its_statement() -> None:
    folders = ["q=a%2Fb/day=2", "q=__HIVE_DEFAULT_PARTITION__/day=1"]
    assert catalog_statements(TABLE, folders, "listing", "lake.sales") == [
        "ALTER TABLE lake.sales ADD IF NOT EXISTS PARTITION (`q`=null, `day`='1')",
        "ALTER TABLE lake.sales ADD IF NOT EXISTS PARTITION (`q`='a/b', `day`='2')",
    ]


def test_a_value_that_spark_would_replace_is_escaped() -> None:
    assert catalog_statements(TABLE, ["p=${env:HOME}"], "listing", "sales") == [
        r"ALTER TABLE sales ADD IF NOT EXISTS PARTITION (`p`='\u0024{env:HOME}')",
    ]


@pytest.mark.parametrize(
    ("readers", "statement"),
    [
        ("listing", "MSCK REPAIR TABLE sales"),
        ("snapshot", 'RepaveTable.for_path(spark, "s3a://lake/sales").register("sales")'),
    ],
)
def test_a_column_that_spark_would_replace_is_in_no_statement(readers: str, statement: str) -> None:
    """Names in backticks have no escapes."""
    folders = ["day=1/${env:HOME}=1"]
    assert catalog_statements(TABLE, folders, readers, "sales") == [statement]


def test_a_table_of_a_metastore_that_follows_gets_no_usual_folder() -> None:
    """It may have replaced files."""
    status = {"readers": "snapshot", "followers": [{"follower": "glue"}, {"follower": "metastore"}]}
    sync = 'RepaveTable.for_path(spark, "s3a://lake/sales").sync()'
    assert catalog_statements(TABLE, ["day=1"], readers_of(status), "sales") == [sync]
    assert catalog_statements(TABLE, [""], readers_of(status), "sales") == []
    assert readers_of({"readers": "listing"}) == "listing"


@pytest.mark.parametrize(("behind", "calls"), [(0, ["status"]), (1, ["status", "moveInMetastore"])])
def test_a_metastore_that_recovery_has_moved_is_not_moved_again(
    behind: int, calls: list[str]
) -> None:
    asked = []
    follower = {"follower": "metastore", "version": 3 - behind, "behind": behind, "name": "a.b"}

    def ask(method: str) -> dict[str, object]:
        asked.append(method)
        return {"readers": "snapshot", "followers": [follower]}

    assert move_in_metastore(ask) == (True, ())
    assert asked == calls


def test_the_table_itself_and_folders_outside_of_it_are_left_out() -> None:
    assert catalog_statements(TABLE, ["", "s3://annex/day=1", "plain"], "listing") == []


@pytest.mark.parametrize(("count", "statements"), [(20, 20), (21, 1)])
def test_beyond_20_one_statement_is_enough(count: int, statements: int) -> None:
    folders = [f"day={day}" for day in range(count)]
    found = catalog_statements(TABLE, folders, "listing")
    assert len(found) == statements
    if statements == 1:
        assert found == ["MSCK REPAIR TABLE <name>"]


def test_a_snapshot_table_is_registered_instead() -> None:
    """MSCK would write the folders of one version into the catalog, for ever."""
    folders = [f"day={day}" for day in range(21)]
    assert catalog_statements(TABLE, folders, "snapshot", "sales") == [
        'RepaveTable.for_path(spark, "s3a://lake/sales").register("sales")'
    ]


class FakeSubmit:
    def run(self, *_words: str, **_hear: object) -> Mapping[str, object]:
        commit = {"commit": SECOND, "kind": "dynamic", "outcome": "finished"}
        return {"version": 2, "commits": [{**commit, "partitions": ["day=1", ""]}]}


@pytest.mark.parametrize("name", [(), ("--name", "lake.sales")])
def test_recover_prints_the_statements(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: tuple[str, ...]
) -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=2))
    monkeypatch.setattr(change, "prepare", lambda *_arguments: FakeSubmit())
    monkeypatch.setattr("repave.cli.store.client", lambda *_arguments: None)
    monkeypatch.setattr("repave.cli.store.BucketObjects", lambda _client: objects)
    result = CliRunner().invoke(main, ["recover", str(TABLE), *name], catch_exceptions=False)
    table = name[1] if name else "<name>"
    assert result.stdout.splitlines() == [
        f"finished: dynamic commit {SECOND}",
        "The table is at version 2.",
        "If a catalog names this table, it may not know these partitions. Run in Spark:",
        f"  ALTER TABLE {table} ADD IF NOT EXISTS PARTITION (`day`='1')",
    ]
    as_json = CliRunner().invoke(main, ["recover", str(TABLE), *name, "--json"])
    assert f'"ALTER TABLE {table} ADD' in as_json.stdout


def test_recover_by_the_path_of_a_partition_prints_the_statements_of_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    objects = MemoryObjects()
    follower = {"id": "f", "kind": "metastore", "from": 1, "next": 2, "state": 0, "name": "l.sales"}
    objects.put("head.json", head(version=2, format=2, readers="snapshot", followers=[follower]))
    monkeypatch.setattr(change, "prepare", lambda *_arguments: FakeSubmit())
    monkeypatch.setattr("repave.cli.store.client", lambda *_arguments: None)
    monkeypatch.setattr("repave.cli.store.BucketObjects", lambda _client: objects)
    told = [
        CliRunner().invoke(main, ["recover", path], catch_exceptions=False).stdout
        for path in (str(TABLE), f"{TABLE}/day=1")
    ]
    assert told[0] == told[1]
    assert ".sync()" in told[0]
