"""A driver dies between the publication and Spark's update of the catalog; recover adds the rest.

The metastore is on disk, and a driver of its own uses it: one JVM at a time can open it.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import repave
from e2e.deaths import head_of, kill_driver_at
from e2e.driver import RECOVERED, driver
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import CatalogUpdate, RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest
NAME = "by_name"
# The first: published, old files are still there. The second: the head is swapped for the third
# time (Reserve, Publish, Finish), and the driver does not learn it, so Spark does not go on.
MOMENTS: dict[str, Callable[[TableFolder], Fault]] = {
    "unfinished": lambda _: Fault("hang", op="DeleteObjects", nth=1),
    "finished": lambda table: Fault("hang_after", op="PutObject", key=head_of(table), nth=3),
}


def metastore(folder: Path) -> dict[str, str]:
    url = f"jdbc:derby:;databaseName={folder / 'metastore'};create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": url,
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
    }


def create(location: str, name: str = NAME) -> str:
    return (
        f"CREATE TABLE {name} (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{location}'"
    )


def ran(table: TableFolder, folder: Path, *, code: int = 0, **work: Any) -> str:  # noqa: ANN401 - JSON
    """Run a driver to its end; return what it printed."""
    conf = {**metastore(folder), **work.pop("conf", {})}
    task = {"endpoint": table.lake.proxy.endpoint, "conf": conf, **work}
    with driver(folder, task) as child:
        ended = child.wait(300)
    log = (folder / "driver.log").read_text()
    assert ended == code, log[-4000:]
    return log


def recovered(log: str) -> dict[str, Any]:
    """Return the answer of a driver that recovered a table."""
    (line,) = [line for line in log.splitlines() if line.startswith(RECOVERED)]
    answer: dict[str, Any] = json.loads(line.removeprefix(RECOVERED))
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_recover_shows_by_name_what_a_dead_driver_published(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, moment: str
) -> None:
    sales(spark, [0, 1], "old").write.partitionBy("day").parquet(table.url)
    insert = (
        f"INSERT OVERWRITE TABLE {NAME} SELECT CAST(day * 100 + n AS BIGINT), 'new', day"
        " FROM (SELECT explode(array(1, 2, 3)) AS day) CROSS JOIN (SELECT explode(array(0, 1)) n)"
    )
    statements = [create(table.url), f"MSCK REPAIR TABLE {NAME}", insert]
    fault = MOMENTS[moment](table)
    kill_driver_at(table, tmp_path, fault, conf=metastore(tmp_path), statements=statements)
    assert bool(table.head()["active"]) is (moment == "unfinished")

    answer = recovered(ran(table, tmp_path, recover=table.url, name=NAME))
    assert answer["before"] == [0, 1], "the catalog does not know the new days"
    assert answer["after"] == {"0": "old", "1": "new", "2": "new", "3": "new"}
    assert answer["found"]["catalog"] == [{"name": f"default.{NAME}", "partitions": 2}]
    assert answer["found"]["notes"] == []
    assert len(answer["found"]["commits"]) == (moment == "unfinished")
    assert notes(spark.read.parquet(table.url)) == {0: "old", 1: "new", 2: "new", 3: "new"}
    table.assert_settled()


@pytest.fixture
def unknown(spark: "SparkSession", table: TableFolder) -> Iterator[RepaveTable]:
    """A table of two names, whose newest commit the catalog has missed."""
    sales(spark, [1], "old").write.partitionBy("day").parquet(table.url)
    place = table.url.removeprefix("s3a://")
    spark.sql(create(f"s3a://{place}"))
    spark.sql(create(f"repave://{place}", "by_another"))
    spark.sql(f"MSCK REPAIR TABLE {NAME}")
    sales(spark, [2, 3], "new").write.mode("append").partitionBy("day").parquet(table.url)
    yield RepaveTable.for_path(spark, table.url)
    for name in (NAME, "by_another"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")


def days(spark: "SparkSession", name: str) -> set[str]:
    return {row.partition for row in spark.sql(f"SHOW PARTITIONS {name}").collect()}


def test_every_name_of_the_current_database_is_found_and_told_once(
    spark: "SparkSession", unknown: RepaveTable
) -> None:
    found = unknown.recover()
    assert set(found.catalog) == {
        CatalogUpdate(f"default.{NAME}", 2),
        CatalogUpdate("default.by_another", 2),
    }
    assert days(spark, NAME) == {"day=1", "day=2", "day=3"}
    assert days(spark, "by_another") == {"day=2", "day=3"}
    assert notes(spark.table("by_another")) == {2: "new", 3: "new"}
    assert unknown.recover().catalog == ()


def test_a_value_that_spark_would_replace_in_sql_is_added_as_it_is(
    spark: "SparkSession", table: TableFolder
) -> None:
    rows = [("1", "${env:HOME}")]
    spark.createDataFrame(rows, "id string, p string").write.partitionBy("p").parquet(table.url)
    spark.sql(
        f"CREATE TABLE {NAME} (id STRING, p STRING) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{table.url}'"
    )
    try:
        assert RepaveTable.for_path(spark, table.url).recover().catalog
        assert [tuple(row) for row in spark.table(NAME).collect()] == rows
    finally:
        spark.sql(f"DROP TABLE {NAME}")


def test_names_may_be_given_and_none_at_all(spark: "SparkSession", unknown: RepaveTable) -> None:
    assert unknown.recover(tables=()).catalog == ()
    assert days(spark, NAME) == {"day=1"}
    found = unknown.recover(tables=[f"default.{NAME}"])
    assert found.catalog == (CatalogUpdate(f"default.{NAME}", 2),)
    assert days(spark, "by_another") == set()


def test_a_name_of_another_table_is_refused(spark: "SparkSession", unknown: RepaveTable) -> None:
    with pytest.raises(repave.UsageError, match="does not know nobody"):
        unknown.recover(tables=["nobody"])
    spark.sql("CREATE TABLE elsewhere (id INT, day INT) USING parquet PARTITIONED BY (day)")
    try:
        with pytest.raises(repave.UsageError, match="elsewhere is not a table at s3a://"):
            unknown.recover(tables=["elsewhere"])
    finally:
        spark.sql("DROP TABLE elsewhere")


def test_beyond_the_limit_of_names_a_note_says_so(
    spark: "SparkSession", unknown: RepaveTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repave._catalog.NAMES_MAX", 1)
    (note,) = unknown.recover().notes
    assert "only the first 1 were searched" in note
    assert "recover(tables=['default.…'])" in note


def test_a_table_with_other_partitions_gets_a_note(
    spark: "SparkSession", table: TableFolder, unknown: RepaveTable
) -> None:
    spark.sql(
        "CREATE TABLE by_hour (id BIGINT, hour INT) USING parquet PARTITIONED BY (hour)"
        f" LOCATION '{table.url}'"
    )
    try:
        found = unknown.recover()
    finally:
        spark.sql("DROP TABLE by_hour")
    assert len(found.catalog) == 2
    (note,) = found.notes
    assert "default.by_hour: it is partitioned by hour, the files are not" in note
