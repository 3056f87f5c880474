"""What is written: read from `workloads/*.toml`, the same rows for every system."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.toml import HERE, read_toml

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession

Write = Literal["dynamic-overwrite", "static-overwrite", "append"]
WRITES: Final = ("dynamic-overwrite", "static-overwrite", "append")
Query = Literal["read-partition", "open", "open-again"]
QUERIES: Final = ("read-partition", "open", "open-again")
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
    untouched: int = 0
    """Partitions of the table that the job leaves alone."""
    flat: bool = False
    """One column, no partitions and no old rows: a file a task, as `partitions` says."""
    crash: bool = False
    """An earlier run of the same job was killed in its commit."""
    writers: int = 1
    """So many jobs at once share the partitions, on one table."""
    earlier_commits: int = 0
    """Small overwrites of the table before the one that is measured."""
    query: Query | None = None
    """What is done with the table after the write; then only this is measured."""
    skips: tuple[str, ...] = ()
    """Systems that are left out unless they are asked for by name."""
    only: tuple[str, ...] = ()
    """The systems that run unless others are asked for by name; empty: all but `skips`."""
    scale: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a workload whose files could not be counted beforehand."""
        if self.write not in WRITES:
            message = f"{self.name}: write = {self.write!r} is none of {', '.join(WRITES)}."
            raise ValueError(message)
        if self.query not in (*QUERIES, None):
            message = f"{self.name}: query = {self.query!r} is none of {', '.join(QUERIES)}."
            raise ValueError(message)
        if self.partitions % self.tasks or self.untouched % self.tasks:
            message = (
                f"{self.name}: {self.partitions} partitions are no multiple of {self.tasks} tasks,"
                " so that some would be split into two files: choose a multiple."
            )
            raise ValueError(message)

    @property
    def files(self) -> int:
        """How many files the job writes: one a partition, for no partition spans two tasks."""
        return self.partitions

    def sized(self, partitions: int) -> "Workload":
        tasks = partitions if self.flat else self.tasks
        return replace(self, partitions=partitions, tasks=tasks)

    def scaled(self, scale: float) -> "Workload":
        """Return it with so many times the rows in each file."""
        rows = max(1, round(self.rows_a_partition * scale))
        return replace(self, rows_a_partition=rows, scale=self.scale * scale)

    def old(self, spark: "SparkSession") -> "DataFrame":
        if self.flat:
            return spark.range(0, 0, 1, 1)
        return self._frame(spark, OLD, self.partitions + self.untouched)

    def new(self, spark: "SparkSession") -> "DataFrame":
        if self.flat:
            return spark.range(0, self.partitions * self.rows_a_partition, 1, self.tasks)
        return self._frame(spark, NEW, self.partitions)

    def shares(self, new: "DataFrame") -> "list[DataFrame]":
        """Return what each writer writes."""
        if self.writers == 1:
            return [new]
        return [new.where(f"part % {self.writers} = {one}") for one in range(self.writers)]

    def again(self, spark: "SparkSession") -> "DataFrame":
        """Return the old rows of a few partitions: an earlier commit that changes no row."""
        return self._frame(spark, OLD, self.tasks).coalesce(1)

    def read_back(self) -> tuple[int, int]:
        """Return the rows of the whole table after the job, and the sum of their ids."""
        rows, ids = zip(*self.expected().values(), strict=True)
        return sum(rows), sum(ids)

    def left_to(self, systems: Iterable[str]) -> list[str]:
        """Return the systems that run unless others are asked for by name."""
        return [one for one in systems if one not in self.skips and one in (self.only or (one,))]

    def _frame(self, spark: "SparkSession", revision: int, partitions: int) -> "DataFrame":
        """Return the rows; the digest keeps the files from compressing to nothing."""
        rows = partitions * self.rows_a_partition
        return spark.range(0, rows, 1, self.tasks).selectExpr(
            "id",
            f"{revision} AS revision",
            f"sha2(concat(id, '/{revision}'), 256) AS digest",
            f"CAST(id DIV {self.rows_a_partition} AS INT) AS part",
        )

    def expected(self) -> Rows:
        """Return what a reader must find after the job."""
        n = self.rows_a_partition
        if self.flat:
            rows = self.partitions * n
            return {(0, NEW): (rows, rows * (rows - 1) // 2)}
        touched = (OLD, NEW) if self.write == "append" else (NEW,)
        end = self.partitions if self.write == "static-overwrite" else None
        return {
            (part, revision): (n, n * part * n + n * (n - 1) // 2)
            for part in range(self.partitions + self.untouched)[:end]
            for revision in (touched if part < self.partitions else (OLD,))
        }


def partitioned(writer: "DataFrameWriter", frame: "DataFrame") -> "DataFrameWriter":
    """Return the writer of a frame's rows, by partition unless they have none."""
    return writer.partitionBy("part") if "part" in frame.columns else writer


def found_rows(frame: "DataFrame") -> Rows:
    """Read a table back."""
    if "part" not in frame.columns:
        (row,) = frame.agg({"*": "count", "id": "sum"}).collect()
        return {(0, NEW): (int(row["count(1)"]), int(row["sum(id)"] or 0))}
    rows = frame.groupBy("part", "revision").agg({"*": "count", "id": "sum"}).collect()
    return {
        (int(row["part"]), int(row["revision"])): (int(row["count(1)"]), int(row["sum(id)"]))
        for row in rows
    }


def workload_names() -> list[str]:
    return sorted(path.stem for path in (HERE / "workloads").glob("*.toml"))


def load_workload(name: str) -> list[Workload]:
    """Return a workload in each of its sizes: `partitions` is a number or a list of them."""
    if name not in workload_names():
        message = f"There is no workload {name!r}: choose from {', '.join(workload_names())}."
        raise ValueError(message)
    values = read_toml(f"workloads/{name}.toml")
    sizes = values.pop("partitions")
    skips, only = tuple(values.pop("skips", ())), tuple(values.pop("only", ()))
    return [
        Workload(name=name, partitions=partitions, skips=skips, only=only, **values)
        for partitions in (sizes if isinstance(sizes, list) else [sizes])
    ]
