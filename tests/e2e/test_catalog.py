"""What a catalog does around a write: tables that failed to appear, repairs, drops, statistics."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.functions import expr, udf

from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

NAME = "catalogued"


@pytest.fixture
def name(spark: "SparkSession") -> Iterator[str]:
    yield NAME
    spark.sql(f"DROP TABLE IF EXISTS {NAME}")


@pytest.fixture
def catalogued(spark: "SparkSession", table: TableFolder, name: str) -> str:
    """A table with three days in the catalog."""
    writer = sales(spark, [1, 2, 3], "old").write.partitionBy("day").option("path", table.url)
    writer.saveAsTable(name)
    return name


def shown(spark: "SparkSession", name: str) -> set[str]:
    return {row.partition for row in spark.sql(f"SHOW PARTITIONS {name}").collect()}


def test_a_create_table_as_select_that_failed_can_be_run_again(
    spark: "SparkSession", table: TableFolder, name: str, tmp_path: Path
) -> None:
    mended = tmp_path / "mended"

    def check(note: str) -> str:
        if not mended.exists():
            message = "not yet"
            raise ValueError(message)
        return note

    spark.udf.register("check", udf(check, useArrow=False))
    sales(spark, [1, 2], "new").createOrReplaceTempView("source")
    statement = (
        f"CREATE TABLE {name} USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
        " AS SELECT id, check(note) AS note, day FROM source"
    )
    with pytest.raises(Exception, match="not yet"):
        spark.sql(statement)
    mended.touch()
    # Spark refuses a folder that holds anything at all.
    spark.sql(statement)
    assert notes(spark.table(name)) == {1: "new", 2: "new"}
    table.await_no_uploads()
    table.assert_settled()


def test_repair_finds_partitions_and_nothing_else(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    sales(spark, [1, 2], "old").write.partitionBy("day").parquet(table.url)
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING, day INT) USING parquet"
        f" PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    assert shown(spark, name) == set()
    spark.sql(f"MSCK REPAIR TABLE {name}")
    assert shown(spark, name) == {"day=1", "day=2"}
    assert notes(spark.table(name)) == {1: "old", 2: "old"}


def test_a_partition_that_the_catalog_dropped_is_written_again(
    spark: "SparkSession", table: TableFolder, catalogued: str, dynamic: None
) -> None:
    spark.sql(f"ALTER TABLE {catalogued} DROP PARTITION (day=2)")
    for key in table.data():
        if key.startswith("day=2/"):  # the files go too, as with a managed table
            table.lake.client.delete_object(Bucket=table.lake.bucket, Key=f"{table.name}/{key}")
    sales(spark, [2, 3], "new").write.insertInto(catalogued, overwrite=True)
    assert notes(spark.table(catalogued)) == {1: "old", 2: "new", 3: "new"}
    assert spark.table(catalogued).count() == 6
    assert shown(spark, catalogued) == {"day=1", "day=2", "day=3"}
    table.assert_settled()


def test_a_failure_before_the_job_begins_leaves_the_old_table(
    spark: "SparkSession", table: TableFolder, catalogued: str
) -> None:
    """Spark asks for the old files' deletion first, then runs the shuffles, then begins the job."""
    key = "spark.sql.optimizer.plannedWrite.enabled"
    before = table.data()
    frame = sales(spark, [1, 2], "new").withColumn("note", expr("raise_error('it fails')"))
    frame.groupBy("id", "day").agg({"note": "max"}).createOrReplaceTempView("shuffled")
    spark.conf.set(key, "false")
    try:
        with pytest.raises(Exception, match="it fails"):
            spark.sql(
                f"INSERT OVERWRITE TABLE {catalogued} SELECT id, `max(note)`, day FROM shuffled"
            )
    finally:
        spark.conf.unset(key)
    assert table.data() == before
    assert notes(spark.table(catalogued)) == {1: "old", 2: "old", 3: "old"}
    table.assert_settled()


def test_folders_of_timestamps_follow_the_writes_own_time_zone(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = spark.sql("SELECT 1 AS v, TIMESTAMP'2026-11-21 23:30:00+00:00' AS at")
    for zone, folder in (
        ("UTC", "at=2026-11-21 23%3A30%3A00"),
        ("Asia/Tokyo", "at=2026-11-22 08%3A30%3A00"),
    ):
        writer = frame.write.mode("overwrite").option("timeZone", zone).partitionBy("at")
        writer.parquet(table.url)
        assert list(table.partitions()) == [folder]
    table.assert_settled()


def test_intervals_name_folders(spark: "SparkSession", table: TableFolder) -> None:
    frame = spark.sql("SELECT 1 AS v, INTERVAL '1 02:03:04' DAY TO SECOND AS p")
    for _ in range(2):
        writer = frame.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
        writer.partitionBy("p").parquet(table.url)
    assert list(table.partitions()) == ["p=INTERVAL %271 02%3A03%3A04%27 DAY TO SECOND"]
    found = spark.read.schema("v int, p interval day to second").parquet(table.url)
    assert rows(found) == rows(frame)
    table.assert_settled()


def test_times_of_day_name_folders(spark: "SparkSession", table: TableFolder) -> None:
    if tuple(map(int, spark.version.split(".")[:2])) < (4, 1):
        pytest.skip("the type TIME came with Spark 4.1")
    frame = spark.sql("SELECT 1 AS v, TIME'12:34:56.789' AS p")
    for _ in range(2):
        writer = frame.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
        writer.partitionBy("p").parquet(table.url)
    assert list(table.partitions()) == ["p=12%3A34%3A56.789"]
    found = spark.read.schema("v int, p time(6)").parquet(table.url)
    assert rows(found) == rows(frame)
    table.assert_settled()


def test_sparks_statistics_of_the_write_are_right(
    spark: "SparkSession", table: TableFolder
) -> None:
    frame = sales(spark, range(5), "new")
    frame.write.partitionBy("day").parquet(table.url)
    found = last_metrics(spark)
    sizes = [
        table.lake.client.head_object(Bucket=table.lake.bucket, Key=f"{table.name}/{key}")
        for key in table.data()
    ]
    assert found["number of written files"] == "5"
    assert found["number of output rows"] == "10"
    assert found["number of dynamic part"] == "5"
    total = sum(one["ContentLength"] for one in sizes)
    assert found["written output"].startswith(f"{total / 1024:.1f} KiB")


def last_metrics(spark: Any) -> dict[str, str]:  # noqa: ANN401 - the JVM's side of a session
    """Return what Spark's UI would show about the last write."""
    spark._jsparkSession.sparkContext().listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    last = executions.apply(executions.size() - 1)
    values = store.executionMetrics(last.executionId())
    metrics = last.metrics()
    found: dict[str, str] = {}
    for place in range(metrics.size()):
        metric = metrics.apply(place)
        value = values.get(metric.accumulatorId())
        if value.isDefined():
            found.setdefault(metric.name(), value.get())
    return found
