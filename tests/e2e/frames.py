"""Rows in and out of Spark, as plain tuples."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]


def rows(frame: "DataFrame") -> list[Row]:
    """Return all rows in an order of their own, nulls included."""
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def sales(spark: "SparkSession", days: Iterable[int], note: str, per_day: int = 2) -> "DataFrame":
    """Return a frame of `id, note, day` with some rows for each day."""
    content = [(day * 100 + n, note, day) for day in days for n in range(per_day)]
    return spark.createDataFrame(content, "id long, note string, day int").coalesce(1)


def notes(frame: "DataFrame") -> dict[int, str]:
    """Return, for a frame of sales, what is noted for each day; every row must agree."""
    found: dict[int, str] = {}
    for row in frame.select("day", "note").distinct().collect():
        assert row.day not in found, f"day {row.day} has old and new rows"
        found[row.day] = row.note
    return found


@contextmanager
def in_a_batch(spark: "SparkSession") -> Iterator[None]:
    """Write as a batch of a stream does, which the same application may repeat."""
    context = spark.sparkContext
    context.setLocalProperty("streaming.sql.batchId", "1")
    try:
        yield
    finally:
        context.setLocalProperty("streaming.sql.batchId", None)  # type: ignore[arg-type]  # unset
