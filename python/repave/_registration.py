"""Makes a snapshot table known to a session's catalog.

`MSCK REPAIR` would write the folders of one version into the catalog permanently. These partitions
have locations without a version, so each is looked up when it is listed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from repave._catalog_sql import (
    add_partitions,
    clause,
    columns_of,
    create_statement,
    entry_of,
    folders_of,
    name_is_taken,
    partition,
    path,
    place_of,
    run_in_chunks,
    verbatim,
)
from repave._errors import RepaveError, UsageError
from repave._formats import DEFAULT_FORMAT, format_of
from repave._location import Location
from repave._read import NEWEST
from repave._records import DataFile, live_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INTEGERS = ("byte", "short", "integer", "long")
NUMBERS = ("float", "double")
# Newer versions, or changes by other sessions, that one call keeps up with.
ROUNDS: Final = 10

# Asks the jar by a method and its arguments; it answers with a document of docs/json.md.
Ask = Callable[..., Any]
# The values of partitions, by their locations.
Partitions = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Live:
    """The live files of one version."""

    version: int
    files: tuple[DataFile, ...]

    @classmethod
    def newest(cls, ask: Ask) -> "Live":
        """Return those of the newest version."""
        document = ask("files", NEWEST)
        return cls(document["version"], live_files(document))

    def again(self, ask: Ask) -> "Live":
        """Return these while their version is the newest one, and later those of the newest."""
        return self if ask("status")["version"] == self.version else Live.newest(ask)


def _listing_table(name: str, path: str, source: str) -> UsageError:
    """Return the error for a table that plain SQL registers, because its readers list folders."""
    return UsageError(
        f"{path} is read by listing folders, so plain SQL registers it: CREATE TABLE {name} "
        f"USING {source} LOCATION '{path}', and MSCK REPAIR TABLE {name} if it has partitions."
    )


def register(
    spark: "SparkSession",
    name: str,
    table: Location,
    ask: Ask,
    source: str | None,
    read: Callable[[str, str], "DataFrame"],
) -> None:
    """Make a snapshot table known to a session's catalog, with the partitions of its files."""
    readers = ask("status")["readers"]
    if readers == "listing":
        raise _listing_table(name, str(table), source or DEFAULT_FORMAT)
    live = Live.newest(ask) if readers else Live(0, ())
    if not live.files:
        message = (
            f"Repave has committed no files to {table}, so its columns are not known: write to it, "
            "or `adopt` the files that are there."
        )
        raise UsageError(message)
    location = str(table.with_scheme("repave"))
    entry = CatalogTable(spark, name, location)
    known = source or format_of(live.files, str(table))
    entry.create(columns_of(read(location, known)), known, live)
    entry.update(live, ask)
    spark.catalog.refreshTable(name)


class CatalogTable:
    """One name in the catalog of a session."""

    def __init__(self, spark: "SparkSession", name: str, location: str) -> None:
        """Take a table's name and its location, such as `repave://lake/sales`.

        Raises:
            UsageError: the name belongs to a view, or to a table elsewhere.
        """
        self._spark = spark
        self._name = name
        self._location = location
        found = place_of(spark, name)
        if found not in (None, location):
            raise name_is_taken(name, location, found)

    def create(self, columns: str, source: str, live: Live) -> None:
        """Create the table if it does not exist.

        Args:
            columns: as DDL names them; used only to create it.
            source: the files' format.
            live: the live files, in the folders of the partitions.
        """
        by = _columns(live)
        self._wanted(by, live)
        statement = create_statement(self._name, columns, by, source, self._location)
        verbatim(self._spark).sql(statement)

    def update(self, live: Live, ask: Ask) -> None:
        """Set the partitions to those of the newest version.

        The version is read after each list of the catalog, and the list is read again after each
        change. Otherwise this would drop a partition that another session has added with its
        commit, or that a commit is about to fill and Spark does not add, because it was there.

        Args:
            live: the live files.
            ask: asks the jar.

        Raises:
            UsageError: two partitions have the same values.
            RepaveError: other jobs commit or change the catalog again and again.
        """
        by = _columns(live)
        added = Live(0, ()), frozenset[str]()
        for _ in range(ROUNDS if by else 0):
            known = self._partitions(by)
            live = live.again(ask)
            wanted = self._wanted(by, live)
            if wanted.keys() == known.keys():
                return
            self._assert_distinct(wanted)
            missing = wanted.keys() - known.keys()
            if added[0] is live and not missing.isdisjoint(added[1]):
                # Values of other types have more than one spelling too.
                raise self._ambiguous(min(missing))
            self._change(known, wanted)
            added = live, frozenset(missing)
        if by:
            message = (
                f"Other jobs commit to {self._location}, or change {self._name}, again and again. "
                "The catalog may lack the newest partitions. Run it again."
            )
            raise RepaveError(message)

    def _wanted(self, by: list[str], live: Live) -> Partitions:
        """Return the values of every partition with live files, by its location."""
        found = {
            f"{self._location}/{folder}": partition(folder)
            for folder in folders_of(file.partition for file in live.files)
        }
        return {place: _in_columns(by, spec, place) for place, spec in found.items()}

    def _change(self, known: Partitions, wanted: Partitions) -> None:
        gone = (spec for place, spec in known.items() if place not in wanted)
        new = {place: spec for place, spec in wanted.items() if place not in known}
        session = verbatim(self._spark)
        drop = f"ALTER TABLE {self._name} DROP IF EXISTS "
        run_in_chunks(session, drop, map(clause, gone), ", ")
        add_partitions(session, self._name, new)

    def _assert_distinct(self, wanted: Partitions) -> None:
        # Two folders whose names mean one value, such as day=1 and day=01, are one partition. A
        # Hive metastore says so in its own words, and after a part of them was added.
        types = {
            field.name.lower(): field.dataType.typeName()
            for field in self._spark.table(self._name).schema
        }
        seen: set[tuple[object, ...]] = set()
        for place, spec in wanted.items():
            values = tuple(meaning(types[column.lower()], value) for column, value in spec.items())
            if values in seen:
                raise self._ambiguous(place)
            seen.add(values)

    def _ambiguous(self, place: str) -> UsageError:
        return UsageError(
            f"{self._name} cannot hold every partition: {place} has the same values as another "
            f"folder. Read the table by its path, or rewrite one of them."
        )

    def _partitions(self, by: list[str]) -> Partitions:
        """Return the values of every known partition, by its location."""
        # The catalog's own commands do not return the locations of all partitions in one call.
        catalog, identifier = entry_of(self._spark, self._name)
        none = self._spark._jvm.scala.Option.empty()  # type: ignore[union-attr] # noqa: SLF001
        found = catalog.listPartitions(identifier, none).iterator()
        names = catalog.getTableMetadata(identifier).partitionColumnNames().mkString("\n")
        columns = dict(zip(by, str(names).split("\n"), strict=True))
        known: Partitions = {}
        while found.hasNext():
            one = found.next()
            place = path(one.storage().locationUri())
            known[place] = {column: one.spec().apply(columns[column]) for column in by}
        return known


def _columns(live: Live) -> list[str]:
    """Return the partition columns, as the first folder spells them."""
    first = next(folders_of(file.partition for file in live.files), None)
    return list(partition(first)) if first is not None else []


def _in_columns(by: list[str], values: dict[str, str], place: str) -> dict[str, str]:
    """Return a partition's values with the columns as the first folder spells them.

    >>> _in_columns(["dt"], {"DT": "1"}, "repave://lake/sales/DT=1")
    {'dt': '1'}

    Raises:
        UsageError: the folder has other partition columns.
    """
    if [column.lower() for column in values] != [column.lower() for column in by]:
        message = (
            f"{place} has other partition columns than the first folder ({', '.join(by)}): "
            f"read the table by its path."
        )
        raise UsageError(message)
    return dict(zip(by, values.values(), strict=True))


def meaning(type_name: str, value: str) -> object:
    """Return what a folder's text means as a value of a column.

    >>> meaning("integer", "01"), meaning("double", "1.50"), meaning("string", "01")
    (1, Decimal('1.50'), '01')
    """
    number = type_name in NUMBERS or type_name.startswith("decimal")
    try:
        if type_name in INTEGERS:
            return int(value)
        return Decimal(value) if number else value
    except (ValueError, InvalidOperation):
        return value
