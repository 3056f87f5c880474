"""Tables with real files and records on a lab server, written without Spark."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from unit.record_files import checkpoint, head, logged, manifest
from unit.snapshot_table import MemoryTable, commit_name

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Rows = Mapping[str, list[int]]
UUID = "01234567-89ab-cdef-0123-456789abcdef"


class StoredTable:
    """A table at `<bucket>/sales`; each commit writes one file of ids for each partition."""

    def __init__(self, s3: "S3Client", bucket: str, readers: str) -> None:
        self.s3 = s3
        self.bucket = bucket
        self.records = MemoryTable(readers)
        self.url = f"s3://{bucket}/sales"

    def commit(self, kind: str, rows: Rows, schemas: Sequence[object] = ()) -> list[str]:
        """Write files, then the records that name them; return the files' names.

        The files have the first of the recorded schemas, if there are any.
        """
        files = {partition: parquet(ids) for partition, ids in rows.items()}
        return self._commit(kind, files, schemas=schemas)

    def commit_rows(self, kind: str, rows: Mapping[str, pa.Table]) -> list[str]:
        """Write files with rows of any columns, as `commit` does."""
        return self._commit(kind, {partition: stored(one) for partition, one in rows.items()})

    def commit_files(self, kind: str, files: Mapping[str, bytes], ending: str) -> list[str]:
        """Write files of another format, as `commit` does."""
        return self._commit(kind, files, ending)

    def _commit(
        self,
        kind: str,
        files: Mapping[str, bytes],
        ending: str = "parquet",
        schemas: Sequence[object] = (),
    ) -> list[str]:
        version = len(self.records.log) + 1
        name = f"part-00000-{UUID}-{version}.c000.{ending}"
        sizes = {partition: len(content) for partition, content in files.items()}
        for partition, content in files.items():
            self.put(partition, name, content)
        known = {"schema": 0} if schemas else {}
        members: dict[str, Any] = {"schemas": list(schemas)} if schemas else {}
        members["partitions"] = [
            {"partition": one, "in": [{"name": name, "bytes": sizes[one], **known}]}
            for one in sorted(sizes)
        ]
        self.records.commit(kind, {partition: [name] for partition in files}, **members)
        self.publish()
        return [f"{partition}/{name}" for partition in sorted(files)]

    def put(self, partition: str, name: str, content: bytes) -> None:
        """Write one file."""
        place = f"sales/{partition}/{name}" if partition else f"sales/{name}"
        self.s3.put_object(Bucket=self.bucket, Key=place, Body=content)

    def report(self) -> None:
        """Write the newest commit's report, as its last step does."""
        commit = self.records.log[-1]["commit"]
        key = f"sales/_repave/commits/{commit}/report.json"
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=b"{}")

    def put_as(self, table: str, files: Mapping[str, bytes]) -> None:
        """Store the records as another table's, and its files by key."""
        records = {
            key.replace("sales/", f"{table}/", 1): content
            for key, content in self.records.contents.items()
        }
        for key, content in (*records.items(), *files.items()):
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=content)

    def publish(self) -> None:
        """Put the records that are new or differ."""
        for key, content in self.records.contents.items():
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=content)


def parquet(ids: list[int]) -> bytes:
    return stored(pa.table({"id": pa.array(ids, pa.int64())}))


def stored(rows: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(rows, buffer)
    return buffer.getvalue()


def wide_table(s3: "S3Client", bucket: str, partitions: int, readers: str, since: int = 19) -> str:
    """Store the records of a table with so many partitions, and small files for a listing.

    A snapshot table has a checkpoint with shards of 10,000 files and `since` commits since: 19 are
    the most of a large table, 4 those of a table with at most 40,000 files. A listing table is as
    its first commit left it.
    """
    name = f"part-00000-{UUID}-1.c000.parquet"
    content = parquet([1])
    entry = {"name": name, "bytes": len(content)}
    folders = sorted(f"day={number:05}" for number in range(partitions))
    records = MemoryTable(readers)
    if readers == "listing":
        whole = {
            "touched": folders,
            "partitions": [{"partition": it, "in": [entry]} for it in folders],
        }
        records.put(f"commits/{commit_name(1)}/manifest.json.gz", manifest(commit_name(1), **whole))
        records.put("head.json", head(version=1, log=[logged(commit_name(1), 1)]))
    else:
        _checkpointed(records, folders, entry, since)
    for key, body in records.contents.items():
        s3.put_object(Bucket=bucket, Key=key, Body=body)
    stored = folders if readers == "listing" else folders[-1:]
    for folder in stored:
        s3.put_object(Bucket=bucket, Key=f"sales/{folder}/{name}", Body=content)
    return f"s3://{bucket}/sales"


def _checkpointed(
    records: MemoryTable, folders: list[str], entry: dict[str, object], commits: int
) -> None:
    shard = {"name": "20-x-00000.json.gz", "first": folders[0], "last": folders[-1]}
    content = [{"partition": it, "files": [entry]} for it in folders]
    records.put(
        f"checkpoints/{shard['name']}",
        {"format": 1, "record": "checkpoint-shard", "partitions": content},
    )
    shards = [{**shard, "files": len(folders), "sorted": True}]
    members = {"files-checkpoint": "", "files-version": 20, "shards": shards}
    records.put("checkpoints/20-x.json.gz", {**checkpoint(20, ""), **members})
    since = [commit_name(version) for version in range(21, 21 + commits)]
    for commit in since:
        one = [{"partition": folders[-1], "in": [entry]}]
        records.put(
            f"commits/{commit}/manifest.json.gz",
            manifest(commit, touched=folders[-1:], partitions=one),
        )
    log = [logged(commit, version) for version, commit in enumerate(since, 21)]
    members = {"checkpoint": "20-x.json.gz", "checkpoint-version": 20, "readers": "snapshot"}
    records.put("head.json", head(version=20 + commits, log=log, **members))
