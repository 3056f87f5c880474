"""Checkpoints stand for the history before them, and are asked for together with what follows."""

from collections import defaultdict
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from repave._errors import InvalidRecordError, UsageError
from repave._location import Location
from repave._records import DataFile
from repave._snapshot.newest import newest_of
from unit.snapshot_table import MemoryTable, commit_name


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


def test_a_checkpoint_stands_for_all_before_it(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"], "dt=2": ["b"]})
    table.checkpoint({"dt=1": ["a"], "dt=2": ["b"]})
    table.commit("dynamic", {"dt=2": ["c"]})
    table.reads.clear()
    assert table.paths() == ["dt=1/a", "dt=2/c"]
    reads = [key.removeprefix("sales/_repave/") for key in table.reads]
    assert sorted(reads) == [
        "checkpoints/1-x-00000.json.gz",
        "checkpoints/1-x.json.gz",
        f"commits/{commit_name(2)}/manifest.json.gz",
        "head.json",
    ], "the shard of dt=2 is not read: all of it was replaced"


def test_a_checkpoint_does_not_hide_which_file_is_the_newest(
    table: MemoryTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds files by folder, and the newest tells the columns of the table."""
    ids = [f"{version:08}-89ab-cdef-0123-456789abcdef" for version in range(4)]
    monkeypatch.setattr(
        "unit.snapshot_table.commit_name", lambda version: f"20261101T001500.000Z-{ids[version]}"
    )
    files = {f"dt={version}": [f"part-00000-{ids[version]}-7.c000.orc"] for version in (1, 2)}
    for partition, names in files.items():
        table.commit("append", {partition: names})
    table.checkpoint(files)
    newest = table.open().newest
    assert newest is not None
    assert newest.partition == "dt=2"
    table.commit("rollback", files)
    assert table.open().newest == newest


def test_the_history_is_not_read_for_files_with_the_same_columns() -> None:
    files = [DataFile(f"dt={day}", "a", 1, schema="{}") for day in (1, 2)]
    assert newest_of(files, iter([{}])) == files[0]
    assert newest_of([], []) is None


def uuid_of(version: int) -> str:
    return f"{version:08}-89ab-cdef-0123-456789abcdef"


@pytest.fixture
def evolved(table: MemoryTable, monkeypatch: pytest.MonkeyPatch) -> MemoryTable:
    """Version 2 adds a file with newer columns; 210 overwrites of its folder follow."""
    monkeypatch.setattr(
        "unit.snapshot_table.commit_name",
        lambda version: f"20261101T001500.000Z-{uuid_of(version)}",
    )
    files = [f"part-00000-{uuid_of(version)}-7.c000.orc" for version in range(220)]
    table.commit("append", {"dt=1": [files[1]]})
    table.commit("append", {"dt=2": [files[2]]})
    table.checkpoint({"dt=1": [files[1]], "dt=2": [files[2]]})
    for version in range(3, 213):
        table.commit("dynamic", {"dt=2": [files[version]]})
        if version % 50 == 0:
            table.checkpoint({"dt=1": [files[1]], "dt=2": [files[version]]})
    return table


def test_the_columns_of_an_old_version_are_those_of_its_own_newest_file(
    evolved: MemoryTable,
) -> None:
    newest = evolved.open(2).newest
    assert newest is not None
    assert newest.partition == "dt=2"


def test_after_a_rollback_over_many_commits_the_newest_file_is_found(evolved: MemoryTable) -> None:
    files = {file.partition: [file.name] for file in evolved.open(2).files}
    evolved.commit("rollback", files)
    newest = evolved.open().newest
    assert newest is not None
    assert newest.partition == "dt=2"


def test_the_newest_file_of_a_checkpoint_costs_no_request(evolved: MemoryTable) -> None:
    evolved.checkpoint({file.partition: [file.name] for file in evolved.open().files})
    evolved.reads.clear()
    newest = evolved.open().newest
    assert newest is not None
    assert newest.partition == "dt=2"
    assert len(evolved.reads) == len({"head", "checkpoint", "shard dt=1", "shard dt=2"})


def test_without_the_commits_of_its_files_a_version_has_no_newest_file() -> None:
    """The columns of any other file may lack some of the newest one."""
    files = [DataFile(f"dt={day}", f"part-00000-{uuid_of(day)}-7.orc", 1) for day in (1, 2)]
    later = {"commit": f"20261101T001500.000Z-{uuid_of(9)}", "version": 9}
    assert newest_of(files, [later]) is None
    assert newest_of(files, [later, {**later, "version": 1}]) == files[0], "all were adopted"


def test_columns_that_the_history_does_not_tell_are_asked_for(evolved: MemoryTable) -> None:
    pa = pytest.importorskip("pyarrow")
    unknown = replace(evolved.open(2), newest=None)
    with pytest.raises(UsageError, match=r"which of its files is the newest.*pass schema="):
        unknown.arrow()
    schema = pa.schema([("id", pa.int64())])
    assert unknown.arrow(schema=schema).schema.names == ["id", "dt"]


class WaitingTable(MemoryTable):
    """Answers some requests only when another one is under way too."""

    def __init__(self) -> None:
        super().__init__()
        self.beside: dict[str, str] = {}
        self._begun: defaultdict[str, Event] = defaultdict(Event)

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        name = location.key.removeprefix("sales/_repave/")
        self._begun[name].set()
        if name in self.beside:
            assert self._begun[self.beside[name]].wait(10), f"{name} was asked for alone"
        return super().read(location, bytes_max)


def test_manifests_are_asked_for_beside_the_checkpoint_and_its_shard() -> None:
    table = WaitingTable()
    table.commit("append", {"dt=1": ["a"], "dt=2": ["b"]})
    shard, one = "1-x-00000.json.gz", "commits/{}/manifest.json.gz"
    both = {"name": shard, "first": "dt=1", "last": "dt=2", "files": 2, "sorted": True}
    table.checkpoint({"dt=1": ["a"]}, shards=[both])
    contents = [{"partition": f"dt={day}", "files": [{"name": day, "bytes": 1}]} for day in "12"]
    members = {"format": 1, "record": "checkpoint-shard", "partitions": contents}
    table.put(f"checkpoints/{shard}", members)
    table.commit("append", {"dt=2": ["c"]})
    table.commit("append", {"dt=2": ["d"]})
    table.beside = {
        "checkpoints/1-x.json.gz": one.format(commit_name(2)),
        one.format(commit_name(2)): one.format(commit_name(3)),
        one.format(commit_name(3)): f"checkpoints/{shard}",
    }
    assert table.paths() == ["dt=1/1", "dt=2/2", "dt=2/c", "dt=2/d"]


def test_a_table_that_was_rolled_back_needs_no_older_shard(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"], "dt=2": ["b"]})
    lost = {"name": "1-x-00007.json.gz", "first": "dt=1", "last": "dt=2", "sorted": True}
    table.checkpoint({}, shards=[{**lost, "files": 2}])
    table.commit("rollback", {"dt=3": ["c"]}, {"dt=1": ["a"], "dt=2": ["b"]})
    assert table.paths() == ["dt=3/c"]


def test_a_version_before_the_newest_checkpoint_is_read(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"]})
    table.checkpoint({"dt=1": ["a"]})
    table.commit("append", {"dt=1": ["b"]})
    table.commit("append", {"dt=1": ["c"]})
    table.checkpoint({"dt=1": ["a", "b", "c"]})
    assert table.paths(2) == ["dt=1/a", "dt=1/b"]
    assert table.paths(1) == ["dt=1/a"]


def test_a_checkpoint_without_files_names_the_one_that_has_them(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"]})
    table.checkpoint({"dt=1": ["a"]})
    table.commit("append", {"dt=1": ["b"]})
    table.checkpoint(None, **{"files-checkpoint": "1-x.json.gz", "files-version": 1})
    assert table.paths() == ["dt=1/a", "dt=1/b"]


def test_checkpoints_of_listing_tables_have_no_files(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"]})
    table.checkpoint(None)
    table.commit("append", {"dt=1": ["b"]})
    assert table.paths() == ["dt=1/a", "dt=1/b"]


@pytest.mark.parametrize(
    "wrong", [{"version": 7}, {"previous-version": 1, "previous": "1-x.json.gz"}]
)
def test_a_chain_of_checkpoints_without_an_end_is_refused(
    table: MemoryTable, wrong: dict[str, Any]
) -> None:
    table.commit("append", {"dt=1": ["a"]})
    table.checkpoint(None, **wrong)
    with pytest.raises(InvalidRecordError, match="is expected"):
        table.paths()


def test_a_shard_out_of_order_is_refused(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a", "b"]})
    table.checkpoint({"dt=1": ["b", "a"]})
    with pytest.raises(InvalidRecordError, match="not in order"):
        table.paths()


def test_a_checkpoint_that_names_a_shard_twice_is_refused(table: MemoryTable) -> None:
    """Each name would cost a request."""
    table.commit("append", {"dt=1": ["a"]})
    shard = {"name": "1-x-00000.json.gz", "first": "dt=1", "last": "dt=1", "files": 1}
    table.checkpoint({"dt=1": ["a"]}, shards=[shard, {**shard, "last": "dt=2"}])
    with pytest.raises(InvalidRecordError, match="no usable 'shards'"):
        table.paths()
