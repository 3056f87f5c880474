"""What DuckDB must not be given: rows that it would lose."""

from typing import Any, Final

from repave._errors import UsageError

FLOATS: Final = ("float", "double")
OLDEST: Final = (1, 2)


def refuse_old(version: str) -> None:
    """Refuse a DuckDB whose filters of decimals give other rows.

    DuckDB 1.1 hands them to pyarrow with a wrong value, and does not filter again.
    """
    if tuple(map(int, version.split(".")[:2])) < OLDEST:
        message = (
            f"Filters of DuckDB {version} on decimal columns lose rows and return others, because "
            "it gives pyarrow a wrong value. Install duckdb>=1.2, or read with arrow() or polars()."
        )
        raise UsageError(message)


def refuse_floats(schema: Any, version: str, table: str) -> None:  # noqa: ANN401 - pyarrow
    """Refuse floating-point columns, also nested ones, for a DuckDB that lets pyarrow filter rows.

    For DuckDB NaN is the greatest number, and for pyarrow it is not greater than any. DuckDB 1
    does not apply a filter again that it gave to pyarrow, so rows with NaN would be missing.
    """
    if int(version.partition(".")[0]) >= 2:  # noqa: PLR2004 - DuckDB 2.0
        return
    columns = [it.name for it in schema if any(kind in str(it.type) for kind in FLOATS)]
    if columns:
        message = (
            f"{table} has the floating-point column {columns[0]}, and filters of DuckDB {version} "
            "lose rows in which it is NaN. Install duckdb>=2.0, pass schema= without such columns, "
            "or read with arrow() or polars()."
        )
        raise UsageError(message)
