"""Files of a listing table that its records do not name are hidden as by Spark, or refused."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest

from repave._errors import UsageError
from repave._location import Location
from unit.record_files import active, logged, manifest
from unit.snapshot_table import MemoryTable, commit_name

RECORDED = "dt=1/a.parquet"


def commit_of(number: int) -> str:
    return f"20261201T001500.{number:03}Z-{UUID(int=number)}"


def file_of(number: int) -> str:
    return f"dt=1/part-00000-{UUID(int=number)}-7.c000.parquet"


def appended(commit: str, version: int) -> dict[str, Any]:
    return logged(commit, version, kind="append")


def entry(added: Sequence[int] = (), removed: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a manifest says of dt=1."""
    names = [file_of(one).removeprefix("dt=1/") for one in added]
    return {
        "partition": "dt=1",
        "in": [{"name": name, "bytes": 10} for name in names],
        "out": [{"name": name, "bytes": 10} for name in removed],
    }


@pytest.fixture
def table() -> MemoryTable:
    table = MemoryTable("listing")
    table.commit("append", {"dt=1": ["a.parquet"]})
    table.listed = [RECORDED]
    return table


class Overtaken(MemoryTable):
    """Publishes another head when its folder is listed for the first time."""

    def __init__(self, later: dict[str, Any]) -> None:
        super().__init__("listing")
        self.later = later

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
        if not self.lists:
            self.publish(**self.later)
        yield from super().keys(folder, skipped, after, until)


def test_a_file_of_a_commit_that_the_table_never_had_is_refused(table: MemoryTable) -> None:
    """Such as a copy from another table: Spark shows its rows."""
    table.listed.append(file_of(1))
    with pytest.raises(
        UsageError,
        match=r"a file that its records do not name, such as 'dt=1/part-.*repave adopt"
        r".*\(--unrecorded ignore\)",
    ):
        table.open()


@pytest.mark.parametrize("state", ["pending", "reverting"])
def test_files_of_commits_that_are_not_published_are_left_out(
    table: MemoryTable, state: str
) -> None:
    table.publish(active=[active(commit_of(1), state)])
    table.listed.append(file_of(1))
    table.reads.clear()
    assert table.paths() == [RECORDED]
    assert len([key for key in table.reads if key.endswith("head.json")]) == 1


@pytest.mark.parametrize("version", [1, 0], ids=["published", "reverted"])
def test_a_file_that_a_finished_commit_left_behind_is_refused(
    table: MemoryTable, version: int
) -> None:
    """Spark shows its rows: nothing says any more that it is being deleted."""
    table.publish(log=[logged(commit_of(1), version), *table.log])
    table.listed.append(file_of(1))
    with pytest.raises(UsageError, match="records do not name"):
        table.open()


def test_a_copy_of_a_published_file_in_another_folder_is_refused(table: MemoryTable) -> None:
    one = {**active(commit_of(1), "cleaning", 1), "kind": "append"}
    table.publish(active=[one])
    table.listed.append(file_of(1))
    with pytest.raises(UsageError, match="records do not name"):
        table.open()


@pytest.mark.parametrize(
    "later",
    [
        {"active": [active(commit_of(1), "pending")]},
        {"active": [active(commit_of(1), "reverting")]},
        {"active": [active(commit_of(1), "cleaning", 2)], "version": 2},
        {"version": 2, "log": [logged(commit_of(1), 2)]},
    ],
    ids=["reserved", "reverting", "published", "finished"],
)
def test_a_commit_of_another_writer_during_the_listing_does_not_matter(
    later: dict[str, Any],
) -> None:
    """An append leaves the files of the version, so it can still be read."""
    table = Overtaken(later)
    table.commit("append", {"dt=1": ["a.parquet"]})
    table.listed = [RECORDED, file_of(1)]
    found = table.open()
    assert (found.version, [it.path for it in found.files]) == (1, [RECORDED])
    assert table.lists == 1


def test_a_commit_that_was_reserved_and_reverted_during_the_listing_means_another_look() -> None:
    class Reverted(Overtaken):
        def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
            if self.lists:
                self.listed = [RECORDED]
            yield from super().keys(folder, skipped, after, until)

    table = Reverted({"log": [appended(commit_name(1), 1), logged(commit_of(1), 0)]})
    table.commit("append", {"dt=1": ["a.parquet"]})
    table.listed = [RECORDED, file_of(1)]
    assert table.paths() == [RECORDED]
    assert table.lists == 2


def test_commits_of_a_new_table_at_the_same_path_explain_nothing() -> None:
    log = [appended(commit_name(1), 1), appended(commit_of(1), 2)]
    table = Overtaken({"table-id": "t2", "version": 2, "log": log})
    table.commit("append", {"dt=1": ["a.parquet"]})
    table.listed = [RECORDED, file_of(1)]
    table.put(
        f"commits/{commit_of(1)}/manifest.json.gz",
        manifest(commit_of(1), kind="append", partitions=[entry(added=[1])]),
    )
    assert table.open().version == 2


def replacing(table: MemoryTable, kind: str = "dynamic", **members: object) -> None:
    """Publish version 1 by a commit that is still deleting what it replaced."""
    one = {**active(commit_name(1), "cleaning", 1), "kind": kind}
    table.log = [logged(commit_name(1), 1, kind=kind)]
    table.publish(active=[one])
    content = {"kind": kind, "partitions": [entry(added=[1], removed=["old", "old-2"])], **members}
    table.put(f"commits/{commit_name(1)}/manifest.json.gz", manifest(commit_name(1), **content))


@pytest.mark.parametrize("kind", ["dynamic", "static"])
def test_files_that_an_overwrite_is_still_deleting_are_left_out(
    table: MemoryTable, kind: str
) -> None:
    """Such as files that were there before the first commit, and of a job that died here."""
    replacing(table, kind)
    table.listed = [file_of(1), "dt=1/old"]
    assert table.paths() == [file_of(1)]
    table.listed.append("dt=1/old-3")
    with pytest.raises(UsageError, match="such as 'dt=1/old-3'"):
        table.open()


def test_files_that_an_overwrite_is_deleting_may_be_in_shards_of_its_manifest(
    table: MemoryTable,
) -> None:
    shards = ["manifest-n-00000.json.gz", "manifest-n-00001.json.gz"]
    replacing(table, shards=shards, partitions=[])
    for shard, part in zip(shards, (entry(added=[1]), entry(removed=["old"])), strict=True):
        content = {**manifest(commit_name(1), partitions=[part]), "record": "manifest-shard"}
        table.put(f"commits/{commit_name(1)}/{shard}", content)
    table.listed = [file_of(1), "dt=1/old"]
    assert table.paths() == [file_of(1)]


def test_files_that_an_overwrite_is_about_to_replace_are_still_there(table: MemoryTable) -> None:
    one = active(commit_of(1), "pending")
    table.publish(active=[one])
    content = {"partitions": [entry(added=[1], removed=["old"])]}
    table.put(f"commits/{commit_of(1)}/manifest.json.gz", manifest(commit_of(1), **content))
    table.listed += [file_of(1), "dt=1/old"]
    with pytest.raises(UsageError, match="such as 'dt=1/old'"):
        table.open()


def test_what_an_append_or_an_adoption_removes_is_not_being_deleted(table: MemoryTable) -> None:
    replacing(table, "adopt")
    table.listed = [file_of(1), "dt=1/old"]
    with pytest.raises(UsageError, match="such as 'dt=1/old'"):
        table.open()


def test_a_manifest_is_read_again_only_for_files_that_the_records_do_not_name(
    table: MemoryTable,
) -> None:
    replacing(table)
    table.listed = [file_of(1)]
    for expected in (1, 2):
        table.reads.clear()
        assert table.paths() == [file_of(1)]
        assert sum("manifest" in key for key in table.reads) == expected
        table.listed.append("dt=1/old")
