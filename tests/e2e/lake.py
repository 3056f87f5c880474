"""A bucket that Spark writes to, and what may be asked about it from outside."""

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repave_lab.proxy import Proxy
from repave_lab.proxy.journal import Entry

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

STAGING = ("_temporary", ".spark-staging", ".hive-staging")


@dataclass(frozen=True)
class Lake:
    """One bucket behind a proxy; `client` goes to the server directly."""

    bucket: str
    client: "S3Client"
    proxy: Proxy

    def table(self, name: str) -> "TableFolder":
        return TableFolder(self, name)


@dataclass(frozen=True)
class TableFolder:
    """One table's folder."""

    lake: Lake
    name: str

    @property
    def url(self) -> str:
        return f"s3a://{self.lake.bucket}/{self.name}"

    def listing(self) -> list[str]:
        """Return every key of the table, relative to it."""
        pages = self.lake.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.lake.bucket, Prefix=f"{self.name}/"
        )
        prefix = len(self.name) + 1
        return [one["Key"][prefix:] for page in pages for one in page.get("Contents", ())]

    def data(self) -> list[str]:
        """Return the keys that readers see."""
        return [
            key
            for key in self.listing()
            # S3A leaves markers of folders, the table's own among them.
            if key and not key.endswith(("/", "_SUCCESS")) and not key.startswith("_repave/")
        ]

    def partitions(self) -> Counter[str]:
        """Return how many files each partition's folder holds."""
        return Counter(key.rpartition("/")[0] for key in self.data())

    def head(self) -> dict[str, Any]:
        answer = self.lake.client.get_object(
            Bucket=self.lake.bucket, Key=f"{self.name}/_repave/head.json"
        )
        document: dict[str, Any] = json.loads(answer["Body"].read())
        return document

    def has_head(self) -> bool:
        return "_repave/head.json" in self.listing()

    def open_uploads(self) -> list[str]:
        """Return the keys of the uploads that nobody completed or aborted."""
        found: list[str] = []
        pages = self.lake.client.list_multipart_uploads(Bucket=self.lake.bucket)
        found += [one["Key"] for one in pages.get("Uploads", ())]
        return [key for key in found if key.startswith(f"{self.name}/")]

    def await_no_uploads(self, seconds: float = 20) -> None:
        """Wait until tasks that were told to stop have taken their uploads back."""
        end = time.monotonic() + seconds
        while self.open_uploads() and time.monotonic() < end:
            time.sleep(0.2)
        assert self.open_uploads() == []

    def assert_settled(self) -> None:
        """Assert that nothing is left to do and no folder was used as a staging area."""
        assert self.open_uploads() == []
        keys = self.listing()
        assert [key for key in keys if any(part in key for part in STAGING)] == []
        if self.has_head():
            assert self.head()["active"] == []

    def journal(self) -> list[Entry]:
        """Return the requests about this table since the last reset."""
        return [
            entry
            for entry in self.lake.proxy.journal()
            if entry.bucket == self.lake.bucket and _about(entry, self.name)
        ]

    def counts(self) -> Counter[str]:
        return Counter(entry.op for entry in self.journal())


def foreign_file(table: TableFolder, key: str) -> None:
    """Put a file into the table as another program would: a copy out of `<table>-source`."""
    source = table.lake.table(f"{table.name}-source")
    table.lake.client.copy_object(
        Bucket=table.lake.bucket,
        Key=f"{table.name}/{key}",
        CopySource={"Bucket": source.lake.bucket, "Key": f"{source.name}/{source.data()[0]}"},
    )


def _about(entry: Entry, name: str) -> bool:
    keys = entry.keys or [entry.key]
    return any(key == name or key.startswith(f"{name}/") or not key for key in keys)
