"""Which columns of a file have another spelling than the table's: `ID` for `id`, as in Spark."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repave._errors import UsageError
from repave._snapshot.parquet_names import Column

# ruff: noqa: ANN401 - pyarrow has no types

# Names of a repeated group that is itself the element of a list, by the rules of Parquet.
ELEMENTS: Final = ("array",)
TUPLE: Final = "_tuple"
KINDS: Final = {
    "StructType": "struct",
    "ListType": "list",
    "LargeListType": "list",
    "FixedSizeListType": "list",
    "MapType": "map",
}


class Names:
    """The names of a table's columns, at every depth, as far as they are known without a file."""

    def __init__(self, known: frozenset[str] | None, newest: str | None = None) -> None:
        self._known = known
        self._differ: dict[str, bool] = {} if newest is None else {newest: False}

    @classmethod
    def of(cls, schema: Any, newest: str | None) -> "Names":
        """Return the names of a schema of pyarrow, or if it is None of the newest file's columns.

        Args:
            schema: of the table.
            newest: the columns of the newest file, as records have them.
        """
        if schema is not None:
            return cls(frozenset(_names(schema)))
        return cls(None if newest is None else _recorded(newest), newest)

    def may_differ(self, recorded: str | None) -> bool:
        """Return whether a file may spell a column in another way, as its recorded columns show.

        Args:
            recorded: the file's columns as JSON text; None if they are unknown.
        """
        if recorded is None or self._known is None:
            return True
        found = self._differ.get(recorded)
        if found is None:
            its = _recorded(recorded)
            both = None if its is None else its | self._known
            # One spelling at any place of both schemas: then names that match are equal.
            found = both is None or len({name.lower() for name in both}) < len(both)
            self._differ[recorded] = found
        return found


def other_names(root: Column, schema: Any, file: str) -> dict[tuple[int, int], str]:
    """Return the table's names for the columns of a file that spells them in another way.

    Args:
        root: the file's columns.
        schema: the table's, of pyarrow.
        file: what an error calls the file.

    Returns:
        The names, by the places that they have in the footer.

    Raises:
        UsageError: two columns of the file have one name but for its case.
    """
    found: dict[tuple[int, int], str] = {}
    _match(root, list(schema), file, found)
    return found


def other_spelling(its: Any, table: Any) -> tuple[str, str] | None:
    """Return a name of a schema or struct of pyarrow that the table spells otherwise, and how."""
    found = {field.name for field in its}
    for field in table:
        alike = [it for it in its if it.name.lower() == field.name.lower()]
        if alike and field.name not in found:
            return alike[0].name, field.name
        for one in alike:
            inside = _other_inside(one.type, field.type) if one.name == field.name else None
            if inside is not None:
                return inside
    return None


def _other_inside(its: Any, table: Any) -> tuple[str, str] | None:
    of = _kind(its)
    if of != _kind(table):
        return None
    if of == "struct":
        mine, theirs = ([it.field(at) for at in range(it.num_fields)] for it in (its, table))
        return other_spelling(mine, theirs)
    if of == "list":
        return _other_inside(its.value_type, table.value_type)
    if of == "map":
        return _other_inside(its.item_type, table.item_type)
    return None


def _match(group: Column, fields: list[Any], file: str, found: dict[tuple[int, int], str]) -> None:
    spelled: dict[str, list[Column]] = {}
    for column in group.children:
        spelled.setdefault(column.name.lower(), []).append(column)
    names = [field.name for field in fields]
    for field in fields:
        columns = spelled.get(field.name.lower(), [])
        if [it.name for it in columns] != [field.name]:
            columns = _other(field.name, names, columns, file)
        for column in columns:
            if column.name != field.name:
                found[column.place()] = field.name
            _descend(column, field.type, file, found)


def _other(name: str, names: list[str], columns: list[Column], file: str) -> list[Column]:
    """Return the column for a name that the file does not spell so, or not only so."""
    rivals = [it for it in names if it.lower() == name.lower()]
    if len(rivals) == 1 and len(columns) <= 1:
        return columns
    # A table that distinguishes them, as with Spark's setting spark.sql.caseSensitive.
    if all(column.name in rivals for column in columns):
        return [column for column in columns if column.name == name]
    wrong = " and ".join(repr(column.name) for column in columns)
    wanted = " and ".join(map(repr, rivals))
    message = (
        f"The columns of {file} cannot be matched with the table's: it has {wrong} for {wanted}. "
        "Rewrite the file's partition with one spelling, or pass schema= with the file's own names."
    )
    raise UsageError(message)


def _descend(column: Column, kind: Any, file: str, found: dict[tuple[int, int], str]) -> None:
    """Match the columns inside a column, if it has the type that the table's has."""
    of = _kind(kind)
    if of == "struct":
        _match(column, [kind.field(at) for at in range(kind.num_fields)], file, found)
    elif of == "list" and (column.children or column.repeated):
        _descend(_element(column), kind.value_type, file, found)
    elif of == "map" and column.children:
        # A set of keys has no values.
        pair = column.children[0].children
        for inner, its in zip(pair, (kind.key_type, kind.item_type), strict=False):
            _descend(inner, its, file, found)


def _element(column: Column) -> Column:
    """Return the element of a list, by Parquet's rules for old files."""
    if column.repeated:
        return column
    inner = column.children[0]
    alone = len(inner.children) == 1 and inner.name not in (*ELEMENTS, column.name + TUPLE)
    return inner.children[0] if alone and inner.repeated else inner


def _kind(kind: Any) -> str:
    """Return how a type of pyarrow holds others; "" if it does not."""
    return KINDS.get(type(kind).__name__, "")


def _names(fields: Any) -> Iterator[str]:
    """Yield all names of a schema or of a struct, also those inside."""
    for field in fields:
        yield field.name
        yield from _inside(field.type)


def _inside(kind: Any) -> Iterator[str]:
    of = _kind(kind)
    if of == "struct":
        yield from _names(kind.field(at) for at in range(kind.num_fields))
    elif of == "list":
        yield from _inside(kind.value_type)
    elif of == "map":
        yield from _inside(kind.key_type)
        yield from _inside(kind.item_type)


def _recorded(columns: str) -> frozenset[str] | None:
    """Return the names of recorded columns; None if they cannot be read."""
    try:
        found = json.loads(columns)
        return frozenset(_names_in_json(found)) if isinstance(found, Mapping) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _names_in_json(kind: object) -> Iterator[str]:
    """Yield all names of a type as Spark writes it."""
    if not isinstance(kind, Mapping):
        return
    for field in kind.get("fields", ()):
        yield str(field["name"])
        yield from _names_in_json(field["type"])
    for inner in ("elementType", "keyType", "valueType"):
        yield from _names_in_json(kind.get(inner))
