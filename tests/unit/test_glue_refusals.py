"""What Glue refuses, and which tables of Glue do not follow."""

from typing import Any

import pytest

from repave._errors import RepaveError, UsageError
from repave._glue import GlueTable
from repave._glue_follower import GlueFollower
from repave._records import DataFile
from repave._snapshot.inference import unescaped
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


@pytest.mark.parametrize(
    ("first", "kind", "later"),
    [
        ("1", "int", "A1"),
        ("1", "int", "1.5"),
        ("1", "int", "3000000000"),
        ("3000000000", "bigint", "1e3"),
        ("1.5", "double", "x"),
        ("2026-11-21", "date", "2026-11-21 10%3A00%3A00"),
        ("2026-11-21", "date", "2026-11"),
        ("2026-11-21 10%3A00%3A00", "timestamp", "20261121"),
    ],
    # The database has the test's name, and a dot ends that.
    ids=lambda one: one.replace(".", "-"),
)
def test_a_value_that_a_column_does_not_hold_is_refused(
    glue: Catalog, first: str, kind: str, later: str
) -> None:
    jar = FakeJar({f"day={first}": f"day={first}"})
    follower = followed(glue, jar)
    assert [key["Type"] for key in glue.table()["PartitionKeys"]] == [kind]
    before = glue.locations()
    jar.write({f"day={one}": f"day={one}/@second" for one in (first, later)})
    message = f"value '{unescaped(later)}' of day .*: the type of its column is {kind}. Nothing"
    with pytest.raises(UsageError, match=message) as refused:
        follower.move()
    assert f"then run: repave follow {ROOT} --glue {glue.name} --rebuild" in str(refused.value)
    assert (glue.writes(), glue.locations(), jar.followed) == ([], before, 1)
    # As the message says.
    glue.glue.delete_table(DatabaseName=glue.database, Name="sales")
    follower.begin(lambda: files(jar), rebuild=True)
    assert jar.followed == jar.version
    assert len(glue.locations()) == 2


def test_a_table_whose_columns_do_not_hold_the_values_is_not_taken(glue: Catalog) -> None:
    glue.key_type = "int"
    glue.existing(ROOT, "day")
    jar = FakeJar({"day=a": "day=a"})
    with pytest.raises(UsageError, match=r"the type of its column is int\. Nothing"):
        followed(glue, jar)
    assert (glue.writes(), jar.name) == (["CreateTable"], "")


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("bigint", ("1", "007", "-3000000000")),
        ("decimal(20,0)", ("1", "3000000000")),
        ("double", ("1", "1.5", "1e3")),
        ("timestamp", ("2026-11-21", "2026-11-21 10%3A00%3A00.123")),
        ("varchar(9)", ("1", "A1")),
        ("char(9)", ("A1",)),
        ("string", ("1", "2026-11-21", "a%3Ab")),
        ("boolean", ("true",)),
        ("binary", ("A1",)),
    ],
)
def test_a_column_of_a_wider_type_holds_the_values(
    glue: Catalog, kind: str, values: tuple[str, ...]
) -> None:
    glue.key_type = kind
    glue.existing(ROOT, "day")
    every = (*values, "__HIVE_DEFAULT_PARTITION__")
    jar = FakeJar({f"day={value}": f"day={value}" for value in every})
    followed(glue, jar)
    assert len(glue.locations()) == len(every)


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
