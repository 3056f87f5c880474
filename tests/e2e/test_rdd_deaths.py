"""RDD saves of which an executor or the driver dies, with both of Hadoop's APIs."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.deaths import kill_driver_at
from e2e.driver import driver, executors_of
from e2e.lake import TableFolder
from e2e.rdds import lines
from e2e.test_clusters import CLUSTER, SECONDS, finish
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def work(table: TableFolder, conf: dict[str, str], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"endpoint": table.lake.proxy.endpoint, "url": table.url, "conf": conf, **more}


@pytest.mark.parametrize("api", ["old", "new"])
def test_an_executor_that_dies_writes_no_line_twice(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, api: str
) -> None:
    table.lake.proxy.set_faults([Fault("hang", op="UploadPart", times=1)])
    with driver(tmp_path, work(table, CLUSTER, lines=4, api=api)) as child:
        table.lake.proxy.wait_for_hits(seconds=SECONDS)
        for pid in executors_of(child.pid):
            os.kill(pid, signal.SIGKILL)
        finish(child, tmp_path)
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    assert len(table.data()) == 4
    assert table.counts()["CreateMultipartUpload"] > 4, "no executor has left an upload"
    table.await_no_uploads()
    table.assert_settled()


@pytest.mark.parametrize("api", ["old", "new"])
def test_a_driver_that_dies_in_its_commit_is_recovered_and_one_before_is_vacuumed(
    spark: "SparkSession", table: TableFolder, tmp_path: Path, api: str
) -> None:
    fault = Fault("hang", op="CompleteMultipartUpload", nth=3)
    kill_driver_at(table, tmp_path, fault, lines=4, api=api)
    repaved = RepaveTable.for_path(spark, table.url)
    assert len(repaved.recover().commits) == 1
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}

    before_commit = Fault("hang", op="UploadPart", nth=4)
    conf = {"spark.hadoop.validateOutputSpecs": "false"}
    kill_driver_at(table, tmp_path, before_commit, lines=4, api=api, conf=conf)
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    assert len([key for key in table.listing() if "/jobs/" in key]) == 2
    repaved.vacuum(retention="0ms")
    assert not [key for key in table.listing() if "/jobs/" in key or "/task-" in key]
    assert lines(spark, table.url) == {f"line-{n}" for n in range(4)}
    table.await_no_uploads()
    table.assert_settled()
