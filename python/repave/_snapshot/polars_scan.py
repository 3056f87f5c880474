"""A version as a lazy frame of Polars, whose filters keep the meaning that Polars gives them.

`polars.scan_pyarrow_dataset` lets pyarrow apply a filter in place of Polars, and they differ. For
pyarrow, null is not among given values, and NaN is not greater than a number.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from repave._snapshot.arrow_dataset import Version, arrow_type
from repave._snapshot.column_kinds import changed_columns
from repave._snapshot.extras import library

# ruff: noqa: ANN401 - pyarrow has no types

if TYPE_CHECKING:
    import polars as pl

EXTRA: Final = "polars"
# A name that no folder has, because it has a slash.
PLACE: Final = "/place"
COMPARISONS: Final[tuple[Callable[[Any, Any], Any], ...]] = (
    operator.eq,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)


def scan(dataset: Any, version: Version) -> Any:
    """Return a lazy frame of a version's dataset, which reads no file before it is collected."""
    known = library("polars", EXTRA)
    sources = library("polars.io.plugins", EXTRA)
    schema = known.from_arrow(dataset.schema.empty_table()).schema
    return sources.register_io_source(_Scan(dataset, version, schema), schema=schema)


class _Scan:
    """Reads what a query asks for; Polars calls it, maybe more than once."""

    def __init__(self, dataset: Any, version: Version, schema: Any) -> None:
        self._dataset = dataset
        self._version = version
        self._schema = schema
        self._pl = library("polars", EXTRA)
        self._changed = changed_columns(dataset.schema, version.files)

    def __call__(
        self, columns: list[str] | None, filter_: "pl.Expr | None", rows: int | None, _: int | None
    ) -> "Iterator[pl.DataFrame]":
        """Yield the rows that pass a filter, in the order of the files, at most so many."""
        shown = list(self._schema) if columns is None else columns
        filtered = [] if filter_ is None else filter_.meta.root_names()
        read = list(dict.fromkeys([*shown, *filtered]))
        # Polars means the first rows of the source, before the filter: nothing may be skipped then.
        conjuncts = [] if filter_ is None or rows is not None else list(_conjuncts(filter_))
        # With no column there would be no number of rows.
        batches = self._files(conjuncts).to_batches(
            columns=read or list(self._schema)[:1], filter=self._bounds(conjuncts)
        )
        yield self._empty(shown)
        for batch in batches:
            frame = self._pl.from_arrow(batch)
            if rows is not None:
                frame = frame.head(rows)
                rows -= frame.height
            if filter_ is not None:
                frame = frame.filter(filter_)
            if frame.height:
                yield frame.select(shown)
            if rows == 0:
                return

    def _empty(self, columns: list[str]) -> Any:
        return self._pl.DataFrame(schema={it: self._schema[it] for it in columns})

    def _files(self, conjuncts: "list[pl.Expr]") -> Any:
        """Return the dataset without the files whose partition values no row can pass with."""
        known = self._version.partitions()
        own = [it for it in conjuncts if set(it.meta.root_names()) <= known.columns.keys()]
        if not own or not self._version.files:
            return self._dataset
        pa = library("pyarrow", EXTRA)
        values = zip(*known.values.values(), strict=True)
        frame = self._pl.from_arrow(
            pa.table(
                {
                    **{
                        column: pa.array(those, arrow_type(kind, EXTRA))
                        for (column, kind), those in zip(known.columns.items(), values, strict=True)
                    },
                    PLACE: list(known.values),
                }
            )
        )
        for conjunct in own:
            frame = frame.filter(conjunct)
        folders = set(frame[PLACE])
        keys = {self._version.key(it) for it in self._version.files if it.partition in folders}
        return library("pyarrow.dataset", EXTRA).FileSystemDataset(
            [one for one in self._dataset.get_fragments() if one.path in keys],
            self._dataset.schema,
            self._dataset.format,
            self._dataset.filesystem,
        )

    def _bounds(self, conjuncts: "list[pl.Expr]") -> Any:
        """Return what pyarrow may skip rows by: comparisons of a column with a value.

        For both libraries they fail for null. Not those of floating-point numbers, because of NaN.
        """
        found = None
        for conjunct in conjuncts:
            one = self._bound(conjunct)
            if one is not None:
                found = one if found is None else found & one
        return found

    def _bound(self, conjunct: "pl.Expr") -> Any:
        parts = conjunct.meta.pop()
        if len(parts) != 2:  # noqa: PLR2004 - the sides of a comparison
            return None
        value, column = parts
        names = column.meta.root_names()
        if len(names) != 1 or value.meta.root_names() or not _same(column, self._pl.col(names[0])):
            return None
        if names[0] in self._changed:
            # pyarrow would compare the value with bounds of the file's type.
            return None
        series = self._pl.select(value).to_series()
        of = self._schema[names[0]]
        alike = series.dtype == of and not of.is_nested() and not of.is_numeric()
        if series.len() != 1 or not (alike or (series.dtype.is_integer() and of.is_integer())):
            return None
        pc = library("pyarrow.compute", EXTRA)
        scalar = series.to_arrow()[0]
        for compare in COMPARISONS:
            if _same(compare(column, value), conjunct):
                return compare(pc.field(names[0]), scalar) if scalar.is_valid else None
        return None


def _conjuncts(filter_: "pl.Expr") -> "Iterable[pl.Expr]":
    """Yield the parts all of which have to hold."""
    waiting = [filter_]
    while waiting:
        one = waiting.pop()
        parts = one.meta.pop()
        if len(parts) == 2 and _same(parts[1] & parts[0], one):  # noqa: PLR2004 - both sides
            waiting += parts
        else:
            yield one


def _same(one: "pl.Expr", other: "pl.Expr") -> bool:
    return bool(one.meta.eq(other))
