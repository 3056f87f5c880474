"""What the records say about a table, and which records are refused."""

import gzip
from threading import Barrier
from typing import Any

import pytest

from repave._envelope import open_record
from repave._errors import InvalidRecordError, RepaveError, UsageError
from repave._location import Location
from repave._read import TableRecords
from repave._records import HistoryEntry, Manifest, Status
from unit.record_files import (
    FIRST,
    SECOND,
    TABLE,
    THIRD,
    MemoryObjects,
    active,
    checkpoint,
    head,
    logged,
    manifest,
    seal_bytes,
    sealed,
)


def records(objects: MemoryObjects) -> TableRecords:
    return TableRecords(objects, TABLE)


@pytest.fixture
def objects() -> MemoryObjects:
    """A table whose third commit is being cleaned up after, its first only in a checkpoint."""
    objects = MemoryObjects()
    objects.put(
        "head.json",
        head(
            version=3,
            checkpoint="1-x.json.gz",
            active=[active(THIRD, "cleaning", 3)],
            log=[logged(SECOND, 2, "run 2"), logged(THIRD, 3)],
        )
        | {"checkpoint-version": 1},
    )
    objects.put("checkpoints/1-x.json.gz", checkpoint(1, "", logged(FIRST, 1)))
    for commit in (SECOND, THIRD):
        objects.put(f"commits/{commit}/manifest.json.gz", manifest(commit))
    return objects


def test_status_costs_one_request(objects: MemoryObjects) -> None:
    status = Status.of(records(objects).status())
    assert (status.table, status.version, status.readers) == ("s3://lake/sales", 3, "listing")
    assert [(one.commit, one.state) for one in status.active] == [(THIRD, "cleaning")]
    assert status.active[0].reserved.isoformat() == "2026-11-21T03:15:00.123000+00:00"
    assert objects.reads == ["sales/_repave/head.json"]


def test_a_table_that_repave_never_wrote_is_told_so() -> None:
    status = Status.of(records(MemoryObjects()).status())
    assert not status.known
    assert list(records(MemoryObjects()).history()) == []


def test_history_names_every_commit_once_the_newest_first(objects: MemoryObjects) -> None:
    entries = [HistoryEntry.of(one) for one in records(objects).history()]
    assert [(one.version, one.state) for one in entries] == [
        (3, "cleaning"),
        (2, "published"),
        (1, "published"),
    ]
    assert [one.files_in for one in entries] == [1, 1, None]
    assert entries[1].token == "run 2"


def test_history_reads_no_more_than_is_asked_for(objects: MemoryObjects) -> None:
    assert len(list(records(objects).history(1))) == 1
    assert len(objects.reads) == 2


def test_the_manifests_of_a_history_are_asked_for_together(objects: MemoryObjects) -> None:
    both = Barrier(2, timeout=10)

    class Waiting(MemoryObjects):
        def read(self, location: Location, bytes_max: int) -> bytes | None:
            if location.key.endswith("manifest.json.gz"):
                both.wait()
            return super().read(location, bytes_max)

    waiting = Waiting()
    waiting.contents = objects.contents
    assert len(list(records(waiting).history(2))) == 2


def test_a_folder_above_that_may_not_be_read_is_no_table_around_this_one() -> None:
    class OfOneFolder(MemoryObjects):
        def read(self, location: Location, bytes_max: int) -> bytes | None:
            if not location.key.startswith(TABLE.prefix):
                message = f"Reading {location} is denied."
                raise RepaveError(message)
            return super().read(location, bytes_max)

    assert records(OfOneFolder()).enclosing() is None


def test_history_ends_where_vacuum_removed_the_records() -> None:
    objects = MemoryObjects()
    newest = {**checkpoint(3, "old.json.gz", logged(SECOND, 2), logged(THIRD, 3))}
    newest["previous-version"] = 1
    objects.put("checkpoints/new.json.gz", newest)
    name, version = "new.json.gz", 3
    head_now = head(version=3, checkpoint=name, **{"checkpoint-version": version})
    objects.put("head.json", {**head_now, "history-from": 2})
    assert [one["version"] for one in records(objects).history()] == [3, 2]
    with pytest.raises(UsageError, match=r"older than repave\.history\.retention"):
        records(objects).manifest(1)


@pytest.mark.parametrize("begins", [0, 2])
def test_a_checkpoint_that_a_vacuum_removed_meanwhile_is_not_missed(begins: int) -> None:
    """A newer checkpoint has taken over its commits, or the history ended."""
    objects = MemoryObjects()
    old = head(version=2, checkpoint="old.json.gz", **{"checkpoint-version": 2})
    objects.put("head.json", old)
    commits = [logged(FIRST, 1), logged(SECOND, 2), logged(THIRD, 3)]
    objects.put("checkpoints/new.json.gz", checkpoint(3, "", *commits))
    looks = records(objects)
    found = looks.logged(looks.head())
    objects.put(
        "head.json",
        head(version=3, checkpoint="new.json.gz", nonce="m", **{"checkpoint-version": 3})
        | ({"history-from": begins} if begins else {}),
    )
    assert [one["version"] for one in found] == ([2] if begins else [2, 1])


def test_a_reverted_commit_is_called_so() -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(log=[logged(FIRST, 0)]))
    assert [one["state"] for one in records(objects).history()] == ["reverted"]


def test_a_manifest_says_what_came_and_went(objects: MemoryObjects) -> None:
    found = Manifest.of(records(objects).manifest(2))
    assert found.commit == SECOND
    assert [file.path for file in found.partitions[0].added] == ["dt=1/part-new.parquet"]
    assert [file.name for file in found.partitions[0].removed] == ["part-old.parquet"]
    assert records(objects).manifest()["version"] == 3


def test_the_shards_of_a_manifest_are_read(objects: MemoryObjects) -> None:
    whole = manifest(SECOND)
    whole["partitions"][0]["adopted"] = []
    whole["partitions"][0]["in"][0]["rows"] = 7
    whole["partitions"][0]["out"][0]["rows"] = 0
    shard = {**whole, "record": "manifest-shard"}
    objects.put(f"commits/{SECOND}/manifest-00000.json.gz", shard)
    objects.put(
        f"commits/{SECOND}/manifest.json.gz",
        {**whole, "partitions": [], "shards": ["manifest-00000.json.gz"]},
    )
    assert records(objects).manifest(2)["partitions"] == whole["partitions"]


def test_a_manifest_that_names_a_shard_twice_is_refused(objects: MemoryObjects) -> None:
    whole = manifest(SECOND, partitions=[], shards=["manifest-00000.json.gz"] * 2)
    objects.put(f"commits/{SECOND}/manifest.json.gz", whole)
    with pytest.raises(InvalidRecordError, match="shards"):
        records(objects).manifest(2)


@pytest.mark.parametrize(
    ("members", "rows_in", "rows_out"),
    [
        ({}, None, None),
        ({"rows-in": 7}, 7, None),
        ({"rows-in": 0, "rows-out": 5}, 0, 5),
        ({"files-out": 0, "partitions": []}, None, 0),
    ],
)
def test_rows_are_unknown_unless_they_are_recorded(
    objects: MemoryObjects, members: dict[str, Any], rows_in: int | None, rows_out: int | None
) -> None:
    objects.put(f"commits/{SECOND}/manifest.json.gz", manifest(SECOND, **members))
    found = records(objects).manifest(2)
    assert (found["rows-in"], found["rows-out"]) == (rows_in, rows_out)


@pytest.mark.parametrize("version", [0, 4])
def test_a_version_that_is_not_there_is_refused(objects: MemoryObjects, version: int) -> None:
    with pytest.raises(UsageError, match=f"has no version {version}; its newest is 3"):
        records(objects).manifest(version)


def test_a_manifest_that_is_gone_is_named(objects: MemoryObjects) -> None:
    with pytest.raises(InvalidRecordError, match=r"aaaaaaaa/manifest\.json\.gz is missing"):
        records(objects).manifest(1)


def test_another_commits_manifest_is_refused(objects: MemoryObjects) -> None:
    objects.put(f"commits/{SECOND}/manifest.json.gz", manifest(FIRST))
    with pytest.raises(InvalidRecordError, match="has no usable 'commit'"):
        records(objects).manifest(2)


@pytest.mark.parametrize(
    "name", ["../../other", "/etc", "", "20261120T031500.000Z-../../bbbbbbbb", "x" * 20]
)
def test_a_commit_whose_name_leads_elsewhere_is_refused(name: str) -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, log=[logged(name, 1)]))
    with pytest.raises(InvalidRecordError, match="which is not a commit id of Repave"):
        list(records(objects).history())
    assert objects.reads == ["sales/_repave/head.json"]


def test_a_commit_without_a_date_is_refused() -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, log=[logged("20261399T031500.000Z-aaaaaaaa", 1)]))
    with pytest.raises(InvalidRecordError, match="which has no valid date"):
        records(objects).status()


@pytest.mark.parametrize("name", ["../head.json", "a/b", "..", ".", "_repave", "a\0b"])
def test_a_checkpoint_whose_name_leads_elsewhere_is_refused(name: str) -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, checkpoint=name) | {"checkpoint-version": 1})
    with pytest.raises(InvalidRecordError, match="not a place inside this table"):
        list(records(objects).history())


def test_a_checkpoint_that_is_gone_is_named() -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, checkpoint="x..y") | {"checkpoint-version": 1})
    with pytest.raises(InvalidRecordError, match=r"checkpoints/x\.\.y is missing"):
        list(records(objects).history())


@pytest.mark.parametrize(("version", "previous"), [(2, 2), (2, 3), (1, 0), (3, 1)])
def test_checkpoints_that_run_in_a_circle_are_refused(version: int, previous: int) -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=2, checkpoint="a.json.gz") | {"checkpoint-version": 2})
    one = checkpoint(version, "a.json.gz", logged(FIRST, 1))
    objects.put("checkpoints/a.json.gz", one | {"previous-version": previous})
    with pytest.raises(InvalidRecordError, match="a checkpoint of version 2 is expected there"):
        list(records(objects).history())


def test_a_checkpoint_with_files_of_a_later_version_is_refused() -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(version=2, checkpoint="a.json.gz") | {"checkpoint-version": 2})
    one = checkpoint(2, "", logged(FIRST, 1)) | {"files-checkpoint": "", "files-version": 3}
    objects.put("checkpoints/a.json.gz", one)
    with pytest.raises(InvalidRecordError, match="no usable 'files-version'"):
        records(objects).checkpoint("a.json.gz", 2)


def test_a_follower_before_its_first_version_is_refused() -> None:
    objects = MemoryObjects()
    follower = {"kind": "delta", "id": "x", "from": 3, "next": 2}
    objects.put("head.json", head(version=4, followers=[follower]) | {"format": 2})
    for use in (records(objects).head, records(objects).overview):
        with pytest.raises(InvalidRecordError, match="no usable 'next'"):
            use()


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": "3"},
        {"version": -1},
        {"version": True},
        {"active": {}},
        {"log": [7]},
        {"log": [{"commit": FIRST}]},
        {"readers": None},
    ],
)
def test_a_head_with_a_member_of_another_kind_is_refused(wrong: dict[str, Any]) -> None:
    objects = MemoryObjects()
    objects.put("head.json", head(**wrong))
    with pytest.raises(InvalidRecordError, match="has no usable"):
        records(objects).status()


def test_a_damaged_record_is_refused_whichever_byte_is_wrong() -> None:
    content = sealed(head())
    for at in range(len(content)):
        damaged = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        with pytest.raises(InvalidRecordError):
            open_record(damaged, "head", "s3://lake/sales/_repave/head.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is damaged"),
        (sealed({"format": 3, "record": "head"}), "use a newer Repave"),
        (sealed({"format": 1, "record": "manifest"}), "not of the type 'head'"),
        (sealed({"format": "1", "record": "head"}), "not of the type 'head'"),
        (gzip.compress(sealed(head()))[:-20], "is damaged|cannot be unpacked"),
        (b"\x1f\x8bnothing", "cannot be unpacked"),
        (gzip.compress(b" " * (65 << 20)), "more than 64 MiB"),
    ],
)
def test_a_record_that_must_not_be_read_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InvalidRecordError, match=message):
        open_record(content, "head", "s3://lake/sales/_repave/head.json")


def test_a_member_that_stands_twice_is_refused() -> None:
    twice = sealed({"format": 1, "record": "head", "n": 1, "m": 2})
    body = twice[: twice.index(b',"checksum"')].replace(b'"m"', b'"n"') + b"}"
    with pytest.raises(InvalidRecordError, match="not the JSON"):
        open_record(seal_bytes(body), "head", "here")


def test_deep_nesting_is_refused() -> None:
    body = b'{"format":1,"record":"head","n":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(InvalidRecordError, match="not the JSON"):
        open_record(seal_bytes(body), "head", "here")


def test_json_from_the_envelope_is_what_was_written() -> None:
    assert open_record(sealed(head(version=7)), "head", "here")["version"] == 7
