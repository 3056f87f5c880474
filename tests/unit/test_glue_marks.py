"""The table of Glue that follows is marked: two regions may have one of the same name."""

import re
from typing import Any

import pytest

from repave._errors import RepaveError, UsageError
from repave._glue import GlueTable
from repave._glue_entries import mark_of
from repave._glue_follower import GlueFollower
from unit.glue_catalog import Catalog
from unit.glue_following import ROOT, TABLE, FakeJar, assert_at, days, files, followed

PROVIDER = {"spark.sql.sources.provider": "parquet"}
BY_CATALOG = {**PROVIDER, "spark.sql.partitionProvider": "catalog"}


def unmark(glue: Catalog, mark: str | None = None) -> None:
    """Make the table one that another region has, or that followed before there were marks."""
    found = glue.table()
    parameters = {**found["Parameters"], **({"repave.follower": mark} if mark else {})}
    if not mark:
        del parameters["repave.follower"]
    kept = {key: found[key] for key in ("Name", "PartitionKeys", "StorageDescriptor", "TableType")}
    glue.glue.update_table(
        DatabaseName=glue.database, TableInput={**kept, "Parameters": parameters}
    )
    glue.reset()


def test_a_new_table_is_marked_by_the_call_that_creates_it(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar).begin(lambda: files(jar))
    assert glue.writes() == ["CreateTable", "BatchCreatePartition"]
    assert glue.table()["Parameters"]["repave.follower"] == jar.id


def test_a_table_that_is_there_is_marked_when_following_begins(glue: Catalog) -> None:
    glue.existing(ROOT, "day", owner="me")
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    assert glue.table()["Parameters"] == {"owner": "me", "repave.follower": jar.id}
    jar.write(days(range(2), "second"))
    follower.move()
    assert glue.writes() == ["BatchUpdatePartition"]
    assert_at(glue, jar)


@pytest.mark.parametrize("mark", [None, "other"])
def test_a_table_of_another_region_is_not_moved(glue: Catalog, mark: str | None) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    unmark(glue, mark)
    jar.write(days(range(2), "second"))
    before = glue.locations()
    problem = f"its property repave.follower is {mark or 'absent'}, and the one that follows has f1"
    with pytest.raises(UsageError, match=re.escape(problem)):
        follower.move()
    command = re.escape(f"repave follow {ROOT} --glue {glue.name} --rebuild")
    with pytest.raises(UsageError, match=command):
        follower.begin(lambda: files(jar))
    assert glue.writes() == []
    assert (glue.locations(), jar.followed) == (before, 1)

    follower.begin(lambda: files(jar), rebuild=True)
    assert glue.table()["Parameters"]["repave.follower"] == "f1-again"
    assert_at(glue, jar)


def test_a_region_without_the_table_is_not_filled_by_a_second_follow(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    followed(glue, jar)
    glue.glue.delete_table(DatabaseName=glue.database, Name="sales")
    glue.reset()
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    with pytest.raises(UsageError, match="follows in one account and region"):
        follower.begin(lambda: files(jar))
    assert glue.writes() == []


def test_a_table_that_another_region_takes_over_is_not_marked_again(glue: Catalog) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    jar.write(days(range(2), "second"))

    def taken() -> None:
        jar("refollow", "glue", glue.name)
        jar.write(days(range(2), "third"))

    jar.before_moved = [taken]
    with pytest.raises(RepaveError, match="perhaps in another region"):
        follower.move()
    assert glue.table()["Parameters"]["repave.follower"] == "f1"
    assert (jar.followed, jar.begins) == (1, True)


@pytest.mark.parametrize("rebuild", [False, True])
def test_a_managed_table_is_refused_before_anything_follows(
    glue: Catalog, *, rebuild: bool
) -> None:
    """`DROP TABLE` in Spark or Hive would delete the folder with every version."""
    glue.existing(ROOT, "day", kind="MANAGED_TABLE")
    glue.reset()
    jar = FakeJar(days(range(2)))
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    with pytest.raises(UsageError, match=r"managed table: DROP TABLE .* EXTERNAL_TABLE first"):
        follower.begin(lambda: files(jar), rebuild=rebuild)
    assert (glue.writes(), jar.name) == ([], "")


def test_a_table_that_hive_purges_is_refused_before_anything_follows(glue: Catalog) -> None:
    """Hive 4 drops such an external table like a managed one."""
    glue.existing(ROOT, "day", **{"external.table.purge": "TRUE"})
    glue.reset()
    jar = FakeJar(days(range(2)))
    follower = GlueFollower(GlueTable(glue.glue, glue.name), TABLE, jar)
    with pytest.raises(UsageError, match=r"DROP TABLE .* external.table.purge to false"):
        follower.begin(lambda: files(jar))
    assert (glue.writes(), jar.name) == ([], "")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"TableType": "MANAGED_TABLE"}, "is a managed table: DROP TABLE"),
        ({"Parameters": {"external.table.purge": "true"}}, "external.table.purge: DROP TABLE"),
    ],
    ids=["managed", "purged"],
)
def test_a_table_that_is_dropped_with_its_files_and_follows_already_is_warned_of(
    glue: Catalog, change: dict[str, Any], told: str
) -> None:
    jar = FakeJar(days(range(2)))
    follower = followed(glue, jar)
    found = glue.table()
    names = ("Name", "PartitionKeys", "StorageDescriptor", "Parameters", "TableType")
    kept = {key: found[key] for key in names}
    parameters = {**kept["Parameters"], **change.get("Parameters", {})}
    glue.glue.update_table(
        DatabaseName=glue.database, TableInput={**kept, **change, "Parameters": parameters}
    )
    jar.write(days(range(2), "second"))
    follower.move()
    assert_at(glue, jar)
    assert told in jar.warned[0]


def test_a_takeover_that_fails_half_way_leaves_one_mark(glue: Catalog, glue_url: str) -> None:
    """Otherwise both tables were moved from then on, and the head recorded one version."""
    jar = FakeJar(days(range(2)))
    first = followed(glue, jar)
    other = Catalog(glue_url, f"{glue.database}-other")
    second = GlueFollower(GlueTable(other.glue, other.name), TABLE, jar)
    other.existing(ROOT, "day")
    jar.name = other.name
    end = other.answer("BatchCreatePartition", refused)
    with pytest.raises(RepaveError, match="try later"):
        second.begin(lambda: files(jar), rebuild=True)
    end()
    assert (mark_of(other.table()), jar.begins) == (jar.id, True)
    jar.name = glue.name
    for call in (first.move, first.move):
        with pytest.raises(UsageError, match="is f1, and the one that follows has f1-again"):
            call()
    assert (mark_of(glue.table()), glue.writes(), jar.begins) == ("f1", [], True)

    # A second call completes the takeover, with a mark of its own.
    jar.name = other.name
    second.begin(lambda: files(jar))
    assert mark_of(other.table()) == jar.id == "f1-again-again"
    assert_at(other, jar)


def refused(parsed: dict[str, object]) -> None:
    detail = {"ErrorCode": "InternalServiceException", "ErrorMessage": "try later"}
    parsed["Errors"] = [{"PartitionValues": ["0"], "ErrorDetail": detail}]


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_sparks_path_of_a_table_without_partitions_moves_too(glue: Catalog, scheme: str) -> None:
    path = f"{scheme}://lake/sales"
    glue.serde = {"path": path, "mergeSchema": "true"}
    glue.existing(ROOT, **PROVIDER)
    jar = FakeJar({"": ""})
    follower = followed(glue, jar)
    jar.write({"": "@second"})
    follower.move()
    assert glue.calls == ["GetTable", "UpdateTable"]
    storage = glue.table()["StorageDescriptor"]
    assert storage["Location"] == f"{ROOT}/@second"
    moved = {"path": f"{path}/@second", "mergeSchema": "true"}
    assert storage["SerdeInfo"]["Parameters"] == moved
    glue.reset()
    follower.move()
    assert glue.writes() == []


def test_a_path_that_was_left_behind_is_moved(glue: Catalog) -> None:
    """Earlier versions moved the location only."""
    glue.serde = {"path": ROOT}
    glue.existing(f"{ROOT}/@second", **PROVIDER)
    jar = FakeJar({"": "@second"})
    followed(glue, jar)
    storage = glue.table()["StorageDescriptor"]
    assert storage["SerdeInfo"]["Parameters"]["path"] == f"{ROOT}/@second"


def test_a_table_whose_locations_spark_does_not_read_is_not_taken(glue: Catalog) -> None:
    glue.existing(ROOT, "day", **PROVIDER)
    jar = FakeJar(days(range(2)))
    with pytest.raises(UsageError, match=r"spark\.sql\.partitionProvider is not 'catalog'"):
        followed(glue, jar)
    assert (glue.writes(), jar.name) == (["CreateTable"], "")


@pytest.mark.parametrize("parameters", [BY_CATALOG, {"spark.sql.sources.provider": "hive"}, {}])
def test_a_table_whose_locations_spark_reads_follows(
    glue: Catalog, parameters: dict[str, str]
) -> None:
    glue.existing(ROOT, "day", **parameters)
    jar = FakeJar(days(range(2), "first"))
    followed(glue, jar)
    assert_at(glue, jar)
