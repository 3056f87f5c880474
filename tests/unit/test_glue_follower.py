"""A table of Glue (moto's, on the loopback) follows the locations that the jar tells."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from repave._errors import RepaveError, UsageError
from repave._glue import GlueTable
from repave._glue_follower import GlueFollower
from repave._location import Location
from repave._records import DataFile
from unit import golden
from unit.glue_catalog import Catalog, ProcessDiedError, serving

# ruff: noqa: ANN401 - JSON

ROOT = "s3://lake/sales"
TABLE = Location.of("s3a://lake/sales")
SCHEMA = json.dumps({"fields": [{"name": "id", "type": "long"}, {"name": "at", "type": "date"}]})
Folders = dict[str, str]


class FakeJar:
    """The table's side: each write of `folders` is a version."""

    def __init__(self, folders: Folders) -> None:
        self.version = 0
        self.followed = 0
        self.name = ""
        self.before_moved: list[Callable[[], None]] = []
        self.write(folders)

    def write(self, folders: Folders) -> None:
        self.version += 1
        self.folders = folders

    def __call__(self, command: str, *words: Any) -> Any:
        assert words[0] == "glue"
        if command == "locations":
            document = {
                "version": self.version,
                "partitions": [
                    {"partition": partition, "folder": folder}
                    for partition, folder in self.folders.items()
                ],
            }
            golden.validator("documents", "locations").validate(document)
            return document
        if command == "follow":
            self.name = words[1]
        else:
            assert command == "moved"
            assert words[1] == self.name
            if self.before_moved:
                self.before_moved.pop(0)()
            self.followed = max(self.followed, words[2])
        one = {"follower": "glue", "name": self.name, "version": self.followed}
        behind = self.version - self.followed
        return {"version": self.version, "followers": [{**one, "behind": behind}]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def glue(url: str, request: pytest.FixtureRequest) -> Catalog:
    """A catalog whose database has the test's name."""
    return Catalog(url, request.node.name)


def days(numbers: range, commit: str = "") -> Folders:
    return {f"day={day}": f"day={day}/@{commit}" if commit else f"day={day}" for day in numbers}


def files(jar: FakeJar) -> tuple[DataFile, ...]:
    return tuple(
        DataFile(partition, "part-0.c000.snappy.parquet", 1, None, SCHEMA)
        for partition in jar.folders
    )


def followed(glue: Catalog, jar: FakeJar) -> GlueFollower:
    """Let the catalog follow, and count its calls from then on."""
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    follower.begin(lambda: files(jar))
    glue.reset()
    return follower


def assert_at(glue: Catalog, jar: FakeJar) -> None:
    expected = {
        partition.partition("=")[2]: f"{ROOT}/{folder}" for partition, folder in jar.folders.items()
    }
    assert glue.locations() == expected
    assert jar.followed == jar.version


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


def test_versions_that_come_faster_than_calls_are_an_error(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    jar.before_moved = [lambda: jar.write(jar.folders)] * 10
    with pytest.raises(RepaveError, match="Other processes change"):
        follower.move()
    follower.move()
    assert_at(glue, jar)


def test_what_glue_refuses_is_named_and_the_rest_is_done(glue: Catalog) -> None:
    jar = FakeJar(days(range(200)))
    follower = followed(glue, jar)
    jar.write(days(range(150), "second"))

    def refuse(parsed: dict[str, Any]) -> None:
        detail = {"ErrorCode": "InternalServiceException", "ErrorMessage": "try later"}
        parsed["Errors"] = [{"PartitionValueList": ["7"], "ErrorDetail": detail}]

    end = glue.answer("BatchUpdatePartition", refuse)
    with pytest.raises(RepaveError, match="refused 2 of 150 partitions") as refused:
        follower.move()
    assert "7 (InternalServiceException: try later)" in str(refused.value)
    assert "Run it again" in str(refused.value)
    # Nothing is dropped before everything has changed, and the head is not told.
    assert len(glue.locations()) == 200
    assert jar.followed == jar.version - 1
    end()
    follower.move()
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


def test_a_table_that_is_there_keeps_its_columns_and_its_scheme(glue: Catalog) -> None:
    glue.existing("s3a://lake/sales/", "Region", "day")
    jar = FakeJar({"day=1/region=a%3Ab": "day=1/region=a%3Ab/@c"})
    followed(glue, jar)
    assert glue.locations() == {"a:b/1": "s3a://lake/sales/day=1/region=a%3Ab/@c"}
    assert glue.table()["StorageDescriptor"]["Columns"] == []


@pytest.mark.parametrize(
    "location", ["s3://lake/other", "s3://lake/sales/_symlink_format_manifest", "hdfs://x/y", ""]
)
def test_a_table_elsewhere_is_not_taken(glue: Catalog, location: str) -> None:
    glue.existing(location, "day")
    jar = FakeJar(days(range(2)))
    with pytest.raises(UsageError, match="Take another name"):
        followed(glue, jar)
    assert jar.name == ""
    assert glue.writes() == ["CreateTable"]


def test_a_table_whose_locations_athena_does_not_read_is_not_taken(glue: Catalog) -> None:
    glue.existing(ROOT, "day", **{"projection.enabled": "TRUE"})
    with pytest.raises(UsageError, match=r"Remove the table's property projection\.enabled"):
        followed(glue, FakeJar(days(range(2))))


@pytest.mark.parametrize("keys", [("day", "hour"), ("hour",), ()])
def test_other_partition_columns_are_refused(glue: Catalog, keys: tuple[str, ...]) -> None:
    glue.existing(ROOT, *keys)
    with pytest.raises(UsageError, match="does not have the partition columns"):
        followed(glue, FakeJar(days(range(2))))
    assert glue.writes() == ["CreateTable"]


def test_folders_that_glue_takes_for_one_partition_are_refused(glue: Catalog) -> None:
    glue.existing(ROOT, "day")
    with pytest.raises(RepaveError, match="day=1 and s3://lake/sales/Day=1 are one partition"):
        followed(glue, FakeJar({"day=1": "day=1", "Day=1": "Day=1"}))
    assert glue.locations() == {}


def test_a_table_that_was_dropped_is_named_with_what_creates_it(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    glue.glue.delete_table(DatabaseName=glue.database, Name="sales")
    jar.write(days(range(2), "second"))
    with pytest.raises(UsageError, match=f"repave follow {ROOT} --glue {glue.name}"):
        follower.move()
    follower.begin(lambda: files(jar))
    assert_at(glue, jar)


def test_what_cannot_be_created_says_how_to_make_it(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    nowhere = GlueFollower(GlueTable(glue.glue, "nowhere.sales"), TABLE, jar)
    with pytest.raises(UsageError, match="aws glue create-database --database-input Name=nowhere"):
        nowhere.begin(lambda: files(jar))
    own = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    for name in ("part-0.avro", "part-0.csv"):
        unknown = (DataFile("day=1", name, 1, None, SCHEMA if name.endswith("avro") else None),)
        with pytest.raises(UsageError, match=f"Create {glue.name} in Glue at {ROOT}, then run"):
            own.begin(lambda: unknown)  # noqa: B023 - it is called at once
    assert jar.name == ""
    assert glue.writes() == []
    with pytest.raises(UsageError, match=r"DATABASE\.TABLE"):
        GlueTable(glue.glue, "sales")


def test_a_catalog_that_does_not_answer_is_no_refusal(glue: Catalog) -> None:
    glue.glue.meta.events.register("before-call.glue.GetTable", unreachable)
    with pytest.raises(RepaveError, match="did not answer"):
        GlueTable(glue.glue, glue.name).found()


def unreachable(**_: Any) -> None:
    from botocore.exceptions import ReadTimeoutError  # noqa: PLC0415

    raise ReadTimeoutError(endpoint_url="http://127.0.0.1")
