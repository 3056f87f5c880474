"""Shuffle files are lost while a job writes: the rows are exact, or the old ones stay."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.driver import driver
from e2e.events import event_log, events
from e2e.frames import rows, sales
from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow

SECONDS = 400
DAYS = [1, 2, 3, 4, 5, 6]
DELAY_MILLIS = 10_000


class Lost:
    """A job of one executor with one core, which loses its shuffle files in its first write."""

    def __init__(self, table: TableFolder, folder: Path, **work: Any) -> None:  # noqa: ANN401
        self._table = table
        self._folder = folder
        conf = {
            "spark.master": "local-cluster[1,1,1024]",
            "spark.executor.memory": "1g",
            "spark.local.dir": str(folder / "local"),
            **event_log(folder),
        }
        task = {"url": table.url, "days": DAYS, "note": "new", "tasks": 8, "conf": conf}
        self._work = {"endpoint": table.lake.proxy.endpoint, **task, **work}

    def run(self) -> int:
        """Return the driver's exit code."""
        (self._folder / "local").mkdir()
        proxy = self._table.lake.proxy
        proxy.set_faults([Fault("delay", op="UploadPart", key="part-", times=1, ms=DELAY_MILLIS)])
        with driver(self._folder, self._work) as child:
            proxy.wait_for_hits(seconds=SECONDS)
            lost = list((self._folder / "local").rglob("shuffle_*.data"))
            assert lost, self.log()
            for file in lost:
                file.unlink()
            return self._ended(child)

    def _ended(self, child: "subprocess.Popen[str]") -> int:
        code = child.wait(SECONDS)
        assert "FetchFailed" in events(self._folder), "no task missed the shuffle files"
        return code

    def log(self) -> str:
        return (self._folder / "driver.log").read_text("utf-8")[-20_000:]


@pytest.fixture
def old(spark: "SparkSession", table: TableFolder) -> "DataFrame":
    """The rows that the table has before the job."""
    frame = sales(spark, DAYS, "old")
    frame.write.partitionBy("day").parquet(table.url)
    return frame


def assert_rows(spark: "SparkSession", table: TableFolder, expected: "DataFrame") -> None:
    assert rows(spark.read.parquet(table.url)) == rows(expected)
    table.await_no_uploads()
    table.assert_settled()


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("overwrite", ["dynamic", "static"])
def test_a_write_whose_shuffle_files_are_lost_has_each_row_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, overwrite: str
) -> None:
    job = Lost(table, tmp_path, overwrite=overwrite)
    assert job.run() == 0, job.log()
    assert_rows(spark, table, sales(spark, DAYS, "new"))


def test_an_append_whose_shuffle_files_are_lost_has_each_row_once(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, old: "DataFrame"
) -> None:
    job = Lost(table, tmp_path, mode="append")
    assert job.run() == 0, job.log()
    assert_rows(spark, table, old.union(sales(spark, DAYS, "new")))


def test_a_write_of_an_indeterminate_stage_fails_and_leaves_the_old_rows(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, old: "DataFrame"
) -> None:
    # A task has ended when the stage has to run again: its rows may fall into another task then.
    job = Lost(table, tmp_path, unordered=True)
    assert job.run() != 0
    assert "indeterminate output was failed and retried" in job.log()
    assert_rows(spark, table, old)
