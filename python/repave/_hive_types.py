"""Columns and their types as Hive names them: from records, whose text may be hostile, and DDL."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from repave._envelope import RESTORE_IT
from repave._errors import InvalidRecordError, UsageError

# Spark's names of types, where SQL has another one.
HIVE_TYPES: Final = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "timestamp_ntz": "timestamp",
}
# Types are written into statements as they are, so nothing else may pass.
SIMPLE_TYPE: Final = re.compile(
    r"string|tinyint|smallint|int|bigint|float|double|boolean|binary|date|timestamp"
    r"|(?:decimal|char|varchar)\([0-9]{1,5}(?:,[0-9]{1,2})?\)",
    re.ASCII,
)
# What Hive's parser of types takes for the name of a struct's field.
FIELD_NAME: Final = re.compile(r"[\w.$ ]+")
# A quoted name is found as a whole, because a comma inside does not end the column.
QUOTED_OR_LETTER: Final = re.compile(r"`(?:[^`]|``)*`|.", re.DOTALL)
DECLARED: Final = re.compile(r"(?:`((?:[^`]|``)+)`|([^\s`]+))\s+(\S.*)", re.DOTALL)
SHOWN_CHARS: Final = 80

Columns = dict[str, str]


def declared(columns: str) -> Columns:
    """Return the columns of a list such as DDL has.

    >>> declared("id bigint, price decimal(9,2), `my tags` array<string>")
    {'id': 'bigint', 'price': 'decimal(9,2)', 'my tags': 'array<string>'}
    """
    parts, depth = [""], 0
    for one in QUOTED_OR_LETTER.findall(columns):
        depth += (one in "(<") - (one in ")>")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    found = {}
    for part in parts:
        column = DECLARED.fullmatch(part.strip())
        if column is None:
            message = f"--columns takes names and types, such as 'id bigint', not {part.strip()!r}."
            raise UsageError(message)
        found[(column[1] or column[2]).replace("``", "`")] = column[3].lower()
    return found


def recorded(schemas: Iterable[str], table: str) -> Columns:
    """Return the columns of all files with Hive's types.

    Args:
        schemas: the files' columns as records have them. The first type of a column counts.
        table: its name in messages.

    Raises:
        UsageError: Hive has no such type.
        InvalidRecordError: a text does not describe columns.
    """
    return recorded_as(schemas, table, hive_type)


def recorded_as(schemas: Iterable[str], table: str, named: Callable[[Any], str]) -> Columns:
    """Return the columns as `recorded` does, with the names that a function gives to types."""
    found: dict[str, tuple[str, str]] = {}
    for schema in schemas:
        try:
            _add(json.loads(schema)["fields"], named, found)
        except UsageError:  # which is a ValueError too
            raise
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            message = (
                f"A record of {table} names the columns {_shown(schema)}, which is not Spark's "
                f"JSON of columns.{RESTORE_IT}"
            )
            raise InvalidRecordError(message) from None
    return dict(found.values())


def _add(
    fields: Any,  # noqa: ANN401 - JSON
    named: Callable[[Any], str],
    found: dict[str, tuple[str, str]],
) -> None:
    for field in fields:
        # Hive does not distinguish `id` and `ID`, of which each file has one.
        key = field["name"].lower()
        if key not in found:
            found[key] = (field["name"], named(field["type"]))


def hive_type(kind: Any) -> str:  # noqa: ANN401 - Spark's JSON of a type
    """Return Hive's name of a type of Spark.

    >>> hive_type("long"), hive_type({"type": "array", "elementType": "integer"})
    ('bigint', 'array<int>')

    Raises:
        UsageError: Hive has no such type.
    """
    if isinstance(kind, str):
        name = HIVE_TYPES.get(kind, kind)
        if not SIMPLE_TYPE.fullmatch(name):
            raise _not_in_hive(kind)
        return name
    if kind["type"] == "array":
        return f"array<{hive_type(kind['elementType'])}>"
    if kind["type"] == "map":
        return f"map<{hive_type(kind['keyType'])},{hive_type(kind['valueType'])}>"
    if kind["type"] == "struct":
        return f"struct<{','.join(map(_field, kind['fields']))}>"
    return hive_type(kind["sqlType"])


def _field(field: Any) -> str:  # noqa: ANN401 - Spark's JSON of a column
    if not FIELD_NAME.fullmatch(field["name"]):
        raise _not_in_hive(field["name"])
    return f"{field['name']}:{hive_type(field['type'])}"


def _not_in_hive(text: str) -> UsageError:
    return UsageError(
        f"A column of the files has {_shown(text)} in its type, which Hive does not have. Pass the "
        "columns that readers need as --columns 'id bigint, note string'."
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")
