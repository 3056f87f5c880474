"""What is written: read from `workloads/*.toml`, the same rows for every system."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.toml import HERE, read_toml

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Write = Literal["dynamic-overwrite", "static-overwrite", "append"]
WRITES: Final = ("dynamic-overwrite", "static-overwrite", "append")
OLD, NEW = 1, 2
Rows = dict[tuple[int, int], tuple[int, int]]
"""Rows and the sum of their ids, by partition and revision."""


@dataclass(frozen=True)
class Workload:
    """One job over a table that holds old data."""

    name: str
    about: str
    write: Write
    partitions: int
    rows_a_partition: int
    tasks: int

    def __post_init__(self) -> None:
        """Refuse a workload whose files could not be counted beforehand."""
        if self.write not in WRITES:
            message = f"{self.name}: write = {self.write!r} is none of {', '.join(WRITES)}."
            raise ValueError(message)
        if self.partitions % self.tasks:
            message = (
                f"{self.name}: {self.partitions} partitions are no multiple of {self.tasks} tasks,"
                " so that some would be split into two files: choose a multiple."
            )
            raise ValueError(message)

    @property
    def files(self) -> int:
        """How many files the job writes: one a partition, for no partition spans two tasks."""
        return self.partitions

    def scaled(self, partitions: int) -> "Workload":
        return replace(self, partitions=partitions)

    def frame(self, spark: "SparkSession", revision: int) -> "DataFrame":
        """Return the rows; the digest keeps the files from compressing to nothing."""
        rows = self.partitions * self.rows_a_partition
        return spark.range(0, rows, 1, self.tasks).selectExpr(
            "id",
            f"{revision} AS revision",
            f"sha2(concat(id, '/{revision}'), 256) AS digest",
            f"CAST(id DIV {self.rows_a_partition} AS INT) AS part",
        )

    def expected(self) -> Rows:
        """Return what a reader must find after the job."""
        revisions = (OLD, NEW) if self.write == "append" else (NEW,)
        n = self.rows_a_partition
        return {
            (part, revision): (n, n * part * n + n * (n - 1) // 2)
            for part in range(self.partitions)
            for revision in revisions
        }


def found_rows(frame: "DataFrame") -> Rows:
    """Read a table back."""
    rows = frame.groupBy("part", "revision").agg({"*": "count", "id": "sum"}).collect()
    return {
        (int(row["part"]), int(row["revision"])): (int(row["count(1)"]), int(row["sum(id)"]))
        for row in rows
    }


def workload_names() -> list[str]:
    return sorted(path.stem for path in (HERE / "workloads").glob("*.toml"))


def load_workload(name: str) -> Workload:
    if name not in workload_names():
        message = f"There is no workload {name!r}: choose from {', '.join(workload_names())}."
        raise ValueError(message)
    return Workload(name=name, **read_toml(f"workloads/{name}.toml"))
