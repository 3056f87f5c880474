"""docs/permissions.md: each policy allows what its role really asks for, and nothing unused."""

import json
import re
import uuid
from collections.abc import Iterable
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave import RepaveTable
from repave_lab.proxy import Fault
from repave_lab.proxy.journal import Entry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.oldest

PAGE = (Path(__file__).parents[2] / "docs/permissions.md").read_text("utf-8")
BUCKET_ACTIONS = {"s3:ListBucket", "s3:ListBucketMultipartUploads"}


class Right(NamedTuple):
    """What one request needs."""

    action: str
    resource: str


def policy(title: str) -> list[dict[str, Any]]:
    """Return the statements of the policy below a heading."""
    found = re.search(rf"^## {title}\n.*?```json\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, title
    statements: list[dict[str, Any]] = json.loads(found.group(1))["Statement"]
    return statements


def actions_by_operation() -> dict[str, str]:
    rows = re.findall(r"^\| ([\w, ]+) \| `(s3:\w+)` \|", PAGE, re.MULTILINE)
    return {operation: action for cell, action in rows for operation in cell.split(", ")}


def needed(entries: Iterable[Entry]) -> set[Right]:
    """Return the rights that requests need; an operation that the page does not name fails."""
    actions = actions_by_operation()
    return {
        Right(
            actions[entry.op],
            f"arn:aws:s3:::{entry.bucket}"
            + ("" if actions[entry.op] in BUCKET_ACTIONS else f"/{key}"),
        )
        for entry in entries
        for key in (entry.keys or [entry.key])
    }


def allows(statement: dict[str, Any], right: Right, table: TableFolder) -> bool:
    resources = [
        re.sub(r"^arn:aws:s3:::lake(/sales)?", _place(table), each)
        for each in _several(statement["Resource"])
    ]
    named = right.action in _several(statement["Action"])
    return named and any(fnmatchcase(right.resource, each) for each in resources)


def _place(table: TableFolder) -> Any:  # noqa: ANN401 - what re.sub takes
    bucket = f"arn:aws:s3:::{table.lake.bucket}"
    return lambda found: f"{bucket}/{table.name}" if found.group(1) else bucket


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def assert_allowed(title: str, table: TableFolder) -> None:
    """Assert that the policy allows every request since the last reset."""
    statements = policy(title)
    rights = needed(table.journal())
    assert rights
    denied = {one for one in rights if not any(allows(each, one, table) for each in statements)}
    assert denied == set()


def assert_minimal(title: str, table: TableFolder) -> None:
    """Assert that the policy allows every request, and no action that none of them needs."""
    assert_allowed(title, table)
    rights = needed(table.journal())
    for statement in policy(title):
        used = {right.action for right in rights if allows(statement, right, table)}
        assert used == set(_several(statement["Action"]))


def write(spark: "SparkSession", table: TableFolder, note: str, **options: str) -> None:
    writer = sales(spark, [1, 2], note).write.mode("overwrite").partitionBy("day")
    writer.options(partitionOverwriteMode="dynamic", **options).parquet(table.url)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_job_is_allowed_all(spark: "SparkSession", table: TableFolder, readers: str) -> None:
    options = {"repave.readers": readers}
    write(spark, table, "old", **options)
    write(spark, table, "new", **options)
    sales(spark, [3], "more").write.options(**options).mode("append").parquet(table.url)
    RepaveTable.for_path(spark, table.url).recover()
    assert_allowed("A job", table)


def test_a_job_is_allowed_no_more(spark: "SparkSession", table: TableFolder) -> None:
    write(spark, table, "old")
    # An attempt fails after it has begun an upload, and gives it up.
    refused = Fault("error", op="UploadPart", times=1, status=403, code="AccessDenied")
    table.lake.proxy.set_faults([refused])
    write(spark, table, "new")
    table.await_no_uploads()
    assert_minimal("A job", table)


def read(spark: "SparkSession", table: TableFolder) -> None:
    """Read the table and its records in every way."""
    table.lake.proxy.reset()
    repaved = RepaveTable.for_path(spark, table.url)
    assert notes(repaved.to_df()) == {1: "old", 2: "old"}
    assert notes(spark.read.parquet(table.url.replace("s3a:", "repave:"))) == {1: "old", 2: "old"}
    assert repaved.status().version > 0
    assert repaved.history()
    assert repaved.files()


def test_a_reader_of_folders_is_allowed_no_more(spark: "SparkSession", table: TableFolder) -> None:
    write(spark, table, "old")
    read(spark, table)
    assert_minimal("A reader", table)


def test_a_reader_of_versions_is_allowed_all(spark: "SparkSession", table: TableFolder) -> None:
    # What is not there has to be answered by 404, for which S3 wants the right to list.
    write(spark, table, "old", **{"repave.readers": "snapshot"})
    read(spark, table)
    assert_allowed("A reader", table)


@pytest.mark.parametrize("readers", ["listing", "snapshot"])
def test_a_vacuum_is_allowed_no_more(
    spark: "SparkSession", table: TableFolder, readers: str
) -> None:
    write(spark, table, "old", **{"repave.readers": readers})
    write(spark, table, "new", **{"repave.readers": readers})
    commit = uuid.uuid4()
    orphan = f"{table.name}/day=1/part-00000-{commit}-1.snappy.parquet"
    table.lake.client.create_multipart_upload(Bucket=table.lake.bucket, Key=orphan)
    record = f"{table.name}/_repave/commits/20200101T000000.000Z-{commit}/uploads.json.gz"
    table.lake.client.put_object(Bucket=table.lake.bucket, Key=record, Body=b"")
    table.lake.proxy.reset()
    done = RepaveTable.for_path(spark, table.url).vacuum(retention=timedelta(0))
    assert (done.uploads, done.records > 0) == (1, True)
    assert_minimal("A vacuum", table)
