"""Adds the partitions of recovered commits to a session's catalog.

Spark adds new partitions to the catalog after its commit protocol has published them. If the driver
dies in between, queries by path see the new rows, and queries by name do not.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from repave._catalog_sql import add_partitions, clause, partition, path, quoted, verbatim
from repave._errors import RepaveError, UsageError
from repave._location import Location, is_partition_folder
from repave._records import CatalogUpdate, FollowerStatus, Recovery

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES_MAX: Final = 500
# Up to this many, a person runs the statements. MSCK is one statement, but lists the table.
STATEMENTS_MAX: Final = 20

METASTORE: Final = "metastore"
# Used in a statement when the table's name is not known.
UNNAMED: Final = "<name>"

Notes = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One table of the catalog: its name, its location as the catalog writes it, its partitions."""

    name: str
    sql_name: str
    location: str
    columns: tuple[str, ...]
    identifier: Any


class SessionCatalog:
    """The catalog `spark_catalog` of a session, as one table on S3 sees it."""

    def __init__(self, spark: "SparkSession", place: Location) -> None:
        """Look for tables at a place; s3, s3a and repave name the same one."""
        self._spark = spark
        self._place = place

    def named(self, names: Iterable[str]) -> tuple[Entry, ...]:
        """Return the tables of these names.

        Raises:
            UsageError: one of them is elsewhere, or has no partitions in the catalog.
        """
        return tuple(map(self._named, names))

    def add(
        self,
        folders: Iterable[str],
        named: tuple[Entry, ...] | None,
        ask: Callable[[str], Any],
    ) -> tuple[tuple[CatalogUpdate, ...], Notes]:
        """Add partitions to the named tables or, by default, to those of the current database.

        Args:
            folders: the partitions, relative to the table.
            named: what `named` returned.
            ask: asks the jar; it moves a table that follows by its locations.

        Returns:
            The tables that changed, and a sentence for each problem.
        """
        inside = _inside(folders)
        follows, late = move_in_metastore(ask)
        if not inside:
            return (), late
        entries, notes = self._found() if named is None else (named, ())
        if follows:
            # Its locations are folders of commits, and the usual ones may have replaced files.
            entries = tuple(one for one in entries if one.location.startswith("repave://"))
        notes, updates = (*late, *notes), []
        for entry in entries:
            try:
                added = self._add(entry, inside)
            except Exception as error:
                if named is not None:
                    raise _refused(entry, error) from error
                notes = (*notes, str(_refused(entry, error)))
            else:
                if added:
                    updates.append(CatalogUpdate(entry.name, added))
        return tuple(updates), notes

    def _add(self, entry: Entry, folders: list[str]) -> int:
        # One problem for the table, however many partitions have it.
        names = self._catalog().listPartitionNames(entry.identifier, self._none())
        known = set(str(names.mkString("\n")).split("\n"))
        unknown = [folder for folder in folders if folder not in known]
        taken = self._places(entry) if unknown else frozenset()
        new = {}
        for folder in unknown:
            place = f"{entry.location}/{folder}"
            # A partition that was renamed, or given a location, may be in the folder of another
            # value. To add that value would show its rows twice.
            if _without_scheme(place) not in taken:
                new[place] = partition(folder)
        columns = [column.lower() for column in entry.columns]
        for spec in new.values():
            if [column.lower() for column in spec] != columns:
                message = f"it is partitioned by {', '.join(entry.columns)}, the files are not"
                raise UsageError(message)
        add_partitions(verbatim(self._spark), entry.sql_name, new)
        self._spark.catalog.refreshTable(entry.sql_name)
        return len(new)

    def _places(self, entry: Entry) -> frozenset[str]:
        """Return where the catalog has partitions of a table, without schemes."""
        found = self._catalog().listPartitions(entry.identifier, self._none()).iterator()
        places = []
        while found.hasNext():
            places.append(path(found.next().storage().locationUri()))
        return frozenset(map(_without_scheme, places))

    def _found(self) -> tuple[tuple[Entry, ...], Notes]:
        catalog = self._catalog()
        database = str(catalog.getCurrentDatabase())
        try:
            names = catalog.externalCatalog().listTables(database)
            first = names.take(NAMES_MAX)
            tables = catalog.externalCatalog().getTablesByName(database, first).iterator()
        except Exception as error:  # noqa: BLE001 - the commits are recovered, whatever it is
            note = (
                f"The catalog's database {database} could not be searched for {self._place}. Name "
                f"the table: recover(tables=['{database}.…']). The cause: {error}"
            )
            return (), (note,)
        entries = []
        while tables.hasNext():
            entry = self._entry(tables.next())
            if entry is not None:
                entries.append(entry)
        if names.size() <= NAMES_MAX:
            return tuple(entries), ()
        note = (
            f"The database {database} has {names.size()} tables, and only the first {NAMES_MAX} "
            f"were searched for {self._place}. Name the table: recover(tables=['{database}.…'])."
        )
        return tuple(entries), (note,)

    def _named(self, name: str) -> Entry:
        identifier = self._state().sqlParser().parseTableIdentifier(name)
        try:
            described = self._catalog().getTableMetadata(identifier)
        except Exception as error:
            message = (
                f"The session's catalog does not know {name}. Nothing was done. Check the name, or "
                "use a session whose catalog has the table."
            )
            raise UsageError(message) from error
        entry = self._entry(described)
        if entry is None:
            message = (
                f"{name} is not a table at {self._place} that keeps its partitions in the catalog. "
                "Nothing was done. Leave the name out, or name a table at this place."
            )
            raise UsageError(message)
        return entry

    def _entry(self, table: Any) -> Entry | None:  # noqa: ANN401 - py4j
        place = table.storage().locationUri()
        if not place.isDefined() or not table.tracksPartitionsInCatalog():
            return None
        location = path(place).rstrip("/")
        columns = str(table.partitionColumnNames().mkString("\n"))
        if not columns or not self._is_here(location):
            return None
        identifier = table.identifier()
        parts = (str(identifier.database().get()), str(identifier.table()))
        sql_name = ".".join(map(quoted, ("spark_catalog", *parts)))
        return Entry(".".join(parts), sql_name, location, tuple(columns.split("\n")), identifier)

    def _is_here(self, location: str) -> bool:
        try:
            found = Location.of(location)
        except UsageError:
            return False
        return (found.bucket, found.key) == (self._place.bucket, self._place.key)

    def _none(self) -> Any:  # noqa: ANN401 - a scala.Option
        return self._spark._jvm.scala.Option.empty()  # type: ignore[union-attr] # noqa: SLF001

    def _catalog(self) -> Any:  # noqa: ANN401 - py4j
        return self._state().catalog()

    def _state(self) -> Any:  # noqa: ANN401 - py4j
        return self._spark._jsparkSession.sessionState()  # noqa: SLF001


def new_partitions(found: Recovery, ask: Callable[[str], Any]) -> tuple[tuple[str, ...], Notes]:
    """Return the partitions that a catalog may lack after a recovery, and why they are unknown."""
    finished = [one for one in found.commits if one.outcome == "finished"]
    if finished or not found.version:
        return tuple(folder for one in finished for folder in one.partitions), ()
    try:
        # The driver may have died after its commit was finished.
        return tuple(ask("newestPartitions")), ()
    except Exception as error:  # noqa: BLE001 - the commits are recovered, whatever it is
        return (), (unknown_partitions(error),)


def unknown_partitions(error: Exception) -> str:
    """Return what is told if the table cannot be read after its commits are recovered."""
    return (
        "The commits are recovered, but a catalog may not know their new partitions, because the "
        f"table could not be read afterwards: {str(error).rstrip('.')}. `repave status` says how "
        "it is read: run MSCK REPAIR TABLE for a listing table, RepaveTable.register for a "
        "snapshot table, and RepaveTable.sync where a metastore follows."
    )


def move_in_metastore(ask: Callable[[str], Any]) -> tuple[bool, Notes]:
    """Move the session's table that follows by its locations if recovery left it behind.

    Returns:
        Whether there is one, and why it stays behind.
    """
    try:
        status = ask("status")
    except Exception as error:  # noqa: BLE001 - the commits are recovered, whatever it is
        return True, (unknown_partitions(error),)
    if readers_of(status) != METASTORE:
        return False, ()
    try:
        # The jar updates it after a recovery. If that failed, only the log tells why.
        if any(one.behind for one in FollowerStatus.all_of(status) if one.follower == METASTORE):
            ask("moveInMetastore")
    except Exception as error:  # noqa: BLE001 - Hive's are of any kind; the commits are recovered
        return True, (f"The commits are recovered, but the metastore is behind: {error}",)
    return True, ()


def readers_of(status: Mapping[str, Any]) -> str:
    """Return how a table is read: `listing`, `snapshot`, or by locations in a `metastore`."""
    followers = status.get("followers", ())
    follows = any(one["follower"] == METASTORE for one in followers)
    return METASTORE if follows else str(status["readers"])


def catalog_statements(
    table: Location, folders: Iterable[str], readers: str, name: str = UNNAMED
) -> list[str]:
    """Return the SQL statements that add new partitions to a catalog.

    >>> catalog_statements(Location.of("s3://lake/sales"), ["", "day=1"], "listing", "sales")
    ["ALTER TABLE sales ADD IF NOT EXISTS PARTITION (`day`='1')"]

    Args:
        table: where the table is.
        folders: its new partitions.
        readers: what `readers_of` returned.
        name: the table's name in the catalog.
    """
    inside = list(map(partition, _inside(folders)))
    if readers == METASTORE and inside:
        # A statement would add the usual folders, which may have replaced files.
        return [f'RepaveTable.for_path(spark, "{table.with_scheme("s3a")}").sync()']
    # A session replaces variables inside backticks too, where nothing can be escaped.
    variable = any("${" in column for values in inside for column in values)
    if len(inside) <= STATEMENTS_MAX and not variable:
        verb = f"ALTER TABLE {name} ADD IF NOT EXISTS"
        return [f"{verb} {clause(values)}" for values in inside]
    if readers == "snapshot":
        # MSCK would write the folders of one version into the catalog.
        return [f'RepaveTable.for_path(spark, "{table.with_scheme("s3a")}").register("{name}")']
    return [f"MSCK REPAIR TABLE {name}"]


def _inside(folders: Iterable[str]) -> list[str]:
    # A partition outside the table's folder came from the catalog, which knows it.
    return sorted(
        {folder for folder in folders if all(map(is_partition_folder, folder.split("/")))}
    )


def _without_scheme(place: str) -> str:
    # s3, s3a and repave name the same folder.
    return place.partition("://")[2].rstrip("/")


def _refused(entry: Entry, error: Exception) -> RepaveError:
    # MSCK would write the folders of one version into the catalog.
    snapshot = entry.location.startswith("repave://")
    fix = f"RepaveTable.register('{entry.name}')" if snapshot else f"MSCK REPAIR TABLE {entry.name}"
    return RepaveError(
        f"The commits are recovered, but the new partitions could not be added to the catalog's "
        f"table {entry.name}: {error}. Run {fix}."
    )
