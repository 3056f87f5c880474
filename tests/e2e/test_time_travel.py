"""A version is found by the moment at which it was the newest."""

import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import repave
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from e2e.test_plans_left_to_spark import settings
from repave import RepaveTable, UsageError
from repave.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest

OPTIONS = {"repave.readers": "snapshot", "partitionOverwriteMode": "dynamic"}


@pytest.fixture
def moments(spark: "SparkSession", table: TableFolder) -> list[datetime]:
    """Write three notes, and return a moment after each."""
    found = []
    for note in ("first", "second", "third"):
        frame = sales(spark, [1, 2], note)
        frame.write.mode("overwrite").options(**OPTIONS).partitionBy("day").parquet(table.url)
        found.append(datetime.now(timezone.utc))
        time.sleep(0.05)
    return found


def test_a_moment_is_read_by_python_sql_and_paths(
    spark: "SparkSession", table: TableFolder, moments: list[datetime]
) -> None:
    opened = RepaveTable.for_path(spark, table.url)
    path = table.url.replace("s3a://", "repave://")
    for moment, note in zip(moments, ("first", "second", "third"), strict=True):
        expected = {1: note, 2: note}
        assert notes(opened.to_df(as_of=moment)) == expected
        pinned = f"{path}/@{moment.isoformat()}"
        assert notes(spark.read.parquet(pinned)) == expected
        assert notes(spark.sql(f"SELECT * FROM parquet.`{pinned}`")) == expected
        version = opened.version_at(moment)
        assert opened.manifest(as_of=moment) == opened.manifest(version)
        assert opened.files(as_of=moment.isoformat()) == opened.files(version)
    # Folders of a query name the version, not the moment.
    files = spark.read.parquet(f"{path}/@{moments[0].isoformat()}").inputFiles()
    pinned = f"/@v{opened.version_at(moments[0])}-"
    assert [file for file in files if pinned not in file] == []


def test_a_moment_before_the_first_version_is_refused(
    spark: "SparkSession", table: TableFolder, moments: list[datetime]
) -> None:
    opened = RepaveTable.for_path(spark, table.url)
    before = moments[0] - timedelta(days=1)
    with pytest.raises(UsageError, match=r"had no version yet at .*version 1 was published at"):
        opened.to_df(as_of=before)
    with pytest.raises(UsageError, match="not both"):
        opened.files(1, as_of=before)
    path = table.url.replace("s3a://", "repave://")
    with pytest.raises(Exception, match="had no version yet at"):
        spark.read.parquet(f"{path}/@{before.date()}")
    with pytest.raises(Exception, match="versions never change"):
        sales(spark, [1], "late").write.mode("append").options(**OPTIONS).parquet(
            f"{path}/@{moments[0].isoformat()}"
        )


@pytest.mark.parametrize("planned", ["true", "false"])
def test_a_version_that_vacuum_removed_fails_and_never_shows_no_rows(
    spark: "SparkSession", table: TableFolder, moments: list[datetime], planned: str
) -> None:
    """Spark takes a partition of a name whose folder is not found for one without rows."""
    opened = RepaveTable.for_path(spark, table.url)
    removed = opened.version_at(moments[0])
    place = f"{table.url.replace('s3a://', 'repave://')}/@v{removed}"
    spark.conf.set("repave.plan.from.records", planned)
    spark.sql(
        "CREATE TABLE removed_sales (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{place}'"
    )
    try:
        spark.sql("ALTER TABLE removed_sales ADD PARTITION (day = 1) PARTITION (day = 2)")
        assert notes(spark.table("removed_sales")) == {1: "first", 2: "first"}
        assert opened.vacuum(retention="0s").oldest_version > removed
        restart_reader(spark)
        error = f"not version {removed}. Vacuum removes"
        for query in ("SELECT * FROM removed_sales", "SELECT * FROM removed_sales WHERE day = 1"):
            with pytest.raises(Exception, match=error):
                spark.sql(query).collect()
        for path in (place, f"{place}/day=1"):
            with pytest.raises(Exception, match=error):
                spark.read.schema("id BIGINT, note STRING").parquet(path).collect()
    finally:
        spark.sql("DROP TABLE removed_sales")
        spark.conf.unset("repave.plan.from.records")


def test_a_version_that_vacuum_removed_fails_although_this_session_has_read_it(
    spark: "SparkSession", table: TableFolder, moments: list[datetime]
) -> None:
    opened = RepaveTable.for_path(spark, table.url)
    removed = opened.version_at(moments[0])
    place = f"{table.url.replace('s3a://', 'repave://')}/@v{removed}"
    spark.sql(
        "CREATE TABLE removed_sales (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{place}'"
    )
    spark.sql("ALTER TABLE removed_sales ADD PARTITION (day = 1) PARTITION (day = 2)")
    reads: dict[str, Callable[[], DataFrame]] = {
        "path": lambda: spark.read.parquet(place),
        "schema": lambda: spark.read.schema("id BIGINT, note STRING").parquet(place),
        "option": lambda: spark.read.option("mergeSchema", "true").parquet(place),
        "partition": lambda: spark.read.parquet(f"{place}/day=1"),
        "pattern": lambda: spark.read.parquet(f"{place}/day=*"),
        "name": lambda: spark.table("removed_sales"),
    }
    try:
        for read in reads.values():
            assert {row.note for row in read().collect()} == {"first"}
        assert opened.vacuum(retention="0s").oldest_version > removed
        spark.catalog.refreshTable("removed_sales")
        for read in reads.values():
            with pytest.raises(Exception, match=f"not version {removed}. Vacuum removes"):
                read().collect()
    finally:
        spark.sql("DROP TABLE removed_sales")


def restart_reader(spark: "SparkSession") -> None:
    """Forget the versions that this JVM has read, as a driver that starts anew has none."""
    spark.catalog.refreshTable("removed_sales")
    jvm: Any = spark._jvm
    cache = jvm.io.repave.hadoop.read.VersionCache.JVM
    kept = cache.getClass().getDeclaredField("kept")
    kept.setAccessible(True)
    kept.get(cache).clear()


def test_the_command_line_and_python_without_spark_find_the_same_version(
    spark: "SparkSession",
    table: TableFolder,
    moments: list[datetime],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "repave-lab")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "repave-lab-secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    opened = RepaveTable.for_path(spark, table.url)
    uri = table.url.replace("s3a://", "s3://")
    endpoint = table.lake.proxy.endpoint
    for moment in moments:
        version = opened.version_at(moment)
        table.lake.proxy.reset()
        assert repave.snapshot(uri, as_of=moment, endpoint_url=endpoint).version == version
        assert table.counts()["HeadObject"] == 0
        line = ["manifest", uri, "--endpoint-url", endpoint, "--as-of", moment.isoformat()]
        done = CliRunner().invoke(main, line)
        assert done.exit_code == 0, done.output
        assert f"Version {version}, dynamic" in done.output


def test_a_moment_of_a_table_without_partitions_has_its_rows(
    spark: "SparkSession", table: TableFolder
) -> None:
    sales(spark, [1], "first").write.mode("overwrite").options(**OPTIONS).parquet(table.url)
    moment = datetime.now(timezone.utc)
    sales(spark, [1, 2], "second").write.mode("overwrite").options(**OPTIONS).parquet(table.url)
    path = table.url.replace("s3a://", "repave://")
    assert notes(spark.read.parquet(f"{path}/@{moment.isoformat()}")) == {1: "first"}


@pytest.mark.parametrize("sources", ["parquet", ""])
@pytest.mark.usefixtures("moments")
def test_an_option_that_would_not_choose_a_version_is_refused(
    spark: "SparkSession", table: TableFolder, sources: str
) -> None:
    """Spark passes over options that a format does not know."""
    path = table.url.replace("s3a://", "repave://")
    with settings(spark, {"spark.sql.sources.useV1SourceList": sources}):
        for option, value in (("versionAsOf", 2), ("timestampasof", "2026-11-20")):
            with pytest.raises(Exception, match="Name the version in the path"):
                spark.read.option(option, value).parquet(path)
    assert spark.read.option("versionAsOf", 2).parquet(table.url).columns
