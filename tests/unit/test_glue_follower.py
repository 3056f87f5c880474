"""A table of Glue (moto's, on the loopback) follows the locations that the jar tells."""

from typing import TYPE_CHECKING, Any

import pytest

from repave._errors import RepaveError
from repave._glue import GlueTable
from repave._glue_follower import GlueFollower, sync_all
from repave._records import DataFile
from unit.glue_catalog import Catalog, ProcessDiedError
from unit.glue_following import ROOT, SCHEMA, TABLE, FakeJar, assert_at, days, files, followed

# ruff: noqa: ANN401 - JSON

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_new_table_has_the_columns_of_the_files(glue: Catalog) -> None:
    jar = FakeJar(days(range(3)))
    followed(glue, jar)
    table = glue.table()
    assert table["PartitionKeys"] == [{"Name": "day", "Type": "int"}]
    storage = table["StorageDescriptor"]
    assert storage["Columns"] == [{"Name": "id", "Type": "bigint"}, {"Name": "at", "Type": "date"}]
    assert storage["Location"] == ROOT
    assert storage["InputFormat"].endswith("MapredParquetInputFormat")
    assert_at(glue, jar)


def test_a_column_of_a_new_table_has_the_newest_type(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    kinds = ("integer", "long")
    older, newer = (
        DataFile(f"day={day}", "part-0.parquet", 1, None, SCHEMA.replace("long", kind))
        for day, kind in enumerate(kinds)
    )
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    follower.begin(lambda: (older, newer), lambda files: files[1])
    columns = glue.table()["StorageDescriptor"]["Columns"]
    assert columns[0] == {"Name": "id", "Type": "bigint"}


def test_thousand_partitions_take_ten_calls_to_change(glue: Catalog) -> None:
    jar = FakeJar(days(range(1_000)))
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    follower.begin(lambda: files(jar))
    assert glue.writes() == ["CreateTable", *["BatchCreatePartition"] * 10]

    glue.reset()
    jar.write(days(range(1_000), "second"))
    follower.move()
    assert glue.calls == ["GetTable", "GetPartitions", *["BatchUpdatePartition"] * 10]
    assert {len(one["Entries"]) for one in glue.sent[2:]} == {100}
    assert glue.sent[1]["MaxResults"] == 1_000
    assert_at(glue, jar)

    glue.reset()
    follower.move()
    assert glue.calls == ["GetTable", "GetPartitions"]


def test_partitions_are_added_then_changed_then_dropped(glue: Catalog) -> None:
    jar = FakeJar(days(range(130)))
    follower = followed(glue, jar)
    jar.write({**days(range(60, 80)), **days(range(80, 300), "second")})
    follower.move()
    add, change, drop = ("BatchCreatePartition", "BatchUpdatePartition", "BatchDeletePartition")
    assert glue.writes() == [add, add, change, *[drop] * 3]
    sizes = [len(one["PartitionsToDelete"]) for one in glue.sent if "PartitionsToDelete" in one]
    assert sizes == [25, 25, 10]
    assert_at(glue, jar)


def test_a_listing_of_several_pages_is_read_to_its_end(glue: Catalog) -> None:
    jar = FakeJar(days(range(7)))
    follower = followed(glue, jar)
    glue.paged(3)
    jar.write(days(range(7), "second"))
    follower.move()
    assert glue.calls == ["GetTable", *["GetPartitions"] * 3, "BatchUpdatePartition"]
    assert len(glue.sent[-1]["Entries"]) == 7


def test_partitions_with_the_same_columns_share_them_in_memory(glue: Catalog) -> None:
    followed(glue, FakeJar(days(range(3))))
    first, *others = [
        one["StorageDescriptor"] for one in GlueTable(glue.glue, glue.name).partitions()
    ]
    assert first["Columns"]
    assert all(one["Columns"] is first["Columns"] for one in others)


def test_a_process_that_dies_before_any_call_is_made_up_for(glue: Catalog) -> None:
    jar = FakeJar(days(range(150)))
    follower = followed(glue, jar)
    first = jar.folders
    second = {**days(range(20, 150), "second"), **days(range(150, 160))}
    for call in range(6):
        jar.write(second)
        glue.die_before(call)
        with pytest.raises(ProcessDiedError):
            follower.move()
        done = glue.writes()
        assert jar.followed == jar.version - 1
        glue.reset()
        follower.move()
        # What the dead one sent is not sent again.
        assert len(done) + len(glue.writes()) == 4
        assert_at(glue, jar)
        jar.write(first)
        follower.move()
        glue.reset()
    jar.write(second)
    glue.die_before(6)
    follower.move()
    glue.die_before(None)
    assert_at(glue, jar)


def test_a_commit_meanwhile_is_followed_too(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    jar.write(days(range(2), "second"))
    jar.before_moved = [lambda: jar.write(days(range(3), "third"))]
    answer = follower.move()
    assert answer["followers"][0]["behind"] == 0
    assert_at(glue, jar)


def test_a_slow_process_puts_right_what_it_moved_back(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    slow, fast = followed(glue, jar), GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    jar.write(days(range(2), "second"))

    def overtaken(_: Any) -> None:
        end()
        jar.write(days(range(1, 4), "third"))
        fast.move()

    # Between its look at the catalog and its calls.
    end = glue.answer("GetPartitions", overtaken)
    slow.move()
    assert_at(glue, jar)


def test_a_slow_process_that_glue_refuses_puts_right_what_it_moved_back(glue: Catalog) -> None:
    jar = FakeJar(days(range(150)))
    slow, fast = followed(glue, jar), GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    jar.write(days(range(150), "second"))

    def overtaken(_: Any) -> None:
        end()
        jar.write(days(range(150), "third"))
        fast.move()
        # The head has the version of the fast one. The slow one moves 150 back, and fails.
        calls = [*glue.calls, "BatchUpdatePartition", "BatchUpdatePartition"]
        ending.append(glue.answer("BatchUpdatePartition", lambda one: refuse(one, len(calls))))

    def refuse(parsed: Any, call: int) -> None:
        if len(glue.calls) == call:
            ending.pop()()
            detail = {"ErrorCode": "InternalServiceException", "ErrorMessage": "try later"}
            parsed["Errors"] = [{"PartitionValueList": ["7"], "ErrorDetail": detail}]

    ending: list[Callable[[], None]] = []
    end = glue.answer("GetPartitions", overtaken)
    slow.move()
    assert_at(glue, jar)


def test_versions_that_come_faster_than_calls_leave_the_table_behind(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    jar.before_moved = [lambda: jar.write(jar.folders)] * 10
    assert follower.move()["followers"][0]["behind"] == 1
    follower.move()
    assert_at(glue, jar)


def test_calls_that_others_overtake_again_and_again_are_an_error(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    jar.write(days(range(2), "second"))

    def overtaken(parsed: Any) -> None:
        parsed["Errors"] = [{"ErrorDetail": {"ErrorCode": "EntityNotFoundException"}}]
        jar.write(days(range(2), f"version{jar.version}"))

    glue.answer("BatchUpdatePartition", overtaken)
    with pytest.raises(RepaveError, match="Other processes change"):
        follower.move()


def test_a_partition_that_is_listed_twice_is_not_dropped(glue: Catalog) -> None:
    jar = FakeJar(days(range(3)))
    follower = followed(glue, jar)
    jar.write(days(range(3), "second"))
    glue.answer("GetPartitions", lambda parsed: parsed["Partitions"].extend(parsed["Partitions"]))
    follower.move()
    assert "BatchDeletePartition" not in glue.calls
    assert_at(glue, jar)


def test_a_follower_that_has_stopped_does_not_keep_glue_back(
    glue: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = FakeJar(days(range(2)))
    followed(glue, jar)
    jar.write(days(range(2), "second"))

    def ask(command: str, *words: Any) -> Any:
        if command == "sync":
            message = "The Delta log cannot be written."
            raise RepaveError(message)
        if command == "status":
            return {"followers": [{"follower": "delta"}, {"follower": "glue", "name": glue.name}]}
        return jar(command, *words)

    monkeypatch.setattr("repave._glue_follower.glue_client", lambda _: glue.glue)
    with pytest.raises(RepaveError, match="The Delta log"):
        sync_all(TABLE, ask)
    assert_at(glue, jar)


def test_a_partition_that_another_process_adds_first_is_compared_again(glue: Catalog) -> None:
    jar = FakeJar(days(range(1)))
    follower = followed(glue, jar)
    jar.write(days(range(2), "second"))

    def added(_: Any) -> None:
        end()
        storage = {**glue.table()["StorageDescriptor"], "Location": f"{ROOT}/day=1/@older"}
        glue.glue.create_partition(
            DatabaseName=glue.database,
            TableName="sales",
            PartitionInput={"Values": ["1"], "StorageDescriptor": storage},
        )

    end = glue.answer("GetPartitions", added)
    follower.move()
    assert_at(glue, jar)


def test_what_others_set_of_a_partition_stays(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    mine = [{"Name": "id", "Type": "string"}]
    storage = glue.partitions()["1",]["StorageDescriptor"]
    glue.glue.update_partition(
        DatabaseName=glue.database,
        TableName="sales",
        PartitionValueList=["1"],
        PartitionInput={
            "Values": ["1"],
            "Parameters": {"owner": "me"},
            "StorageDescriptor": {**storage, "Columns": mine},
        },
    )
    jar.write(days(range(2), "second"))
    follower.move()
    one = glue.partitions()["1",]
    assert one["Parameters"] == {"owner": "me"}
    assert one["StorageDescriptor"]["Columns"] == mine
    assert_at(glue, jar)


def test_a_table_without_partitions_moves_by_one_call(glue: Catalog) -> None:
    jar = FakeJar({"": ""})
    follower = followed(glue, jar)
    assert glue.table()["StorageDescriptor"]["Location"] == ROOT
    for folder in ("@second", "@third"):
        glue.reset()
        jar.write({"": folder})
        before = glue.table()
        glue.reset()
        follower.move()
        assert glue.calls == ["GetTable", "UpdateTable"]
        assert glue.sent[1]["SkipArchive"] is True
        assert glue.sent[1]["VersionId"] == before["VersionId"]
        moved = glue.table()
        assert moved["StorageDescriptor"]["Location"] == f"{ROOT}/{folder}"
        assert moved["Parameters"] == before["Parameters"]
    glue.reset()
    follower.move()
    assert glue.writes() == []
    # The table's own folder has replaced files.
    jar.write({})
    follower.move()
    assert glue.table()["StorageDescriptor"]["Location"] == f"{ROOT}/@empty"


def test_a_table_that_another_process_changes_is_looked_at_again(glue: Catalog) -> None:
    jar = FakeJar({"": ""})
    follower = followed(glue, jar)
    jar.write({"": "@second"})

    def changed(**_: Any) -> Any:
        glue.glue.meta.events.unregister("before-call.glue.UpdateTable", changed)
        error = glue.glue.exceptions.ConcurrentModificationException
        raise error({"Error": {"Code": "ConcurrentModificationException"}}, "UpdateTable")

    glue.glue.meta.events.register("before-call.glue.UpdateTable", changed)
    follower.move()
    # The call that was overtaken never left.
    assert glue.calls == ["GetTable", "GetTable", "UpdateTable"]
    assert glue.table()["StorageDescriptor"]["Location"] == f"{ROOT}/@second"


def test_a_rollback_into_plain_folders_is_warned_of(glue: Catalog) -> None:
    """Athena would list the folders of commits inside them too."""
    jar = FakeJar(days(range(13)))
    follower = followed(glue, jar)
    jar.write({**days(range(11), "second"), **days(range(11, 12))})
    follower.move()
    assert jar.warned == []
    jar.write(days(range(13)))
    follower.move()
    (warning,) = jar.warned
    assert "has put 12 partitions of" in warning
    assert "Overwrite these partitions" in warning
    assert warning.count(", ") > 8
    assert " and 2 more" in warning
    assert_at(glue, jar)


def test_a_rollback_of_a_table_without_partitions_is_warned_of(glue: Catalog) -> None:
    jar = FakeJar({"": ""})
    follower = followed(glue, jar)
    jar.write({"": "@second"})
    follower.move()
    assert jar.warned == []
    jar.write({"": ""})
    follower.move()
    assert "the table's own folder" in jar.warned[0]


def test_a_failure_of_any_kind_does_not_keep_glue_back(
    glue: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hive's exceptions are none of ours."""
    jar = FakeJar(days(range(2)))
    followed(glue, jar)
    jar.write(days(range(2), "second"))

    def ask(command: str, *words: Any) -> Any:
        if command == "sync":
            raise ZeroDivisionError
        if command == "status":
            return {"followers": [{"follower": "glue", "name": glue.name}]}
        return jar(command, *words)

    monkeypatch.setattr("repave._glue_follower.glue_client", lambda _: glue.glue)
    with pytest.raises(ZeroDivisionError):
        sync_all(TABLE, ask)
    assert_at(glue, jar)
