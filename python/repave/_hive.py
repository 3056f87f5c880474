"""What Hive's catalogs are told of a table: its columns, and the classes that read its files."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from repave._errors import RepaveError, UsageError
from repave._formats import format_of
from repave._hive_types import Columns, declared, hive_type, recorded
from repave._location import is_partition_folder
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
# Athena reads the columns of ORC files by their position, unless the table asks for their names.
# Files that do not have all columns would show values in the columns of others.
ORC_BY_NAME: Final = {"orc.column.index.access": "false"}


@dataclass(frozen=True)
class HiveColumns:
    """The format and the columns of a table, with Hive's names of types."""

    source: str
    columns: Columns
    partition_columns: Columns

    @classmethod
    def of(
        cls,
        files: tuple[DataFile, ...],
        table: str,
        columns: str | None = None,
        newest: DataFile | None = None,
    ) -> "HiveColumns":
        """Describe the table that has these files.

        Args:
            files: those of a version.
            table: its name in messages.
            columns: the files' columns, such as `id bigint, note string`; by default those that
                the records of Parquet files name.
            newest: a file of the newest commit, whose types count, if it is known.

        Raises:
            UsageError: the format or the columns are not known, or Hive has no such type.
            InvalidRecordError: a record does not hold columns where it should.
        """
        source = format_of(files, table, "describe such a table to the catalog yourself")
        folders = list(dict.fromkeys(file.partition for file in files))
        known = Typing.of(None, None, "UTC").partitions(folders, table).columns
        types = {name: hive_type(str(kind)) for name, kind in known.items()}
        found = declared(columns) if columns else _recorded(files, table, source, newest)
        twice = {name.lower() for name in types}
        kept = {name: kind for name, kind in found.items() if name.lower() not in twice}
        return cls(source, kept, types)


def values_of(folder: str) -> dict[str, str]:
    """Return the columns and values of a partition's folder, a null by Hive's name of it.

    >>> values_of("Day=1/r=a%3Ab")
    {'Day': '1', 'r': 'a:b'}
    """
    pairs = [part.partition("=") for part in folder.split("/") if is_partition_folder(part)]
    return {
        unescaped(name): value if value == NULL_NAME else unescaped(value)
        for name, _, value in pairs
    }


def distinct_partitions(
    placed: Iterable[tuple[tuple[str, ...], str]], table: str
) -> dict[tuple[str, ...], str]:
    """Return the place of each partition by its values.

    Args:
        placed: the values of partitions, and their places.
        table: its name in messages.

    Raises:
        RepaveError: two places are one partition for a catalog, which would keep one of them.
    """
    found: dict[tuple[str, ...], str] = {}
    for values, place in placed:
        if values in found:
            message = (
                f"{found[values]} and {place} are one partition of {table}, because catalogs know "
                "a partition by its values, and the case of a column is no difference. Nothing "
                "was changed in a catalog. Write the rows of both to one of them."
            )
            raise RepaveError(message)
        found[values] = place
    return found


def _recorded(
    files: tuple[DataFile, ...], table: str, source: str, newest: DataFile | None
) -> Columns:
    if source == "text":
        return {"value": "string"}
    first = (newest,) if newest else ()
    schemas = dict.fromkeys(file.schema for file in (*first, *files) if file.schema)
    found = recorded(schemas, table)
    if not found:
        message = (
            f"The records of {table} do not name the columns of its files: pass them as "
            "--columns 'id bigint, note string'."
        )
        raise UsageError(message)
    return found
