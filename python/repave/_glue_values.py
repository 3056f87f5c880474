"""The values by which Glue knows a partition, and whether the types of its columns hold them."""

from collections.abc import Iterable

from repave._errors import UsageError
from repave._glue_entries import EXTERNAL
from repave._hive import values_of
from repave._hive_types import Columns
from repave._snapshot.partitions import fits


def key_values(folder: str, keys: Columns, table: str, name: str) -> tuple[str, ...]:
    """Return the values of a partition in the order of the columns.

    Args:
        folder: the partition's.
        keys: the partition columns of the table in Glue, with their types.
        table: the table on S3, in messages.
        name: the table in Glue, in messages.

    Raises:
        UsageError: the folder has other columns.
    """
    named = {column.lower(): value for column, value in values_of(folder).items()}
    if named.keys() != {key.lower() for key in keys}:
        message = (
            f"The folder '{folder}' of {table} does not have the partition columns of {name}, "
            f"which are {list(keys)}. {_again(table, name)}"
        )
        raise UsageError(message)
    return tuple(named[key.lower()] for key in keys)


def require_held(new: Iterable[tuple[str, ...]], keys: Columns, table: str, name: str) -> None:
    """Refuse a partition with a value that its column's type does not hold.

    Queries of the whole table would fail at it, or show another value. A partition that Glue has
    already is left alone: its readers may have come to terms with it.

    Args:
        new: the values of partitions that Glue does not have.
        keys: the partition columns of the table in Glue, with their types.
        table: the table on S3, in messages.
        name: the table in Glue, in messages.

    Raises:
        UsageError: there is one.
    """
    for values in new:
        for value, (key, kind) in zip(values, keys.items(), strict=True):
            if not fits(value, kind):
                message = (
                    f"{table} has a partition whose value {value!r} of {key} the table {name} in "
                    f"Glue does not hold: the type of its column is {kind}. {_again(table, name)}"
                )
                raise UsageError(message)


def _again(table: str, name: str) -> str:
    return (
        f"Nothing was changed in Glue. Drop that table, then run: repave follow {table} --glue "
        f"{name} --rebuild. Drop it {EXTERNAL}"
    )
