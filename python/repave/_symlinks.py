"""The statements that make a table's symlink manifests known to an engine."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from repave._errors import UsageError
from repave._formats import format_of
from repave._register import text
from repave._snapshot.inference import NULL_NAME, unescaped
from repave._snapshot.snapshot import Snapshot

FOLDER: Final = "_symlink_format_manifest"
INPUT: Final = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat"
OUTPUT: Final = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat"
PARTITIONS_OF_A_STATEMENT: Final = 100
TEXT_FORMATS: Final = ("csv", "json", "text")
# What each engine reads through SymlinkTextInputFormat. Hive itself reads text only.
ENGINES: Final = {
    "athena": ("parquet", "orc", *TEXT_FORMATS),
    "hive": TEXT_FORMATS,
    "redshift": ("parquet",),
    "trino": ("parquet", "orc", "avro", *TEXT_FORMATS),
}
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
REDSHIFT_TYPES: Final = {
    "string": "varchar(65535)",
    "tinyint": "smallint",
    "float": "real",
    "double": "double precision",
    "binary": "varbyte",
}

Columns = dict[str, str]


@dataclass(frozen=True)
class SymlinkTable:
    """What a catalog has to know of a table's symlink manifests."""

    location: str
    source: str
    columns: Columns
    partition_columns: Columns
    # The values of each partition, by the folder of its manifest.
    partitions: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, snapshot: Snapshot, columns: str | None = None) -> "SymlinkTable":
        """Describe the manifests of a version.

        Args:
            snapshot: the version.
            columns: the files' columns, such as `id bigint, note string`; by default those that
                the records of Parquet files name.

        Raises:
            UsageError: the columns are not known, or a partition is outside the table.
        """
        source = format_of(snapshot.files, snapshot.table)
        known = snapshot.partition_types
        types = {name: hive_type(kind) for name, kind in known.items()}
        location = f"s3://{snapshot.table.partition('://')[2].rstrip('/')}/{FOLDER}"
        folders = dict.fromkeys(file.partition for file in snapshot.files)
        outside = next((one for one in folders if "://" in one), None)
        if outside is not None:
            message = f"The partition {outside} is outside the table, and has no symlink manifest."
            raise UsageError(message)
        found = declared(columns) if columns else _columns(snapshot, source)
        twice = {name.lower() for name in found} & {name.lower() for name in types}
        return cls(
            location,
            source,
            {name: kind for name, kind in found.items() if name.lower() not in twice},
            types,
            {f"{location}/{one}": _values(one) for one in folders} if types else {},
        )

    def serde(self, engine: str) -> str:
        """Return the class with which an engine reads the files' rows.

        Raises:
            UsageError: the engine does not read such files through symlinks.
        """
        if self.source not in ENGINES[engine]:
            message = (
                f"{engine} does not read {self.source} files through symlink manifests, only "
                f"{', '.join(ENGINES[engine])}. No statement was written."
            )
            raise UsageError(message)
        if self.source == "json" and engine == "athena":
            return "org.openx.data.jsonserde.JsonSerDe"
        return SERDES[self.source]

    def statements(self, engine: str, name: str) -> list[str]:
        """Return the statements that create the table and add its partitions."""
        create = [
            f"CREATE EXTERNAL TABLE {name} (\n  {_list(self.columns, engine)}\n)",
            *(
                [f"PARTITIONED BY (\n  {_list(self.partition_columns, engine)}\n)"]
                if self.partition_columns
                else []
            ),
            f"ROW FORMAT SERDE '{self.serde(engine)}'",
            f"STORED AS INPUTFORMAT '{INPUT}'",
            f"OUTPUTFORMAT '{OUTPUT}'",
            # Athena's documentation asks for the slash.
            f"LOCATION {text(f'{self.location}/')}",
        ]
        return ["\n".join(create), *self._partition_statements(engine, name)]

    def _partition_statements(self, engine: str, name: str) -> list[str]:
        if not self.partition_columns:
            return []
        if engine in {"athena", "hive"}:
            return [f"MSCK REPAIR TABLE {name}"]
        if engine == "trino":
            schema, _, table = name.rpartition(".")
            named = f"{text(schema or 'default')}, {text(table)}, 'FULL'"
            return [f"CALL system.sync_partition_metadata({named})"]
        clauses = [
            f"PARTITION ({', '.join(self._pairs(values))}) LOCATION {text(f'{place}/')}"
            for place, values in self.partitions.items()
        ]
        return [
            f"ALTER TABLE {name} ADD IF NOT EXISTS\n"
            + "\n".join(clauses[at : at + PARTITIONS_OF_A_STATEMENT])
            for at in range(0, len(clauses), PARTITIONS_OF_A_STATEMENT)
        ]

    def _pairs(self, values: Iterable[str]) -> list[str]:
        named = zip(self.partition_columns, values, strict=True)
        return [f"{column}={text(value)}" for column, value in named]


def _values(folder: str) -> tuple[str, ...]:
    names = [segment.partition("=")[2] for segment in folder.split("/") if "=" in segment[1:]]
    return tuple(name if name == NULL_NAME else unescaped(name) for name in names)


def _list(columns: Mapping[str, str], engine: str) -> str:
    if engine == "redshift":
        shown = [f'"{name}" {REDSHIFT_TYPES.get(kind, kind)}' for name, kind in columns.items()]
    else:
        shown = [f"`{name}` {kind}" for name, kind in columns.items()]
    return ",\n  ".join(shown)


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


def _columns(snapshot: Snapshot, source: str) -> Columns:
    if source == "text":
        return {"value": "string"}
    found: Columns = {}
    for schema in dict.fromkeys(file.schema for file in snapshot.files if file.schema):
        for column in json.loads(schema)["fields"]:
            found.setdefault(column["name"], hive_type(column["type"]))
    if not found:
        message = (
            f"The records of {snapshot.table} do not name the columns of its files: pass them as "
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
