"""The facts of files in records and documents.

Each schema is stated once, and files name its place.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

COUNT_MAX: Final = 256
BYTES_MAX: Final = 2 << 20
COLUMNS_MAX: Final = 8
ORDER_BYTES_MAX: Final = 1_024
COLUMN: Final = ("name", "type", "low", "high", "nulls")
LISTS: Final = ("in", "out", "adopted", "files")
# A column of a schema's short form.
DDL: Final = re.compile(
    r"([A-Za-z0-9_]+) ([a-z_]+(?:\([0-9]+(?:,[0-9]+)?\))?)( not null)?(,|\Z)", re.ASCII
)
SCHEMA_BYTES_MAX: Final = 256 << 10


class SchemaPlaces:
    """The distinct schemas of a document's files, in the order in which they come.

    >>> places = SchemaPlaces()
    >>> [places.of(schema) for schema in ("{}", "[]", "{}")], places.schemas()
    ([0, 1, 0], ['{}', '[]'])
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def of(self, schema: str) -> int:
        """Return the place of a schema, which is added if it is new."""
        return self._places.setdefault(schema, len(self._places))

    def schemas(self) -> list[str]:
        """Return all schemas, by their place."""
        return list(self._places)

    def document(self) -> dict[str, Any]:
        """Return the member `schemas` of a document; nothing when no schema is known."""
        return {"schemas": self.schemas()} if self._places else {}


def state_schemas(record: dict[str, Any]) -> bool:
    """Put the text of its schema into each file of a record, in place of an index.

    Returns:
        False if the record names a schema that it does not have, has too many or too long ones,
        bounds of too many columns, or an order that is too long.
    """
    schemas = [_text(one) for one in record.pop("schemas", ())]
    if len(schemas) > COUNT_MAX or sum(map(len, schemas)) > BYTES_MAX or "" in schemas:
        return False
    for file in _files(record):
        if "columns" in file and len(file["columns"]) > COLUMNS_MAX:
            return False
        if "ordered" in file:
            order = file["ordered"].encode("utf-8", "surrogatepass")
            if not 0 < len(order) <= ORDER_BYTES_MAX:
                return False
        if "schema" in file:
            place = file.pop("schema")
            if schemas and place >= len(schemas):
                return False
            if schemas:
                file["schema"] = schemas[place]
    return True


def file_document(file: Mapping[str, Any], places: SchemaPlaces) -> dict[str, Any]:
    """Return a file as documents show it; its schema is the text.

    >>> file_document({"name": "a", "bytes": 1, "schema": "{}"}, SchemaPlaces())
    {'name': 'a', 'bytes': 1, 'rows': None, 'schema': 0}
    """
    found = {"name": file["name"], "bytes": file["bytes"], "rows": file.get("rows")}
    if file.get("schema") is not None:
        found["schema"] = places.of(file["schema"])
    if file.get("columns"):
        found["columns"] = [{name: one.get(name) for name in COLUMN} for one in file["columns"]]
    if file.get("ordered"):
        found["ordered"] = file["ordered"]
    return found


def schema_of(file: Mapping[str, Any], document: Mapping[str, Any]) -> str | None:
    """Return the schema of a document's file, None if it is unknown."""
    place = file.get("schema")
    return None if place is None else str(document["schemas"][place])


def _text(schema: Mapping[str, list[str]]) -> str:
    """Return the JSON text of a record's schema; "" if it has none."""
    return "".join(schema["json"]) if "json" in schema else _json("".join(schema.get("ddl", ())))


def _json(ddl: str) -> str:
    """Return the JSON text of a short form; "" if it is none, or the text is too long.

    >>> _json("id long not null")
    '{"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}}]}'
    >>> _json("id long,"), _json("id"), _json("id long at date")
    ('', '', '')
    """
    fields: list[str] = []
    at = size = 0
    while (column := DDL.match(ddl, at)) is not None:
        name, kind, not_null, more = column.groups()
        nullable = "false" if not_null else "true"
        field = f'{{"name":"{name}","type":"{kind}","nullable":{nullable},"metadata":{{}}}}'
        fields.append(field)
        size += len(field) + 1
        at = column.end()
        if size > SCHEMA_BYTES_MAX:
            return ""
        if at == len(ddl):
            json = f'{{"type":"struct","fields":[{",".join(fields)}]}}'
            return "" if more or len(json) > SCHEMA_BYTES_MAX else json
    return ""


def _files(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the files of a record. The partitions of a ledger are names alone."""
    yield from record.get("uploads", ())
    for partition in record.get("partitions", ()):
        for name in LISTS if isinstance(partition, dict) else ():
            yield from partition.get(name, ())
