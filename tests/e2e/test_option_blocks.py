"""What a block of options means: for tokens, for other blocks and writers, for threads."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from pyspark import InheritableThread

import repave
from e2e.frames import sales
from e2e.lake import TableFolder
from e2e.named import insert, named_table, tokens
from e2e.sessions import line
from e2e.test_failures import failing
from repave import CommitFailedError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.newest

SPARK_3 = line(pyspark.__version__).startswith("3.")
SECONDS = 120


@pytest.fixture
def name(spark: "SparkSession", table: TableFolder) -> Iterator[str]:
    with named_table(spark, table) as name:
        yield name


def test_a_second_write_with_the_token_of_a_block_is_refused_before_its_tasks(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    other = table.lake.table(f"{table.name}-other")
    with repave.write_options(spark, token="load/2"):
        insert(spark, name)
        table.lake.proxy.reset()
        with pytest.raises(UsageError, match="a token names one write"), repave.typed_errors():
            insert(spark, name)
        assert table.counts()["CreateMultipartUpload"] == 0
        # Each table has tokens of its own.
        sales(spark, [1], "old").write.parquet(other.url)
    assert tokens(table) == ["load/2"]
    assert tokens(other) == ["load/2"]
    with (
        repave.write_options(spark, token="load/2"),
        pytest.raises(UsageError, match=r"belongs to|this application"),
        repave.typed_errors(),
    ):
        insert(spark, name)
    assert tokens(table) == ["load/2"]


def test_a_failed_write_may_be_tried_again_in_its_block_and_no_other_one_may_follow(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    frame = failing(sales(spark, [1], "old"), 4)
    with repave.write_options(spark, token="load/3", shrink=0.5):
        with pytest.raises(Exception, match="this attempt fails"):
            frame.write.insertInto(name)
        with pytest.raises(UsageError, match="is not the same write"), repave.typed_errors():
            insert(spark, name)
        with pytest.raises(Exception, match="this attempt fails"):
            frame.write.insertInto(name)
    with repave.write_options(spark, token="load/3"):
        insert(spark, name)
    assert tokens(table) == ["load/3"]


def test_a_statement_that_writes_twice_to_a_table_cannot_have_a_token(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    twice = f"FROM loaded INSERT INTO {name} SELECT * INSERT INTO {name} SELECT id + 5, note, day"
    with (
        pytest.raises(UsageError, match=r"writes to .* several times|a token names one write"),
        repave.typed_errors(),
        repave.write_options(spark, token="load/4"),
    ):
        spark.sql(twice)
    # Spark 3.5 runs each insert by itself, so the first one does not know of the second.
    assert tokens(table) == (["load/4"] if SPARK_3 else [])
    with repave.write_options(spark, only="day=1"):
        spark.sql(twice)
    assert spark.table(name).count() == (6 if SPARK_3 else 4)


def test_blocks_may_be_nested_and_must_agree(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    with repave.write_options(spark, only="day=7"):
        with (
            pytest.raises(CommitFailedError, match="day=7"),
            repave.typed_errors(),
            repave.write_options(spark, token="load/5", only="day=7"),
        ):
            insert(spark, name)
        with pytest.raises(UsageError, match="'day=7' and 'day=1'"):
            repave.write_options(spark, only="day=1").__enter__()
        with pytest.raises(CommitFailedError, match="day=7"), repave.typed_errors():
            insert(spark, name)
    with repave.write_options(spark, token="load/5"):
        with repave.write_options(spark, shrink=0):
            insert(spark, name)
        with pytest.raises(UsageError, match="a token names one write"), repave.typed_errors():
            insert(spark, name)
    insert(spark, name)
    assert tokens(table) == ["load/5", ""]


def test_a_block_and_a_writer_must_agree_and_a_table_yields(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    frame = sales(spark, [1], "old")
    writer = frame.write.mode("append").partitionBy("day").option("repave.only", "day=7")
    with (
        pytest.raises(UsageError, match=r"repave.only is given twice: 'day=7' .* 'day=1'"),
        repave.typed_errors(),
        repave.write_options(spark, only="day=1"),
    ):
        writer.parquet(table.url)
    with (
        pytest.raises(CommitFailedError, match="day=7"),
        repave.typed_errors(),
        repave.write_options(spark, only="day=7"),
    ):
        writer.parquet(table.url)
    # What the catalog stores with a table is not what the program gives to the write.
    spark.sql(f"DROP TABLE {name}")
    spark.sql(
        f"CREATE TABLE {name} (id BIGINT, note STRING, day INT) USING parquet"
        f" OPTIONS ('repave.only' = 'day=7') PARTITIONED BY (day) LOCATION '{table.url}'"
    )
    with pytest.raises(CommitFailedError, match="day=7"), repave.typed_errors():
        insert(spark, name)
    with repave.write_options(spark, only="day=1"):
        insert(spark, name)
    assert spark.table(name).count() == 2


def test_a_thread_has_the_options_of_the_block_in_which_it_was_started(
    spark: "SparkSession", table: TableFolder, name: str
) -> None:
    ended = threading.Event()
    errors: list[Exception] = []

    def late() -> None:
        ended.wait(SECONDS)
        try:
            insert(spark, name)
        except Exception as error:  # noqa: BLE001 - whatever the write raises
            errors.append(error)

    with repave.write_options(spark, token="load/6"):
        inheriting = InheritableThread(target=insert, args=(spark, name))
        inheriting.start()
        inheriting.join(SECONDS)
        surviving = InheritableThread(target=late)
        surviving.start()
        with ThreadPoolExecutor(1) as pool:  # a plain thread of Python
            pool.submit(insert, spark, name).result(SECONDS)
    ended.set()
    surviving.join(SECONDS)
    assert [type(repave.error_of(error)) for error in errors] == [UsageError]
    assert "a block of write options that has ended" in str(repave.error_of(errors[0]))
    assert tokens(table) == ["load/6", ""]


def test_each_batch_of_a_stream_is_inserted_once(
    spark: "SparkSession", table: TableFolder, name: str, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    seen: list[int] = []

    def put(batch: "DataFrame", number: int) -> None:
        for _ in range(2):  # the second time as if the batch was repeated
            with repave.write_options(spark, token=f"stream/{number}"):
                try:
                    batch.write.insertInto(name)
                except Exception as error:  # noqa: BLE001 - whatever the write raises
                    assert "stream/" in str(error)  # noqa: PT017
                    seen.append(number)

    sales(spark, [1], "old").write.parquet(str(source))
    stream = spark.readStream.schema("id long, note string, day int").parquet(str(source))
    writer = stream.writeStream.foreachBatch(put).option("checkpointLocation", str(tmp_path / "c"))
    for batch in range(2):
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(SECONDS)
        sales(spark, [2 + batch], "more").write.mode("append").parquet(str(source))
    assert tokens(table) == ["stream/0", "stream/1"]
    assert seen == [0, 1]
    assert spark.table(name).count() == 4


def test_a_query_started_in_a_block_cannot_write_with_its_options_for_ever(
    spark: "SparkSession", table: TableFolder, name: str, tmp_path: Path
) -> None:
    sales(spark, [1], "old").write.parquet(str(tmp_path / "source"))
    stream = spark.readStream.schema("id long, note string, day int")
    batches = stream.parquet(str(tmp_path / "source")).writeStream.trigger(processingTime="1 day")
    begun = threading.Event()

    def put(batch: "DataFrame", number: int) -> None:
        assert begun.wait(SECONDS)
        batch.write.insertInto(name)

    writer = batches.foreachBatch(put).option("checkpointLocation", str(tmp_path / "c"))
    with repave.write_options(spark, token="load/7"):
        query = writer.start()
    begun.set()
    with pytest.raises(Exception, match="a block of write options that has ended"):
        query.awaitTermination(SECONDS)
    assert table.data() == []


def test_a_block_switches_repave_off(spark: "SparkSession", table: TableFolder, name: str) -> None:
    with repave.write_options(spark, enabled=False, only="day=7"):
        insert(spark, name)
    assert not table.has_head()
    assert len(table.data()) == 1
    table.lake.proxy.reset()  # Spark's own commit copies


def test_options_for_what_repave_does_not_commit_are_refused(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE serde (id INT, v STRING) STORED AS TEXTFILE LOCATION '{table.url}'")
    try:
        for write in (
            lambda: spark.range(1).write.parquet(str(tmp_path / "rows")),
            lambda: spark.sql("INSERT INTO serde VALUES (1, 'x')"),
        ):
            with (
                pytest.raises(UsageError, match=r"has no effect: repave\.token"),
                repave.typed_errors(),
                repave.write_options(spark, token="load/8"),
            ):
                write()
    finally:
        spark.sql("DROP TABLE serde")
    assert not (tmp_path / "rows" / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"token": ""}, "is empty"),
        ({"token": None}, "token=None is not possible"),
        ({"onyl": "x"}, "Did you mean only"),
        ({"shrink": 2}, "0 to 1"),
        ({}, "has no option"),
    ],
)
def test_a_wrong_option_is_refused_where_the_block_begins(
    spark: "SparkSession", options: dict[str, Any], text: str
) -> None:
    with pytest.raises(UsageError, match=text):
        repave.write_options(spark, **options).__enter__()
