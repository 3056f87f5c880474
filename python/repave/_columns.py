"""How the columns of a DataFrame differ from those of a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

NULLABILITY: Final = ("nullable", "containsNull", "valueContainsNull")


@dataclass(frozen=True)
class ColumnChanges:
    """How the columns of a DataFrame differ from those of a table."""

    added: tuple[str, ...]
    missing: tuple[str, ...]
    retyped: tuple[str, ...]


def column_changes(table: Mapping[str, str], frame: Mapping[str, str]) -> ColumnChanges:
    """Compare the columns of a DataFrame with those of a table: names and types.

    >>> column_changes({"id": "int", "v": "string"}, {"id": "bigint", "w": "string"})
    ColumnChanges(added=('w',), missing=('v',), retyped=('id is int, not bigint',))
    """
    both = [column for column in table if column in frame]
    return ColumnChanges(
        tuple(column for column in frame if column not in table),
        tuple(column for column in table if column not in frame),
        tuple(f"{c} is {table[c]}, not {frame[c]}" for c in both if table[c] != frame[c]),
    )


def nullable(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of a type in which everything may be null, as in every file.

    >>> nullable({"type": "array", "elementType": "long", "containsNull": False})
    {'type': 'array', 'elementType': 'long', 'containsNull': True}
    """
    if isinstance(schema, list):
        return [nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: True if key in NULLABILITY else value if key == "metadata" else nullable(value)
        for key, value in schema.items()
    }
