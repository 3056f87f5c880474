"""The requests that `repave.costs` shows are those that the store received."""

from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OPERATIONS = {
    "create": "CreateMultipartUpload",
    "part": "UploadPart",
    "complete": "CompleteMultipartUpload",
    "put": "PutObject",
    "delete": "DeleteObjects",
}


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_jobs_costs_are_those_of_the_journal(
    spark: "SparkSession",
    table: TableFolder,
    dynamic: None,
    monkeypatch: pytest.MonkeyPatch,
    readers: str,
) -> None:
    days = list(range(40))
    for note in ("old", "new"):
        # The first write also tries the store out, which belongs to no job.
        table.lake.proxy.reset()
        writer = sales(spark, days, note).write.mode("overwrite").partitionBy("day")
        # A commit that is slow on a busy machine writes heartbeats, which its report does not have.
        writer = writer.option("repave.heartbeat", "1m")
        writer.option("repave.readers", readers).parquet(table.url)
    sent = table.counts()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    found = repave.RepaveTable.for_path(spark, table.url).costs(
        endpoint_url=table.lake.proxy.endpoint
    )
    newest = found.jobs[0]
    assert newest.requests is not None
    shown = {kind: newest.requests.get(kind, 0) for kind in OPERATIONS}
    assert shown == {kind: sent.get(op, 0) for kind, op in OPERATIONS.items()}
    # Spark's own look at the folder, before the job, is not in the records.
    assert sum(newest.requests.values()) == pytest.approx(sum(sent.values()), abs=8)
