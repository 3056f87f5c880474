"""Sessions of another make: Kryo, executors of their own, an executor that dies."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.driver import driver, executors_of
from e2e.frames import notes
from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CLUSTER = {"spark.master": "local-cluster[2,1,1024]", "spark.executor.memory": "1g"}
SECONDS = 400


def work(table: TableFolder, conf: dict[str, str], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "endpoint": table.lake.proxy.endpoint,
        "url": table.url,
        "days": [1, 2, 3],
        "note": "new",
        "conf": conf,
        **more,
    }


def finish(child: Any, folder: Path) -> None:  # noqa: ANN401 - a Popen
    code = child.wait(SECONDS)
    log = (folder / "driver.log").read_text()
    assert code == 0, log[-4000:]
    assert "committed" in log


@pytest.mark.slow
def test_kryo_with_registration_required(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    conf = {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrationRequired": "true",
    }
    with driver(tmp_path, work(table, conf)) as child:
        finish(child, tmp_path)
    assert notes(spark.read.parquet(table.url)) == {1: "new", 2: "new", 3: "new"}
    table.assert_settled()


@pytest.mark.slow
def test_an_executor_that_dies_costs_no_row_and_leaves_no_upload(
    spark: "SparkSession", table: TableFolder, tmp_path: Path
) -> None:
    # Its part is never answered, so it dies between creating an upload and committing the task.
    table.lake.proxy.set_faults([Fault("hang", op="UploadPart", times=1)])
    with driver(tmp_path, work(table, CLUSTER, tasks=2)) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        for pid in executors_of(child.pid):
            os.kill(pid, signal.SIGKILL)
        finish(child, tmp_path)
    frame = spark.read.parquet(table.url)
    assert notes(frame) == {1: "new", 2: "new", 3: "new"}
    assert frame.count() == 6
    created = table.counts()["CreateMultipartUpload"]
    assert created > len(table.data()), "the executor died too early to leave an upload"
    table.await_no_uploads()
    table.assert_settled()
