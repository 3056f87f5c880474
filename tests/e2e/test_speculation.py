"""Two attempts of one task at the same time: each row and each line is there once."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e.deaths import until
from e2e.driver import driver
from e2e.events import assert_speculated, event_log
from e2e.frames import notes, rows, sales
from e2e.lake import TableFolder
from e2e.standalone import Cluster, standalone
from e2e.test_clusters import finish, work
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.quantile": "0.3",
}
LATE_MILLIS = 30_000


def slow_upload(op: str) -> Fault:
    """Hold a task in a request, when its writer has its rows."""
    return Fault("delay", op=op, key="part-", times=1, ms=LATE_MILLIS)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with standalone(tmp_path / "cluster", workers=2) as running:
        yield running


@pytest.fixture
def conf(cluster: Cluster, tmp_path: Path) -> dict[str, str]:
    return {**cluster.conf(), **SPECULATION, **event_log(tmp_path)}


def test_a_speculative_twin_writes_no_row_twice_and_its_rows_are_counted_once(
    spark: "SparkSession", table: TableFolder, conf: dict[str, str], tmp_path: Path
) -> None:
    # The rows of a lost twin must count neither now, nor as old rows of the next write.
    sales(spark, [1, 2, 3], "old").write.partitionBy("day").parquet(table.url)
    guards = {"repave.only": "day=1,day=2,day=3", "repave.shrink": "1"}
    table.lake.proxy.reset()
    table.lake.proxy.set_faults([slow_upload("UploadPart")])
    with driver(tmp_path, work(table, conf, tasks=3, options=guards)) as child:
        finish(child, tmp_path)
    assert_speculated(tmp_path)
    assert table.counts()["CreateMultipartUpload"] > len(table.data()), "no twin has written rows"
    frame = spark.read.parquet(table.url)
    assert notes(frame) == {1: "new", 2: "new", 3: "new"}
    assert frame.count() == 6
    table.assert_settled()
    few = sales(spark, [1], "few", per_day=1).write.mode("overwrite").partitionBy("day")
    with pytest.raises(Exception, match=r"day=1 \(2 rows before, 1 after\)"):
        few.options(**{"partitionOverwriteMode": "dynamic", "repave.shrink": "1"}).parquet(
            table.url
        )


def test_a_speculative_twin_of_an_rdd_save_writes_no_line_twice(
    table: TableFolder, conf: dict[str, str], tmp_path: Path, spark: "SparkSession"
) -> None:
    with driver(tmp_path, work(table, conf, lines=4, sleeps=True)) as child:
        finish(child, tmp_path)
    assert_speculated(tmp_path)
    found = sorted(row.value for row in spark.read.text(table.url).collect())
    assert found == [f"line-{n}" for n in range(4)]
    assert len(table.data()) == 4
    assert table.counts()["CreateMultipartUpload"] > 4, "no twin has written lines"
    table.await_no_uploads()
    table.assert_settled()


def test_an_attempt_whose_upload_begins_after_the_commit_adds_no_row(
    spark: "SparkSession", table: TableFolder, conf: dict[str, str], tmp_path: Path
) -> None:
    sales(spark, [1, 2, 3], "old").write.partitionBy("day").parquet(table.url)
    proxy = table.lake.proxy
    proxy.set_faults([slow_upload("CreateMultipartUpload")])
    with driver(tmp_path, work(table, conf, tasks=8)) as child:
        finish(child, tmp_path)
    assert_speculated(tmp_path)
    assert table.open_uploads() == [], "the upload began before the commit ended"
    new = rows(sales(spark, [1, 2, 3], "new"))
    assert rows(spark.read.parquet(table.url)) == new
    until(lambda: len(table.open_uploads()) == 1, seconds=2 * LATE_MILLIS / 1000)

    RepaveTable.for_path(spark, table.url).vacuum(retention="0ms")
    assert rows(spark.read.parquet(table.url)) == new
    table.assert_settled()
