"""The floor: one plain PUT for each object that the job would write, from four threads."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.ground import Ground, Lake
from benchmarks.workload import Write, partitioned

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

THREADS: Final = 4
OLD_FILES, NEW_FILES = "old", "new"


class PlainPuts:
    """No commit at all: an overwrite puts over the old key, an append beside it.

    Spark computes the files before the clock starts, so that only the store is measured.
    """

    listed = True

    def conf(self, write: Write, lake: Lake) -> dict[str, str]:
        del write, lake
        return {}

    def create(self, ground: Ground, old: "DataFrame") -> None:
        _compute(old, ground.folder / OLD_FILES)
        _put_all(ground, ground.folder / OLD_FILES, "a")

    def prepare(self, ground: Ground, new: "DataFrame") -> None:
        _compute(new, ground.folder / NEW_FILES)

    def write(self, ground: Ground, new: "DataFrame", write: Write) -> None:
        del new
        name = "b" if write == "append" else "a"
        _put_all(ground, ground.folder / NEW_FILES, name)

    def read(self, ground: Ground) -> "DataFrame":
        return ground.spark.read.parquet(ground.lake.url)


def _compute(frame: "DataFrame", folder: Path) -> None:
    partitioned(frame.write, frame).parquet(f"file://{folder}")


def _put_all(ground: Ground, folder: Path, revision: str) -> None:
    lake = ground.lake

    def put(file: Path) -> None:
        # Spark's name without the job's id: part-00003.
        name = f"{file.name[:10]}-{revision}.parquet"
        key = f"{lake.table}/{file.relative_to(folder).with_name(name)}"
        ground.client.put_object(Bucket=lake.bucket, Key=key, Body=file.read_bytes())

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(put, sorted(folder.rglob("*.parquet"))))
