"""The order of rows inside files: what keeps it, what Spark loses, and what the jar refuses."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.lake import TableFolder
from repave import RepaveTable, UsageError, ordered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.oldest

# Pages of 50 rows, so that small files have several.
PAGES = {"parquet.page.row.count.limit": "50", "parquet.page.size.row.check.min": "10"}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")


@pytest.fixture(scope="module")
def frame(spark: "SparkSession") -> "DataFrame":
    """Rows in no order: unique ids, 3 days, equal times, nulls, NaN and long texts."""
    columns = (
        "(id * 7919) % 1000 AS id",
        "id % 3 AS day",
        "CAST(id % 3 AS STRING) AS region",
        "CAST(id % 40 AS INT) AS at",
        "IF(id % 4 = 0, NULL, id) AS gap",
        "IF(id % 9 = 0, DOUBLE('NaN'), -id / 7) AS value",
        "CONCAT(REPEAT('é', 50), id % 300) AS text",
    )
    return spark.range(1000).selectExpr(*columns)


@contextmanager
def session_with(spark: "SparkSession", key: str, value: str) -> Iterator[None]:
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.unset(key)


def write(frame: "DataFrame", table: TableFolder, order: str, by: Sequence[str] = ("day",)) -> None:
    writer = frame.write.mode("overwrite").partitionBy(*by).options(**PAGES)
    with repave.typed_errors():
        writer.option("repave.order", order).parquet(table.url)


def proven(spark: "SparkSession", table: TableFolder, order: str) -> repave.OrderReport:
    """Return what the rows say, which must be that all files are in order."""
    opened = RepaveTable.for_path(spark, table.url)
    report = opened.verify_order(order, prove=True, endpoint_url=table.lake.proxy.endpoint)
    assert report.files
    assert {file.state for file in report.files} == {"in order"}, report.files
    return report


def test_ordered_rows_keep_their_order_through_every_setting_of_the_writer(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder
) -> None:
    shapes = {
        "at, id desc": ordered(frame, ["day"], ["at", "id desc"]),
        "gap nulls last, value": ordered(frame, "day", "gap nulls last, value", files=2),
        "value desc": ordered(frame, "day", "value desc", spread="range"),
        "text desc": ordered(frame, "day", "text desc", files=3, spread="range"),
    }
    for order, rows in shapes.items():
        write(rows, table, order)
        proven(spark, table, order)
    files = RepaveTable.for_path(spark, table.url).files()
    assert max(table.partitions().values()) <= 3
    assert {file.ordered for file in files} == {None}  # no index tells long texts apart
    by_region = ordered(frame, "region", "id")
    with session_with(spark, "spark.sql.optimizer.plannedWrite.enabled", "false"):
        write(by_region, table, "id", by=["region"])
        proven(spark, table, "id")
    # Adaptive execution puts small partitions of a shuffle together.
    with session_with(spark, "spark.sql.shuffle.partitions", "11"):
        write(by_region, table, "id", by=["region"])
        proven(spark, table, "id")
        with session_with(spark, "spark.sql.adaptive.enabled", "false"):
            write(by_region, table, "id", by=["region"])
            proven(spark, table, "id")
    assert {file.ordered for file in RepaveTable.for_path(spark, table.url).files()} == {"id"}


def test_nulls_and_empty_texts_of_partition_columns_are_one_sorted_run(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder
) -> None:
    texts = "IF(id % 4 = 0, 'x', IF(id % 4 = 1, '', NULL)) AS r1", "IF(id % 3 = 0, '', NULL) AS r2"
    odd = frame.selectExpr(*texts, "id")
    for by in (["r2"], ["r1", "r2"], ["R1"]):
        write(ordered(odd, by, "id"), table, "id", by=by)
        proven(spark, table, "id")
        assert {file.ordered for file in RepaveTable.for_path(spark, table.url).files()} == {"id"}
        assert max(table.partitions().values()) == 1
        assert spark.read.parquet(table.url).count() == odd.count()
    few = odd.where("id < 40")  # a file has one page, which does not show an order
    write(ordered(few, ["r2"], "id", spread="range", files=1), table, "id", by=["r2"])
    proven(spark, table, "id")


def test_partition_columns_keep_their_place_name_and_blanks(
    spark: "SparkSession", table: TableFolder
) -> None:
    spark.sql("CREATE TABLE blanks (Text STRING COMMENT 'of it', c CHAR(2), id INT) USING parquet")
    try:
        spark.sql("INSERT INTO blanks VALUES ('', '', 2), (NULL, NULL, 1), ('a', 'b', 3)")
        rows = ordered(spark.table("blanks"), ["text", "C"], "id")
        assert rows.columns == ["Text", "c", "id"]
        assert rows.schema["Text"].metadata == {"comment": "of it"}
        write(rows, table, "id", by=["Text", "c"])
    finally:
        spark.sql("DROP TABLE blanks")
    null = "__HIVE_DEFAULT_PARTITION__"
    found = set(table.partitions())
    assert found == {f"Text={null}/c={null}", f"Text={null}/c=  ", "Text=a/c=b "}


def test_the_check_sends_no_request(frame: "DataFrame", table: TableFolder) -> None:
    rows = ordered(frame, "day", "id")
    rows.write.mode("overwrite").partitionBy("day").options(**PAGES).parquet(table.url)
    table.lake.proxy.reset()
    rows.write.mode("overwrite").partitionBy("day").options(**PAGES).parquet(table.url)
    without = table.counts()
    table.lake.proxy.reset()
    write(rows, table, "id")
    assert table.counts() == without


def test_plans_that_lose_the_order_are_refused_before_anything_is_written(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder
) -> None:
    kept = ordered(frame, ["day"], ["id"])
    lost = {
        "only by id": frame.sortWithinPartitions("id"),
        "sorted again": kept.repartition(2),
        "partitions put together": ordered(frame, ["day"], ["id"], files=4).coalesce(1),
        "descending": ordered(frame, ["day"], ["id desc"]),
        "not sorted": frame,
    }
    call = 'repave.ordered(df, partition_by=["day"], order_by=["id"])'
    for name, rows in lost.items():
        with pytest.raises(UsageError) as caught:
            write(rows, table, "id")
        assert call in str(caught.value), name
        assert "DISTRIBUTE BY day SORT BY day, id." in str(caught.value), name
    with pytest.raises(UsageError, match=r"in the order \[day, gap\], and they need"):
        write(ordered(frame, ["day"], ["gap"]), table, "gap nulls last")
    with pytest.raises(UsageError, match="names the partition column day"):
        write(kept, table, "day, id")
    with pytest.raises(UsageError, match="names nothing, which is not a column"):
        write(kept, table, "nothing")
    with pytest.raises(UsageError, match="is not like id, ts desc"):
        write(kept, table, "id upwards")
    key = "spark.sql.maxConcurrentOutputFileWriters"
    with session_with(spark, key, "2"):
        with pytest.raises(UsageError, match=f"while {key} is 2"):
            write(kept, table, "id")
        with pytest.raises(UsageError, match=f"{key} is 2"):
            ordered(frame, ["day"], ["id"])
    with (
        session_with(spark, "spark.sql.optimizer.plannedWrite.enabled", "false"),
        pytest.raises(UsageError, match="delivers the rows"),
    ):
        write(frame.sortWithinPartitions("id"), table, "id")
    assert table.listing() == []
    assert table.open_uploads() == []


def test_plans_that_keep_the_order_are_accepted_however_they_are_written(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder
) -> None:
    literal = frame.drop("day").selectExpr("*", "'2026-11-20' AS day")
    # Spark 3.5.6 sorts the rows by a constant partition column once more, so it is refused rightly.
    constant = [] if spark.version == "3.5.6" else [ordered(literal, ["day"], ["id"])]
    for rows in (
        frame.orderBy("day", "id"),
        *constant,
        frame.where("false"),
        ordered(frame.where("id < 0"), ["day"], ["id"]),
        frame.limit(1),
    ):
        write(rows, table, "id")
        report = repave.verify_order(
            table.url, "id", prove=True, endpoint_url=table.lake.proxy.endpoint
        )
        assert not report.disordered
    write(frame.orderBy("id"), table, "ID", by=())
    proven(spark, table, "id")


def test_sql_and_buckets_are_checked_too(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder
) -> None:
    frame.createOrReplaceTempView("unsorted")
    spark.sql(
        "CREATE TABLE in_order (id BIGINT, day BIGINT) USING parquet PARTITIONED BY (day) "
        f"LOCATION '{table.url}/sql'"
    )
    rows = "SELECT id, day FROM unsorted"
    with session_with(spark, "repave.order", "id"):
        spark.sql(f"INSERT OVERWRITE in_order {rows} DISTRIBUTE BY day SORT BY day, id")
        spark.sql("INSERT INTO in_order PARTITION (day = 7) SELECT id FROM unsorted SORT BY id")
        with pytest.raises(Exception, match="delivers the rows to the files"):
            spark.sql(f"INSERT INTO in_order {rows}")
        bucketed = frame.write.bucketBy(2, "at")
        bucketed.sortBy("id").option("path", f"{table.url}/sorted").saveAsTable("sorted_buckets")
        unsorted = ordered(frame, order_by="id").write.bucketBy(2, "at")
        with pytest.raises(Exception, match="with sortBy for these columns"):
            unsorted.option("path", f"{table.url}/unsorted").saveAsTable("unsorted_buckets")
    for name in ("in_order", "sorted_buckets"):
        spark.sql(f"DROP TABLE {name}")
    for folder in ("sql", "sorted"):
        report = repave.verify_order(
            f"{table.url}/{folder}", "id", prove=True, endpoint_url=table.lake.proxy.endpoint
        )
        assert {file.state for file in report.files} == {"in order"}


@pytest.mark.parametrize("by", [(), ("day",)], ids=["flat", "by-day"])
def test_rows_that_break_the_promise_of_their_plan_fail_the_job_before_its_decision(
    spark: "SparkSession", frame: "DataFrame", table: TableFolder, by: Sequence[str]
) -> None:
    """The table that is read says that its one bucket is sorted, and the file is not."""
    believed = {
        "spark.sql.legacy.bucketedTableScan.outputOrdering": "true",
        "spark.sql.sources.bucketing.autoBucketedScan.enabled": "false",
        # Otherwise Spark sorts by the partition columns before it looks at the scan's order.
        "spark.sql.optimizer.plannedWrite.enabled": "false",
    }
    columns = ", ".join(f"{name} {kind}" for name, kind in frame.dtypes)
    with ExitStack() as settings:
        for key, value in believed.items():
            settings.enter_context(session_with(spark, key, value))
        by_day = frame.coalesce(1).sortWithinPartitions("day")
        by_day.write.bucketBy(1, "at").saveAsTable("disordered")
        settings.callback(spark.sql, "DROP TABLE disordered")
        (folder,) = {file.rpartition("/")[0] for file in spark.table("disordered").inputFiles()}
        spark.sql(
            f"CREATE TABLE promised ({columns}) USING parquet CLUSTERED BY (at) "
            f"SORTED BY ({', '.join([*by, 'id'])}) INTO 1 BUCKETS LOCATION '{folder}'"
        )
        settings.callback(spark.sql, "DROP TABLE promised")
        with pytest.raises(Exception, match=r"are not in the order of repave\.order \(id\)"):
            write(spark.table("promised"), table, "id", by=by)
    table.await_no_uploads()
    assert table.listing() == []
