"""A program that removes rows and writes them with a token is run again, by a new driver."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import repave
from e2e.driver import driver
from e2e.frames import sales
from e2e.lake import TableFolder
from repave import RepaveTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SECONDS = 300
TOKEN = {"repave.token": "nightly/2026-11-27"}
DYNAMIC = {"partitionOverwriteMode": "dynamic"}


def replace(spark: "SparkSession", table: TableFolder) -> None:
    """Overwrite the day without a token, as a program does that only appends need one for."""
    writer = sales(spark, [1], "base").write.mode("overwrite").partitionBy("day")
    writer.options(**DYNAMIC).parquet(table.url)


def drop(spark: "SparkSession", table: TableFolder) -> None:
    RepaveTable.for_path(spark, table.url).drop_partitions("day=1")


def noted(spark: "SparkSession", table: TableFolder) -> Counter[str]:
    return Counter(row.note for row in spark.read.parquet(table.url).collect())


@pytest.mark.oldest
@pytest.mark.parametrize(("remove", "left"), [(replace, {"base": 2}), (drop, {})])
def test_the_write_is_refused_because_its_rows_would_be_lost(
    spark: "SparkSession",
    table: TableFolder,
    tmp_path: Path,
    remove: Callable[["SparkSession", TableFolder], None],
    left: dict[str, int],
) -> None:
    def append(token: dict[str, str]) -> None:
        writer = sales(spark, [1], "more").write.mode("append").partitionBy("day")
        writer.options(**token).parquet(table.url)

    replace(spark, table)
    first = {"endpoint": table.lake.proxy.endpoint, "url": table.url, "days": [1], "note": "more"}
    with driver(tmp_path, {**first, "mode": "append", "options": TOKEN}) as child:
        assert child.wait(SECONDS) == 0, (tmp_path / "driver.log").read_text()[-4000:]
    append(TOKEN)
    assert noted(spark, table) == {"base": 2, "more": 2}, "a repetition whose rows are there"

    remove(spark, table)
    with pytest.raises(Exception, match="were removed in version 3 by commit"):
        append(TOKEN)
    append({"repave.token": "nightly/2026-11-27 again"})
    assert noted(spark, table) == {**left, "more": 2}
    table.assert_settled()


@pytest.mark.oldest
@pytest.mark.parametrize("by", ["batch", "operator"])
def test_a_batch_is_refused_only_if_it_drops_its_own_rows_again(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, by: str
) -> None:
    replace(spark, table)
    sales(spark, [1], "new").write.parquet(f"file://{tmp_path}/source")
    checkpoint = tmp_path / "checkpoint"

    def put(frame: "DataFrame", number: int) -> None:
        if by == "batch":
            drop(spark, table)
        with repave.write_options(spark, token=f"orders-{number}"):
            frame.write.mode("append").partitionBy("day").parquet(table.url)

    def run() -> None:
        files = spark.readStream.schema("id long, note string, day int")
        stream = files.parquet(f"file://{tmp_path}/source").writeStream.foreachBatch(put)
        query = stream.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        assert query.start().awaitTermination(SECONDS)

    run()
    assert noted(spark, table)["new"] == 2
    for file in (".0.crc", "0"):  # As if the driver had died before it wrote them.
        (checkpoint / "commits" / file).unlink()
    if by == "batch":
        for _ in range(2):  # The second time nothing is left to drop.
            with pytest.raises(Exception, match="were removed in version"):
                run()
    else:
        drop(spark, table)
        run()
    assert table.data() == []
