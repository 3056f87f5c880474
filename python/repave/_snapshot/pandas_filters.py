"""Filters as `pandas.read_parquet` takes them, as expressions of pyarrow."""

from typing import Any

from repave._snapshot.extras import library

# ruff: noqa: ANN401 - pyarrow has no types


def expression_of(filters: list[Any], schema: Any) -> Any:
    """Return filters on a dataset's columns as one expression.

    For `isin` of pyarrow 0.0 and -0.0 are two values, for its other comparisons one. The bounds of
    a row group that has only zeros are -0.0 and 0.0. pyarrow treats all of its rows as -0.0, and
    skips them if the list has 0.0 alone. So a list with a zero gets both.
    """
    is_floating = library("pyarrow", "pandas").types.is_floating
    floats = {one.name for one in schema if is_floating(one.type)}
    convert = library("pyarrow.parquet", "pandas").filters_to_expression
    return convert(_with_both_zeros(filters, floats))


def _with_both_zeros(part: Any, floats: set[str]) -> Any:
    match part:
        case [str(column), "in" | "not in" as operator, values]:
            return (column, operator, _both_zeros(values) if column in floats else values)
        case [str(), *_]:
            return part
        case [*parts]:
            return [_with_both_zeros(one, floats) for one in parts]
    return part


def _both_zeros(values: Any) -> Any:
    pa = library("pyarrow", "pandas")
    known = pa.array(values)
    if 0 not in known.to_pylist():
        return known
    # pyarrow's cast refuses an integer above 2**53 unless it may round.
    return pa.concat_arrays([known.cast(pa.float64(), safe=False), pa.array([0.0, -0.0])])
