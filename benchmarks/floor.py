"""Floors that need no commit protocol: the local disk, and one plain PUT for each object."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.folders import save
from benchmarks.run_context import Lake, RunContext
from benchmarks.workload import Write, partitioned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

THREADS: Final = 4
OLD_FILES, NEW_FILES = "old", "new"


class LocalDisk:
    """The same job with stock Spark on the local disk: no store, no request, cheap renames."""

    listed = False

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del write, lake
        return {}

    def create(self, context: RunContext, old: "DataFrame") -> None:
        save(old, "append", _on_disk(context))

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        """Nothing to prepare."""

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        save(new, write, _on_disk(context))

    def read(self, context: RunContext) -> "DataFrame":
        return context.spark.read.parquet(_on_disk(context))


class PlainPuts:
    """No commit at all: an overwrite puts over the old key, an append next to it.

    Spark computes the files before the clock starts, so that only the store is measured.
    """

    listed = True

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del write, lake
        return {}

    def create(self, context: RunContext, old: "DataFrame") -> None:
        _compute(old, context.folder / OLD_FILES)
        _put_all(context, context.folder / OLD_FILES, "a")

    def prepare(self, context: RunContext, new: "DataFrame") -> None:
        _compute(new, context.folder / NEW_FILES)

    def write(self, context: RunContext, new: "DataFrame", write: Write) -> None:
        del new
        name = "b" if write == "append" else "a"
        _put_all(context, context.folder / NEW_FILES, name)

    def read(self, context: RunContext) -> "DataFrame":
        return context.spark.read.parquet(context.lake.url)


def _on_disk(context: RunContext) -> str:
    return f"file://{context.folder / 'table'}"


def _compute(frame: "DataFrame", folder: Path) -> None:
    partitioned(frame.write, frame).parquet(f"file://{folder}")


def _put_all(context: RunContext, folder: Path, revision: str) -> None:
    lake = context.lake

    def put(file: Path) -> None:
        # Spark's name without the job's id: part-00003.
        name = f"{file.name[:10]}-{revision}.parquet"
        key = f"{lake.table}/{file.relative_to(folder).with_name(name)}"
        context.client.put_object(Bucket=lake.bucket, Key=key, Body=file.read_bytes())

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(put, sorted(folder.rglob("*.parquet"))))
