"""Columns that are of another kind in some files than in the table, which filters are wrong for.

pyarrow skips parts of a file by their bounds, which have the file's type. It compares a filter's
value with them, although it converts the file's rows to the table's type.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from repave._errors import UsageError
from repave._records import DataFile

# ruff: noqa: ANN401 - pyarrow has no types

# Spark's types that pyarrow names differently, apart from the number of bits.
SPARK: Final = dict.fromkeys(("byte", "short", "integer", "long"), "int") | {
    "boolean": "bool",
    "array": "list",
}
# How a type of pyarrow begins; `uint8` and `large_string` are as `int8` and `string`.
ARROW: Final = re.compile(r"(?:large_|u)?([a-z]+)")
# What a schema has to say for each kind of timestamp.
TIMESTAMPS: Final = {
    "timestamp": 'pa.timestamp("us", "UTC")',
    "timestamp_ntz": 'pa.timestamp("us")',
}
# How the kinds in files begin that are rounded to a table's kind; records have `decimal(4,2)`.
ROUNDED: Final = {"float": ("double", "decimal"), "decimal": ("float", "double")}

# By the names that lead to a column or a field inside structs, in small letters.
Kinds = Mapping[tuple[str, ...], str]


def recorded_kinds(columns: str) -> Kinds:
    """Return the kinds of a file's columns as records have them; none if they cannot be read.

    >>> field = '{"name":"ID","type":"long"}'
    >>> recorded_kinds('{"type":"struct","fields":[%s]}' % field), recorded_kinds("{")
    ({('id',): 'int'}, {})
    """
    try:
        return dict(_of_spark(json.loads(columns), ()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def kinds_of(schema: Any) -> Kinds:
    """Return the kinds of the columns of a schema of pyarrow."""
    return dict(_of_arrow(schema, ()))


def changed_columns(schema: Any, files: Iterable[DataFile]) -> frozenset[str]:
    """Return the columns of a schema that are of another kind in a file, as far as records tell."""
    wanted = kinds_of(schema)
    changed = {
        place[0]
        for columns in _distinct(files)
        for place, kind in recorded_kinds(columns).items()
        if wanted.get(place, kind) != kind
    }
    return frozenset(it.name for it in schema if it.name.lower() in changed)


def may_lose_rows(schema: Any) -> bool:
    """Return whether a column of a schema, or a field inside its structs, is of such a kind."""
    return not {"date", *ROUNDED}.isdisjoint(kinds_of(schema).values())


def refuse_recorded_columns(
    schema: Any, files: Iterable[DataFile], key: Callable[[DataFile], str]
) -> None:
    """Refuse columns whose filters would lose rows of a file, as records have its columns.

    Args:
        schema: the table's.
        files: of the table.
        key: returns a file's bucket and key.

    Raises:
        UsageError: there is such a file.
    """
    if may_lose_rows(schema):
        for columns, file in _distinct(files).items():
            refuse_columns(schema, recorded_kinds(columns), key(file))


def refuse_columns(schema: Any, its: Kinds, key: str) -> None:
    """Refuse columns whose filters would lose rows of a file, by its columns, bucket and key.

    They are dates that are timestamps in the file, floats that are doubles or decimals there, and
    decimals that are floats or doubles there.

    Raises:
        UsageError: there is such a column.
    """
    for place, kind in kinds_of(schema).items():
        found = its.get(place, "")
        if kind == "date" and found in TIMESTAMPS:
            why, wanted = "the file's times with midnight", TIMESTAMPS[found]
        elif found.startswith(ROUNDED.get(kind, ())):
            why, wanted = "the file's numbers before it rounds them", "pa.float64()"
        else:
            continue
        name = ".".join(place)
        message = (
            f"The column {name} is a {kind} in the table, and a {found} in the file s3://{key}: "
            f"a filter would lose rows, because pyarrow compares {why}. Pass schema= with the "
            f"type {wanted} for {name}, or without this column, or read the table with Spark."
        )
        raise UsageError(message)


def _distinct(files: Iterable[DataFile]) -> dict[str, DataFile]:
    """Return one file for each of the recorded columns."""
    return {file.schema: file for file in files if file.schema is not None}


def _of_spark(struct: Any, outer: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for field in struct["fields"]:
        place = (*outer, field["name"].lower())
        kind = field["type"]
        name = kind if isinstance(kind, str) else kind["type"]
        yield place, SPARK.get(name, name)
        if name == "struct":
            yield from _of_spark(kind, place)


def _of_arrow(fields: Any, outer: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for field in fields:
        place = (*outer, field.name.lower())
        name = str(field.type)
        found = ARROW.match(name)
        kind = found[1] if found else name
        if kind == "timestamp" and "tz=" not in name:
            kind = "timestamp_ntz"
        yield place, kind
        if kind == "struct":
            inner = [field.type.field(at) for at in range(field.type.num_fields)]
            yield from _of_arrow(inner, place)
