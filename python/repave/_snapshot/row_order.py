"""Reads rows of Parquet files and compares each with the one before it."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from repave._order import SortColumn
from repave._records import DataFile
from repave._snapshot.extras import library

# ruff: noqa: ANN401 - pyarrow has no types

ROWS_AT_ONCE = 1 << 16


class Incomparable(Exception):  # noqa: N818 - an answer, which no caller sees as an error
    """The order of a file's rows cannot be told; the text says why."""


class Unreadable(Exception):  # noqa: N818 - an answer too
    """A file is gone or damaged, or cannot be read for another reason, which the text says."""


class RowOrder:
    """Compares rows as Spark sorts them: NaN above all numbers, both zeros equal."""

    def __init__(self, filesystem: Any, columns: tuple[SortColumn, ...]) -> None:
        self._filesystem = filesystem
        self._columns = columns
        self._pa = library("pyarrow", "arrow")
        self._pc = library("pyarrow.compute", "arrow")
        self._pq = library("pyarrow.parquet", "arrow")

    def first_disorder(self, key: str, file: DataFile) -> int | None:
        """Return the number, from 0, of the first row that sorts before the row before it.

        Raises:
            Incomparable: the file is not Parquet, or lacks a column that can be compared.
            Unreadable: the file cannot be read.
        """
        if not file.name.endswith(".parquet"):
            message = "its name does not end in .parquet"
            raise Incomparable(message)
        if "__COLLATIONS" in (file.schema or ""):
            message = "it has texts with a collation, which only Spark can compare"
            raise Incomparable(message)
        try:
            with self._filesystem.open_input_file(key) as source:
                # As nanoseconds, Spark's INT96 would become other times before 1677 and after 2262.
                parquet = self._pq.ParquetFile(source, coerce_int96_timestamp_unit="us")
                names = [self._name(one, parquet.schema_arrow) for one in self._columns]
                return self._scan(self._batches(parquet, names))
        except (self._pa.ArrowException, OSError) as error:
            message = f"it cannot be read: {str(error).partition(chr(10))[0]}"
            raise Unreadable(message) from error

    def _name(self, column: SortColumn, schema: Any) -> str:
        if column.name in schema.names:
            return column.name
        similar: list[str] = [one for one in schema.names if one.lower() == column.name.lower()]
        if len(similar) != 1:
            message = f"it has no column {column.name}"
            raise Incomparable(message)
        return similar[0]

    def _batches(self, parquet: Any, names: list[str]) -> Iterator[list[Any]]:
        kinds = [parquet.schema_arrow.field(name).type for name in names]
        for name, kind in zip(names, kinds, strict=True):
            if self._pa.types.is_nested(kind):
                message = f"its column {name} is nested"
                raise Incomparable(message)
        for batch in parquet.iter_batches(ROWS_AT_ONCE, columns=names):
            # Arrow does not compare dictionaries and truth values.
            yield [self._plain(batch.column(name)) for name in names]

    def _plain(self, values: Any) -> Any:
        if self._pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        return values.cast("int8") if self._pa.types.is_boolean(values.type) else values

    def _scan(self, batches: Iterator[list[Any]]) -> int | None:
        first, last = 0, None
        for batch in batches:
            if not len(batch[0]):
                continue
            if last is not None:
                pairs = zip(last, batch, strict=True)
                batch = [self._pa.concat_arrays([before, now]) for before, now in pairs]  # noqa: PLW2901
                first -= 1
            wrong = self._pc.index(self._in_order(batch), value=False).as_py()
            if wrong >= 0:
                return int(first + wrong + 1)
            first += len(batch[0])
            last = [values[-1:] for values in batch]
        return None

    def _in_order(self, batch: list[Any]) -> Any:
        """Return, for each row but the last, whether the next row does not sort before it."""
        pc = self._pc
        compared = [
            self._compared(column, values[:-1], values[1:])
            for column, values in zip(self._columns, batch, strict=True)
        ]
        less, equal = compared[-1]
        return reduce(
            lambda rest, one: pc.or_(one[0], pc.and_(one[1], rest)),
            reversed(compared[:-1]),
            pc.or_(less, equal),
        )

    def _compared(self, column: SortColumn, before: Any, after: Any) -> tuple[Any, Any]:
        """Return whether a value sorts before the next one, and whether both are equal."""
        pc = self._pc
        value_less, value_equal = self._values(column, before, after)
        null, next_null = pc.is_null(before), pc.is_null(after)
        both = pc.and_(pc.invert(null), pc.invert(next_null))
        classes = pc.and_not(next_null, null) if column.nulls_last else pc.and_not(null, next_null)
        less = pc.or_(classes, pc.and_(both, value_less))
        return less, pc.or_(pc.and_(null, next_null), pc.and_(both, value_equal))

    def _values(self, column: SortColumn, before: Any, after: Any) -> tuple[Any, Any]:
        pc = self._pc
        low, high = (after, before) if column.descending else (before, after)
        less, equal = pc.less(low, high), pc.equal(low, high)
        if self._pa.types.is_floating(before.type):
            low_nan, high_nan = pc.is_nan(low), pc.is_nan(high)
            less = pc.or_(less, pc.and_not(high_nan, low_nan))
            equal = pc.or_(equal, pc.and_(low_nan, high_nan))
        return pc.fill_null(less, False), pc.fill_null(equal, False)
