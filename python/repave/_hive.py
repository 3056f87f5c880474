"""What Hive's catalogs are told of a table: its columns, and the classes that read its files."""

import json
from dataclasses import dataclass
from typing import Any, Final

from repave._errors import UsageError
from repave._formats import format_of
from repave._records import DataFile
from repave._snapshot.inference import NULL_NAME, unescaped
from repave._snapshot.partitions import Typing

TEXT_OUTPUT: Final = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"
OPENX: Final = "org.openx.data.jsonserde.JsonSerDe"
SERDES: Final = {
    "avro": "org.apache.hadoop.hive.serde2.avro.AvroSerDe",
    "csv": "org.apache.hadoop.hive.serde2.OpenCSVSerde",
    "json": "org.apache.hive.hcatalog.data.JsonSerDe",
    "orc": "org.apache.hadoop.hive.ql.io.orc.OrcSerde",
    "parquet": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
    "text": "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
}
# Spark's names of types, where SQL has another one.
HIVE_TYPES: Final = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "timestamp_ntz": "timestamp",
}

Columns = dict[str, str]


@dataclass(frozen=True)
class HiveColumns:
    """The format and the columns of a table, with Hive's names of types."""

    source: str
    columns: Columns
    partition_columns: Columns

    @classmethod
    def of(
        cls, files: tuple[DataFile, ...], table: str, columns: str | None = None
    ) -> "HiveColumns":
        """Describe the table that has these files.

        Args:
            files: those of a version.
            table: its name in messages.
            columns: the files' columns, such as `id bigint, note string`; by default those that
                the records of Parquet files name.

        Raises:
            UsageError: the format or the columns are not known.
        """
        source = format_of(files, table)
        folders = list(dict.fromkeys(file.partition for file in files))
        known = Typing.of(None, None, "UTC").partitions(folders, table).columns
        types = {name: hive_type(str(kind)) for name, kind in known.items()}
        found = declared(columns) if columns else _recorded(files, table, source)
        twice = {name.lower() for name in types}
        kept = {name: kind for name, kind in found.items() if name.lower() not in twice}
        return cls(source, kept, types)


def values_of(folder: str) -> dict[str, str]:
    """Return the columns and values of a partition's folder, a null by Hive's name of it.

    >>> values_of("Day=1/r=a%3Ab")
    {'Day': '1', 'r': 'a:b'}
    """
    pairs = [part.partition("=") for part in folder.split("/") if "=" in part[1:]]
    return {
        unescaped(name): value if value == NULL_NAME else unescaped(value)
        for name, _, value in pairs
    }


def declared(columns: str) -> Columns:
    """Return the columns of a list such as DDL has.

    >>> declared("id bigint, price decimal(9,2), tags array<string>")
    {'id': 'bigint', 'price': 'decimal(9,2)', 'tags': 'array<string>'}
    """
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(columns):
        depth += (letter in "(<") - (letter in ")>")
        if letter == "," and not depth:
            parts.append(columns[start:at])
            start = at + 1
    found = {}
    for part in [*parts, columns[start:]]:
        name, _, kind = part.strip().partition(" ")
        if not (name and kind.strip()):
            message = f"--columns takes names and types, such as 'id bigint', not {part.strip()!r}."
            raise UsageError(message)
        found[name.strip("`")] = kind.strip().lower()
    return found


def _recorded(files: tuple[DataFile, ...], table: str, source: str) -> Columns:
    if source == "text":
        return {"value": "string"}
    found: Columns = {}
    for schema in dict.fromkeys(file.schema for file in files if file.schema):
        for column in json.loads(schema)["fields"]:
            found.setdefault(column["name"], hive_type(column["type"]))
    if not found:
        message = (
            f"The records of {table} do not name the columns of its files: pass them as "
            "--columns 'id bigint, note string'."
        )
        raise UsageError(message)
    return found


def hive_type(kind: Any) -> str:  # noqa: ANN401 - Spark's JSON of a type
    """Return Hive's name of a type of Spark.

    >>> hive_type("long"), hive_type({"type": "array", "elementType": "integer"})
    ('bigint', 'array<int>')
    """
    if isinstance(kind, str):
        return HIVE_TYPES.get(kind, kind)
    if kind["type"] == "array":
        return f"array<{hive_type(kind['elementType'])}>"
    if kind["type"] == "map":
        return f"map<{hive_type(kind['keyType'])},{hive_type(kind['valueType'])}>"
    if kind["type"] == "struct":
        inside = (f"{one['name']}:{hive_type(one['type'])}" for one in kind["fields"])
        return f"struct<{','.join(inside)}>"
    return hive_type(kind["sqlType"])
