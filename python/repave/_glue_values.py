"""The values by which Glue knows a partition, and whether the types of its columns hold them."""

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
        UsageError: the folder has other columns, or a value that its column's type does not hold.
    """
    named = {column.lower(): value for column, value in values_of(folder).items()}
    again = (
        f"Nothing was changed in Glue. Drop that table, then run: repave follow {table} --glue "
        f"{name} --rebuild. Drop it {EXTERNAL}"
    )
    if named.keys() != {key.lower() for key in keys}:
        message = (
            f"The folder '{folder}' of {table} does not have the partition columns of {name}, "
            f"which are {list(keys)}. {again}"
        )
        raise UsageError(message)
    for key, kind in keys.items():
        # Queries of the whole table would fail at such a partition, or show another value.
        if not fits(named[key.lower()], kind):
            message = (
                f"The folder '{folder}' of {table} has a value that the partition column {key} of "
                f"{name} does not hold: its type is {kind}. {again}"
            )
            raise UsageError(message)
    return tuple(named[key.lower()] for key in keys)
