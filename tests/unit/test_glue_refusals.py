"""What Glue refuses, and which tables of Glue do not follow."""

from typing import Any

import pytest

from repave._errors import RepaveError, UsageError
from repave._glue import GlueTable
from repave._glue_follower import GlueFollower
from repave._records import DataFile
from unit.glue_catalog import Catalog
from unit.glue_following import ROOT, SCHEMA, TABLE, FakeJar, assert_at, days, files, followed

# ruff: noqa: ANN401 - JSON


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


def test_a_table_that_is_there_keeps_its_columns_and_its_scheme(glue: Catalog) -> None:
    glue.existing("s3a://lake/sales/", "Region", "day")
    jar = FakeJar({"day=1/region=a%3Ab": "day=1/region=a%3Ab/@c"})
    followed(glue, jar)
    assert glue.locations() == {"a:b/1": "s3a://lake/sales/day=1/region=a%3Ab/@c"}
    assert glue.table()["StorageDescriptor"]["Columns"] == []


@pytest.mark.parametrize(
    "location",
    [
        "s3://lake/other",
        "s3://lake/sales/_symlink_format_manifest",
        "hdfs://x/y",
        "",
        "repave://lake/sales",
    ],
)
def test_a_table_elsewhere_is_not_taken(glue: Catalog, location: str) -> None:
    glue.existing(location, "day")
    jar = FakeJar(days(range(2)))
    with pytest.raises(UsageError, match="Use another name"):
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
    jar = FakeJar(days(range(2)))
    with pytest.raises(UsageError, match=r"does not have the partition columns.* --rebuild\."):
        followed(glue, jar)
    assert glue.writes() == ["CreateTable"]
    assert jar.name == ""


def test_folders_that_glue_takes_for_one_partition_are_refused(glue: Catalog) -> None:
    jar = FakeJar({"day=1": "day=1", "Day=1": "Day=1"})
    with pytest.raises(RepaveError, match="day=1 and Day=1 are one partition"):
        followed(glue, jar)
    assert (glue.writes(), jar.name) == ([], "")
    jar.write({"day=1": "day=1"})
    follower = followed(glue, jar)
    jar.write({"day=1": "day=1", "Day=1": "Day=1"})
    with pytest.raises(RepaveError, match="day=1 and s3://lake/sales/Day=1 are one partition"):
        follower.move()
    assert glue.writes() == []


def test_a_table_that_was_dropped_is_named_with_what_creates_it(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    glue.glue.delete_table(DatabaseName=glue.database, Name="sales")
    jar.write(days(range(2), "second"))
    with pytest.raises(UsageError, match=f"repave follow {ROOT} --glue {glue.name} --rebuild"):
        follower.move()
    follower.begin(lambda: files(jar), rebuild=True)
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
