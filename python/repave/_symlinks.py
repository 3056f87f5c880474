"""The statements that make a table's symlink manifests known to an engine."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from repave._dialects import Dialect, dialect_of, name_parts, standard_text
from repave._errors import UsageError
from repave._hive import (
    OPENX,
    ORC_BY_NAME,
    SERDES,
    TEXT_OUTPUT,
    HiveColumns,
    distinct_partitions,
    values_of,
)
from repave._hive_types import Columns
from repave._snapshot.snapshot import Snapshot

FOLDER: Final = "_symlink_format_manifest"
INPUT: Final = "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat"
PARTITIONS_OF_A_STATEMENT: Final = 100
TEXT_FORMATS: Final = ("csv", "json", "text")
# What each engine reads through SymlinkTextInputFormat. Hive itself reads text only.
ENGINES: Final = {
    "athena": ("parquet", "orc", *TEXT_FORMATS),
    "hive": TEXT_FORMATS,
    "redshift": ("parquet",),
    "trino": ("parquet", "orc", "avro", *TEXT_FORMATS),
}


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
            UsageError: the columns are not known, or a partition is outside the table or has no
                column.
            RepaveError: two partitions are one for a catalog.
            InvalidRecordError: a record does not hold columns where it should.
        """
        location = f"s3://{snapshot.table.partition('://')[2].rstrip('/')}/{FOLDER}"
        folders = dict.fromkeys(file.partition for file in snapshot.files)
        outside = next((one for one in folders if "://" in one), None)
        if outside is not None:
            message = (
                f"The partition {outside} is outside the table, and has no symlink manifest. No "
                "statement was written. Read the table with Spark or repave.snapshot."
            )
            raise UsageError(message)
        are_named = any(map(values_of, folders))
        unnamed = next((one for one in folders if one and not are_named), None)
        if unnamed is not None:
            message = (
                f"The folder {unnamed} of {snapshot.table} is not named column=value, so engines "
                "do not look for its symlink manifest: its rows would be missing. No statement "
                "was written. Read the table with Spark or repave.snapshot."
            )
            raise UsageError(message)
        found = HiveColumns.of(snapshot.files, snapshot.table, columns, snapshot.newest)
        by = found.partition_columns
        placed = ((tuple(values_of(one).values()), f"{location}/{one}") for one in folders)
        known = distinct_partitions(placed, snapshot.table) if by else {}
        partitions = {place: values for values, place in known.items()}
        return cls(location, found.source, found.columns, by, partitions)

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
            return OPENX
        return SERDES[self.source]

    def statements(self, engine: str, name: str) -> list[str]:
        """Return the statements that create the table and add its partitions."""
        sql = dialect_of(engine)
        create = [
            f"CREATE EXTERNAL TABLE {name} (\n  {_list(self.columns, sql)}\n)",
            *(
                [f"PARTITIONED BY (\n  {_list(self.partition_columns, sql)}\n)"]
                if self.partition_columns
                else []
            ),
            f"ROW FORMAT SERDE '{self.serde(engine)}'",
            *self._serde_properties(engine),
            f"STORED AS INPUTFORMAT '{INPUT}'",
            f"OUTPUTFORMAT '{TEXT_OUTPUT}'",
            # Athena's documentation asks for the slash.
            f"LOCATION {sql.text(f'{self.location}/')}",
        ]
        return ["\n".join(create), *self._partition_statements(engine, name)]

    def _serde_properties(self, engine: str) -> list[str]:
        # The other engines do not look at such a property.
        if engine != "athena" or self.source != "orc":
            return []
        pairs = ", ".join(f"'{key}' = '{value}'" for key, value in ORC_BY_NAME.items())
        return [f"WITH SERDEPROPERTIES ({pairs})"]

    def _partition_statements(self, engine: str, name: str) -> list[str]:
        if not self.partition_columns:
            return []
        # Where engines look for folders by themselves, they pass over a column with capitals.
        lower = all(
            column == column.lower()
            for place in self.partitions
            for column in values_of(place.removeprefix(f"{self.location}/"))
        )
        if engine in {"athena", "hive"} and lower:
            return [f"MSCK REPAIR TABLE {name}"]
        if engine == "trino":
            *_, schema, table = ("default", *name_parts(name))
            named = f"{standard_text(schema)}, {standard_text(table)}, 'FULL'"
            return [f"CALL system.sync_partition_metadata({named}{'' if lower else ', false'})"]
        sql = dialect_of(engine)
        clauses = [
            f"PARTITION ({', '.join(self._pairs(values, sql))}) LOCATION {sql.text(f'{place}/')}"
            for place, values in self.partitions.items()
        ]
        return [
            f"ALTER TABLE {name} ADD IF NOT EXISTS\n"
            + "\n".join(clauses[at : at + PARTITIONS_OF_A_STATEMENT])
            for at in range(0, len(clauses), PARTITIONS_OF_A_STATEMENT)
        ]

    def _pairs(self, values: Iterable[str], sql: Dialect) -> list[str]:
        named = zip(self.partition_columns, values, strict=True)
        return [f"{sql.name(column)}={sql.text(value)}" for column, value in named]


def _list(columns: Columns, sql: Dialect) -> str:
    return ",\n  ".join(sql.column(name, kind) for name, kind in columns.items())
