"""Lists of values in filters of pandas."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from repave._snapshot.pandas_filters import expression_of

COLUMNS = {
    "v": pa.array([0.0, -0.0, 0.5, None]),
    "small": pa.array([0.0, -0.0, 0.5, None], pa.float32()),
    "large": pa.array([0.0, 2.0**60, 0.5, None]),
    "id": pa.array([0, 2**60, 2, None]),
    "flag": pa.array([False, True, True, None]),
    "note": pa.array(["", "a", "b", None]),
}


@pytest.mark.parametrize(
    ("column", "values", "rows"),
    [
        ("v", [0, 7], 2),
        ("v", {0.0}, 2),
        ("v", (-0.0, 0.5), 3),
        ("v", pa.array([0.0]), 2),
        ("v", [Decimal(0)], 2),
        ("v", [0, None], 3),
        ("v", [0.5], 1),
        ("small", [0.0], 2),
        ("large", [0, 2**60], 2),
        ("id", [0, 2**60], 2),
        ("flag", [False], 1),
        ("note", ["", "a"], 2),
    ],
)
def test_a_list_of_values_finds_the_rows_that_have_them(
    column: str,
    values: Any,  # noqa: ANN401 - what pyarrow takes
    rows: int,
) -> None:
    dataset = ds.dataset(pa.table(COLUMNS))
    for filters in ([(column, "in", values)], [[[column, "in", values]]]):
        assert dataset.count_rows(filter=expression_of(filters, dataset.schema)) == rows
    others = expression_of([(column, "not in", values)], dataset.schema)
    assert dataset.count_rows(filter=others) == 4 - rows


@pytest.mark.parametrize("filters", [[()], [("v", "in")], [("v", "near", 0)]])
def test_other_filters_are_left_to_pyarrow(filters: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"Malformed|not enough values|not a valid operator"):
        expression_of(filters, pa.schema([("v", pa.float64())]))
