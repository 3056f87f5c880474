"""The options of a block reach every kind of write."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

import repave
from e2e.frames import in_a_batch, rows, sales
from e2e.lake import TableFolder
from e2e.named import insert, named_table, tokens
from e2e.sessions import HIDES_OPTIONS, line
from repave import CommitFailedError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

pytestmark = pytest.mark.newest

SPARK_3 = line(pyspark.__version__).startswith("3.")


@pytest.fixture
def name(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    with named_table(spark, table) as name:
        yield name


WRITES: dict[str, Callable[["DataFrame", str, str], Any]] = {
    "insert-into": lambda df, name, _: df.write.insertInto(name),
    "insert-overwrite": lambda df, name, _: df.sparkSession.sql(
        f"INSERT OVERWRITE {name} SELECT * FROM loaded"
    ),
    "partition": lambda df, name, _: df.sparkSession.sql(
        f"INSERT OVERWRITE {name} PARTITION (day = 1) SELECT id, note FROM loaded"
    ),
    "save-as-table": lambda df, name, _: (
        df.write.mode("append").partitionBy("day").saveAsTable(name)
    ),
    "repave-save-as-table": lambda df, name, _: repave.save_as_table(df, name),
    "path": lambda df, _, url: df.write.mode("append").partitionBy("day").parquet(url),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_kind_of_write_has_the_options_of_its_block(
    spark: "SparkSession",
    table: TableFolder,
    name: str,
    write: Callable[["DataFrame", str, str], Any],
) -> None:
    frame = sales(spark, [1], "old")
    with (
        pytest.raises(CommitFailedError, match="It names day=7"),
        repave.typed_errors(),
        repave.write_options(spark, only="day=7"),
    ):
        write(frame, name, table.url)
    assert table.data() == []
    with repave.write_options(spark, token="load/1", only=["day=1", "day=2"]):
        write(frame, name, table.url)
    assert tokens(table) == ["load/1"]
    insert(spark, name)
    assert tokens(table) == ["load/1", ""]
    assert spark.table(name).count() == 4


def test_a_table_that_is_created_as_select_has_the_options_and_does_not_keep_them(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    spark.sql(f"DROP TABLE {name}")
    with repave.write_options(spark, token="load/11", only="day=1"):
        spark.sql(
            f"CREATE TABLE {name} USING parquet PARTITIONED BY (day) LOCATION '{table.url}'"
            " AS SELECT * FROM loaded"
        )
    insert(spark, name)
    assert tokens(table) == ["load/11", ""]


def test_a_token_of_a_block_lets_a_run_write_what_spark_may_skip(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    skippable = (
        f"INSERT OVERWRITE {name} PARTITION (day = 1) IF NOT EXISTS SELECT id, note FROM loaded"
    )
    spark.conf.set("repave.run", "night/options")
    try:
        with pytest.raises(UsageError, match=r"a repave.token of its own"), repave.typed_errors():
            spark.sql(skippable)
        with repave.write_options(spark, token="night/options/day=1"):
            spark.sql(skippable)
        insert(spark, name)
    finally:
        spark.conf.unset("repave.run")
    assert tokens(table) == ["night/options/day=1", "night/options/1"]


def hive_writer(frame: "DataFrame") -> "DataFrameWriter":
    """Return a writer for a table of a Hive format that Spark converts."""
    return frame.write.format("hive").option("fileFormat", "parquet")


CREATING: dict[str, Callable[["DataFrame", str, str], Any]] = {
    "sql": lambda df, name, url: df.sparkSession.sql(
        f"CREATE TABLE IF NOT EXISTS {name} USING parquet PARTITIONED BY (day) LOCATION '{url}'"
        " AS SELECT * FROM loaded"
    ),
    "writer": lambda df, name, url: (
        df.write.mode("ignore").partitionBy("day").option("path", url).saveAsTable(name)
    ),
    "hive-sql": lambda df, name, url: df.sparkSession.sql(
        f"CREATE TABLE IF NOT EXISTS {name} STORED AS PARQUET LOCATION '{url}'"
        " AS SELECT * FROM loaded"
    ),
    "hive-writer": lambda df, name, url: (
        hive_writer(df).mode("ignore").option("path", url).saveAsTable(name)
    ),
}


@pytest.mark.parametrize("write", CREATING.values(), ids=CREATING)
def test_a_run_refuses_to_create_a_table_as_select_that_a_retry_would_skip(
    spark: "SparkSession",
    table: TableFolder,
    name: str,
    write: Callable[["DataFrame", str, str], Any],
) -> None:
    spark.sql(f"DROP TABLE {name}")
    spark.conf.set("repave.run", "night/create")
    try:
        with pytest.raises(UsageError, match=r"a repave.token of its own"), repave.typed_errors():
            write(sales(spark, [1], "old"), name, table.url)
        assert table.data() == []
        with repave.write_options(spark, token="night/create/table"):
            write(sales(spark, [1], "old"), name, table.url)
            write(sales(spark, [1], "old"), name, table.url)
    finally:
        spark.conf.unset("repave.run")
    assert tokens(table) == ["night/create/table"]


def test_a_repeated_append_finds_the_hive_table_that_it_created(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    spark.sql(f"DROP TABLE {name}")
    frame = sales(spark, [1], "old")
    for _ in range(2):
        # As another program: one application may not use a token twice.
        with in_a_batch(spark), repave.write_options(spark, token="night/append"):
            hive_writer(frame).mode("append").option("path", table.url).saveAsTable(name)
    assert tokens(table) == ["night/append"]
    assert spark.table(name).count() == 2


@pytest.mark.parametrize("key", ["repave.run", "repave.token"])
def test_an_empty_name_of_a_write_is_refused(
    spark: "SparkSession", table: TableFolder, key: str
) -> None:
    writer = sales(spark, [1], "new").write
    with pytest.raises(UsageError, match=f"{key} is empty"), repave.typed_errors():
        writer.option(key, "").parquet(table.url)
    spark.conf.set(key, " ")
    try:
        with pytest.raises(UsageError, match=f"{key} is empty"), repave.typed_errors():
            sales(spark, [1], "new").write.parquet(table.url)
    finally:
        spark.conf.unset(key)
    assert table.data() == []


def test_rows_out_of_the_order_of_a_block_fail_the_job(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    with (
        pytest.raises(UsageError, match=r"repave.order is 'id'"),
        repave.typed_errors(),
        repave.write_options(spark, order="id"),
    ):
        insert(spark, name)
    with repave.write_options(spark, order="id"):
        spark.sql(f"INSERT INTO {name} SELECT * FROM loaded DISTRIBUTE BY day SORT BY day, id")
    assert len(rows(spark.table(name))) == 2


@pytest.mark.skipif(SPARK_3, reason="the clause is in Spark 4")
def test_sql_gives_options_to_one_insert(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    options = "WITH ('repave.token' = 'load/9', 'repave.only' = 'day=1')"
    spark.sql(f"INSERT INTO {name} {options} SELECT * FROM loaded")
    insert(spark, name)
    with pytest.raises(UsageError, match="load/9"), repave.typed_errors():
        spark.sql(f"INSERT INTO {name} {options} SELECT * FROM loaded")
    other = "WITH ('repave.only' = 'day=7')"
    with pytest.raises(CommitFailedError, match="day=7"), repave.typed_errors():
        spark.sql(f"INSERT OVERWRITE {name} {other} PARTITION (day) SELECT * FROM loaded")
    assert tokens(table) == ["load/9", ""]


@pytest.mark.skipif(HIDES_OPTIONS, reason="this Spark does not show these options")
def test_save_as_table_passes_its_options_to_a_table_that_exists(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    writer = sales(spark, [1], "old").write.mode("append").partitionBy("day")
    with pytest.raises(CommitFailedError, match="day=7"), repave.typed_errors():
        writer.option("repave.only", "day=7").saveAsTable(name)
    writer = sales(spark, [1], "old").write.mode("append").partitionBy("day")
    writer.option("repave.token", "load/10").saveAsTable(name)
    insert(spark, name)
    assert tokens(table) == ["load/10", ""]


def test_a_hive_table_that_spark_converts_has_the_options_of_a_block(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    spark.sql(f"DROP TABLE {name}")
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING) PARTITIONED BY (day INT)"
        f" STORED AS PARQUET LOCATION '{table.url}'"
    )
    static = f"INSERT OVERWRITE {name} PARTITION (day = 1) SELECT id, note FROM loaded"
    with repave.write_options(spark, token="load/12", only="day=1"):
        spark.sql(static)
    spark.sql(static)
    assert tokens(table) == ["load/12", ""]
