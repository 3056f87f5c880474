"""Sorts rows so that Spark's writer keeps their order in each file."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from repave._catalog_sql import quoted
from repave._errors import UsageError
from repave._order import SortColumn, order_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

CONCURRENT_WRITERS: Final = "spark.sql.maxConcurrentOutputFileWriters"
# Their writer does not know that a column of one value needs no sort (SPARK-53738).
SORTED_AGAIN_BY_LITERALS: Final = ("4.0.0", "4.0.1")


def ordered(
    df: "DataFrame",
    partition_by: str | Sequence[str] = (),
    order_by: str | Sequence[str] = (),
    files: int | None = None,
    spread: Literal["hash", "range"] = "hash",
) -> "DataFrame":
    """Return the rows in an order that Spark's writer keeps inside each file.

    Write the result at once, to the same partition columns, and let the job check it:

        rows = repave.ordered(df, partition_by=["day"], order_by=["id", "ts desc"])
        writer = rows.write.mode("overwrite").partitionBy("day")
        writer.option("repave.order", "id, ts desc").parquet("s3a://lake/sales")

    Empty texts in partition columns become nulls: Spark writes both into one folder, where they are
    read as nulls.

    Args:
        df: the rows.
        partition_by: the columns that the write is partitioned by.
        order_by: columns as `ORDER BY` writes them: `id`, `ts desc nulls last`, with backticks
            around names that have spaces, dots or commas.
        files: at most so many files in each partition; by default one for each partition, and as
            many as Spark's shuffles have for a table without partitions or for ranges.
        spread: "hash" sends rows to files by a hash. "range" gives each file a range of the order,
            so that a reader who wants few values opens few files; Spark reads the rows once more
            to find the ranges.

    Raises:
        UsageError: no order, a column that is not there or named twice, or a session whose writer
            cannot keep an order.
    """
    partitions = [partition_by] if isinstance(partition_by, str) else list(partition_by)
    order = order_of(order_by)
    _check(df, partitions, order, files, spread)
    df = _with_stored_values(df, partitions)
    keys = [SortColumn(name) for name in partitions]
    spreading = _by_range if spread == "range" else _by_hash
    return spreading(df, keys, order, files).sortWithinPartitions(
        *(_sorted(column) for column in (*keys, *order))
    )


def _by_hash(
    df: "DataFrame", keys: list[SortColumn], order: tuple[SortColumn, ...], files: int | None
) -> "DataFrame":
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - Spark's way; it may be absent

    columns = [F.col(one.quoted) for one in keys]
    by_order = [F.col(one.quoted) for one in order]
    if not keys:
        return df.repartition(*by_order) if files is None else df.repartition(files, *by_order)
    if files is not None:
        columns.append(F.pmod(F.xxhash64(*by_order), F.lit(files)))
    return df.repartition(*columns)


def _by_range(
    df: "DataFrame", keys: list[SortColumn], order: tuple[SortColumn, ...], files: int | None
) -> "DataFrame":
    columns = [_sorted(one) for one in (*keys, *order)]
    if files is None:
        return df.repartitionByRange(*columns)
    return df.repartitionByRange(files, *columns)


def _sorted(column: SortColumn):  # type: ignore[no-untyped-def]  # noqa: ANN202 - two kinds of Column
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - Spark's way; it may be absent

    values = F.col(column.quoted)
    if column.descending:
        return values.desc_nulls_last() if column.nulls_last else values.desc_nulls_first()
    return values.asc_nulls_last() if column.nulls_last else values.asc_nulls_first()


def _with_stored_values(df: "DataFrame", partitions: list[str]) -> "DataFrame":
    """Give rows of one folder the same values in the partition columns."""
    for name in partitions:
        field = _field(df, name)
        values = _stored(df, field)
        if values is not None:
            df = df.withColumn(field.name, values.alias(field.name, metadata=field.metadata))
    return df


def _field(df: "DataFrame", name: str) -> "StructField":
    # withColumn renames a column that it finds by another case.
    fields = list(df.schema)
    exact = [field for field in fields if field.name == name]
    return [*exact, *(field for field in fields if field.name.lower() == name.lower())][0]


def _stored(df: "DataFrame", field: "StructField"):  # type: ignore[no-untyped-def]  # noqa: ANN202 - two kinds of Column
    """Return the values of a partition column to write, None if they are written as they are."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - Spark's way; it may be absent
    from pyspark.sql.types import CharType, StringType, VarcharType  # noqa: PLC0415 - the same

    values = column = F.col(quoted(field.name))
    if field.nullable and isinstance(field.dataType, CharType | StringType | VarcharType):
        # Spark writes nulls and empty texts into one folder. A comparison with '' would also find
        # the blanks of a CHAR column, which have a folder of their own.
        values = F.when(F.length(values) > 0, values)
    if df.sparkSession.version in SORTED_AGAIN_BY_LITERALS:
        # Hide from the optimizer that the column may have one value only.
        values = F.when(F.monotonically_increasing_id() >= 0, values)
    return None if values is column else values


def _check(
    df: "DataFrame",
    partitions: list[str],
    order: tuple[SortColumn, ...],
    files: int | None,
    spread: str,
) -> None:
    named = [*partitions, *(one.name for one in order)]
    known = [name.lower() for name in df.columns]
    for name in named:
        if name.lower() not in known:
            message = f"There is no column {name}. There are: {', '.join(df.columns)}"
            raise UsageError(message)
    if len({name.lower() for name in named}) < len(named):
        message = (
            f"A column is named twice in {', '.join(named)}. Name partition columns in "
            "partition_by and the columns inside the files in order_by."
        )
        raise UsageError(message)
    if spread not in ("hash", "range"):
        message = f'spread is "hash" or "range", not {spread!r}.'
        raise UsageError(message)
    if files is not None and (type(files) is not int or files < 1):
        message = f"files is a number from 1, not {files!r}."
        raise UsageError(message)
    writers = df.sparkSession.conf.get(CONCURRENT_WRITERS, "0")
    if partitions and writers != "0":
        message = (
            f"{CONCURRENT_WRITERS} is {writers}, so a task that writes to many partitions sorts "
            "its rows again and loses their order. Set it to 0."
        )
        raise UsageError(message)
