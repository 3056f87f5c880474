"""The requests that `repave.costs` shows are those that the store received."""

from typing import TYPE_CHECKING

import pytest

import repave
from e2e.frames import sales
from e2e.lake import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest
OPERATIONS = {
    "create": "CreateMultipartUpload",
    "part": "UploadPart",
    "complete": "CompleteMultipartUpload",
    "put": "PutObject",
    "get": "GetObject",
    "head": "HeadObject",
    "list": "ListObjectsV2",
    "list-uploads": "ListMultipartUploads",
    "delete": "DeleteObjects",
}


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
@pytest.mark.parametrize(
    ("mode", "overwrite"), [("overwrite", "dynamic"), ("overwrite", "static"), ("append", "static")]
)
def test_a_jobs_costs_are_those_of_the_journal(
    spark: "SparkSession",
    table: TableFolder,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    overwrite: str,
    readers: str,
) -> None:
    days = list(range(20))
    # The fifth version of a snapshot table comes with a checkpoint.
    for note in ("first", "second", "third", "fourth", "fifth"):
        # The first write also tries the store out, which belongs to no job.
        table.lake.proxy.reset()
        writer = sales(spark, days, note).write.mode(mode).partitionBy("day")
        # A commit that is slow on a busy machine writes heartbeats, which its report does not have.
        writer = writer.option("repave.heartbeat", "15s").option(
            "partitionOverwriteMode", overwrite
        )
        writer.option("repave.readers", readers).parquet(table.url)
    sent = table.counts()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    found = repave.RepaveTable.for_path(spark, table.url).costs(
        endpoint_url=table.lake.proxy.endpoint
    )
    newest = found.jobs[0]
    assert newest.requests is not None
    assert {OPERATIONS[kind]: count for kind, count in newest.requests.items()} == dict(sent)
