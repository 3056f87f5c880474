"""Makes a snapshot table known to a session's catalog.

`MSCK REPAIR` would write the folders of one version into the catalog permanently. These partitions
have locations without a version, so each is looked up when it is listed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import TYPE_CHECKING, Any

from repave._errors import UsageError
from repave._formats import format_of
from repave._hive import values_of
from repave._location import Location
from repave._records import DataFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NULL = "__HIVE_DEFAULT_PARTITION__"
# Partitions of one statement: each is one row of the metastore's transaction.
PARTITIONS_MAX = 100
INTEGERS = ("byte", "short", "integer", "long")
NUMBERS = ("float", "double")


def refuse_listing_table(readers: str, name: str, path: str, source: str) -> None:
    """Refuse a table that plain SQL registers, because its readers list folders."""
    if readers == "listing":
        message = (
            f"{path} is read by listing folders, so plain SQL registers it: CREATE TABLE {name} "
            f"USING {source} LOCATION '{path}', and MSCK REPAIR TABLE {name} if it has partitions."
        )
        raise UsageError(message)


def register(
    spark: "SparkSession",
    name: str,
    table: Location,
    files: Sequence[DataFile],
    source: str | None,
    read: Callable[[str, str], "DataFrame"],
) -> None:
    """Make a snapshot table known to a session's catalog, with the partitions of its files."""
    if not files:
        message = (
            f"Repave has committed no files to {table}, so its columns are not known: write to it, "
            "or `adopt` the files that are there."
        )
        raise UsageError(message)
    location = str(table.with_scheme("repave"))
    entry = CatalogTable(spark, name, location)
    known = source or format_of(files, str(table))
    columns = columns_of(read(location, known))
    entry.update(columns, known, folders_of(file.partition for file in files))


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

    def update(self, columns: str, source: str, folders: Iterable[str]) -> None:
        """Create the table if it does not exist, and set its partitions to `folders`.

        Args:
            columns: as DDL names them; used only to create it.
            source: the files' format.
            folders: every partition's, relative to the table.
        """
        found = {f"{self._location}/{folder}": partition(folder) for folder in folders}
        by = list(next(iter(found.values()), {}))
        wanted = {place: _in_columns(by, spec, place) for place, spec in found.items()}
        session = verbatim(self._spark)
        session.sql(create_statement(self._name, columns, by, source, self._location))
        if by:
            self._assert_distinct(wanted)
            known = self._partitions(by)
            gone = (spec for place, spec in known.items() if place not in wanted)
            new = {place: spec for place, spec in wanted.items() if place not in known}
            drop = f"ALTER TABLE {self._name} DROP IF EXISTS "
            run_in_chunks(session, drop, map(clause, gone), ", ")
            add_partitions(session, self._name, new)
            self._assert_all(set(wanted), set(self._partitions(by)))
        self._spark.catalog.refreshTable(self._name)

    def _assert_distinct(self, wanted: dict[str, dict[str, str]]) -> None:
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

    def _assert_all(self, wanted: set[str], known: set[str]) -> None:
        # Values of other types have more than one spelling too.
        if wanted != known:
            raise self._ambiguous(min(wanted ^ known))

    def _ambiguous(self, place: str) -> UsageError:
        return UsageError(
            f"{self._name} cannot hold every partition: {place} has the same values as another "
            f"folder. Read the table by its path, or rewrite one of them."
        )

    def _partitions(self, by: list[str]) -> dict[str, dict[str, str]]:
        """Return the values of every known partition, by its location."""
        # The catalog's own commands do not return the locations of all partitions in one call.
        catalog, identifier = entry_of(self._spark, self._name)
        none = self._spark._jvm.scala.Option.empty()  # type: ignore[union-attr] # noqa: SLF001
        found = catalog.listPartitions(identifier, none).iterator()
        names = catalog.getTableMetadata(identifier).partitionColumnNames().mkString("\n")
        columns = dict(zip(by, str(names).split("\n"), strict=True))
        known: dict[str, dict[str, str]] = {}
        while found.hasNext():
            one = found.next()
            place = path(one.storage().locationUri())
            known[place] = {column: one.spec().apply(columns[column]) for column in by}
        return known


def entry_of(spark: "SparkSession", name: str) -> tuple[Any, Any]:
    """Return the session's catalog, and a name as it knows it: both are objects of the JVM."""
    state = spark._jsparkSession.sessionState()  # noqa: SLF001
    return state.catalog(), state.sqlParser().parseTableIdentifier(name)


def place_of(spark: "SparkSession", name: str) -> str | None:
    """Return where a table of the catalog is, or that it is a view; None if it is absent."""
    if not spark.catalog.tableExists(name):
        return None
    catalog, identifier = entry_of(spark, name)
    place = catalog.getTempViewOrPermanentTableMetadata(identifier).storage().locationUri()
    return path(place) if place.isDefined() else "a view"


def name_is_taken(name: str, wanted: str, found: str) -> UsageError:
    """Return the error for a name that the catalog has for another place."""
    return UsageError(
        f"{name} is in the catalog already and is not {wanted} but {found}: "
        f"take another name, or DROP TABLE {name} if it is not needed."
    )


def verbatim(spark: "SparkSession") -> Any:  # noqa: ANN401 - a classic SparkSession of the JVM
    """Return a copy of the session that reads names and values in SQL as they are written.

    Sessions replace `${env:HOME}` in every statement, also inside backticks, where nothing can be
    escaped. To change that in the session itself would change the statements of other threads.
    """
    session = spark._jsparkSession.cloneSession()  # noqa: SLF001
    session.conf().set("spark.sql.variable.substitute", "false")
    # With "true" there are values that no literal can hold.
    session.conf().set("spark.sql.parser.escapedStringLiterals", "false")
    return session


def run_in_chunks(session: Any, verb: str, clauses: Iterable[str], between: str) -> None:  # noqa: ANN401
    """Run a statement with at most 100 of the clauses, as often as it takes."""
    remaining = iter(clauses)
    while some := list(islice(remaining, PARTITIONS_MAX)):
        session.sql(verb + between.join(some))


def add_partitions(session: Any, name: str, by_place: dict[str, dict[str, str]]) -> None:  # noqa: ANN401
    """Add partitions to a table of the catalog.

    Args:
        session: what `verbatim` returned.
        name: the table's name, as SQL writes it.
        by_place: the values of each partition, by its location.
    """
    added = (f"{clause(spec)} LOCATION {text(place)}" for place, spec in by_place.items())
    run_in_chunks(session, f"ALTER TABLE {name} ADD IF NOT EXISTS ", added, " ")


def create_statement(
    name: str,
    columns: str,
    by: list[str],
    source: str,
    location: str | None,
    options: Mapping[str, str] | None = None,
) -> str:
    """Return the statement that creates the table if it does not exist.

    >>> create_statement("s", "`id` INT", [], "parquet", "repave://l/s")
    "CREATE TABLE IF NOT EXISTS s (`id` INT) USING parquet LOCATION 'repave://l/s'"
    >>> create_statement("s", "`d` INT", ["d"], "csv", None, {"sep": ";"})
    "CREATE TABLE IF NOT EXISTS s (`d` INT) USING csv OPTIONS ('sep' = ';') PARTITIONED BY (`d`)"
    """
    pairs = ", ".join(f"{text(key)} = {text(str(one))}" for key, one in (options or {}).items())
    with_options = f" OPTIONS ({pairs})" if pairs else ""
    partitioned = f" PARTITIONED BY ({', '.join(map(quoted, by))})" if by else ""
    located = f" LOCATION {text(location)}" if location else ""
    verb = f"CREATE TABLE IF NOT EXISTS {name} ({columns}) USING {source}"
    return f"{verb}{with_options}{partitioned}{located}"


def partition(folder: str) -> dict[str, str]:
    """Return the columns and values that a partition's folder stands for.

    >>> partition("day=1/q=a%2Fb")
    {'day': '1', 'q': 'a/b'}
    >>> partition("city=M%C3%BCnchen") == {"city": "M\u00c3\u00bcnchen"}  # as Spark reads it
    True

    Raises:
        UsageError: the folder is outside the table, or is not a partition.
    """
    pairs = [part.partition("=") for part in folder.split("/")]
    if not all(equals for _, equals, _ in pairs):
        message = (
            f"The partition {folder} is not in the table's folder as column=value: "
            f"read the table by its path."
        )
        raise UsageError(message)
    return values_of(folder)


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


def clause(values: dict[str, str]) -> str:
    r"""Return how SQL names a partition.

    >>> clause({"day": "1", "who": "O'Neil"})
    "PARTITION (`day`='1', `who`='O\\'Neil')"
    """
    named = (f"{quoted(column)}={_literal(value)}" for column, value in values.items())
    return f"PARTITION ({', '.join(named)})"


def _literal(value: str) -> str:
    return "null" if value == NULL else text(value)


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


def quoted(column: str) -> str:
    """Return a column's name as SQL quotes it."""
    return "`" + column.replace("`", "``") + "`"


def text(value: str) -> str:
    r"""Return a text as SQL quotes it, without the dollar sign that begins a variable.

    >>> print(text("${env:HOME}"))
    '\u0024{env:HOME}'
    """
    escaped = value.replace("\\", r"\\").replace("'", r"\'").replace("${", r"\u0024{")
    return f"'{escaped}'"


def path(place: Any) -> str:  # noqa: ANN401 - a scala.Option of a java.net.URI
    """Return a location as Hadoop writes it: an URI whose path is not encoded."""
    uri = place.get()
    return f"{uri.getScheme()}://{uri.getAuthority()}{uri.getPath()}"


def columns_of(frame: Any) -> str:  # noqa: ANN401 - a classic DataFrame
    """Return a frame's columns as DDL. A partition column with nulls only is a string."""
    columns = frame._jdf.schema().fields()  # noqa: SLF001
    return ", ".join(
        f"{quoted(column.name())} STRING"
        if column.dataType().typeName() == "void"
        else str(column.toDDL())
        for column in columns
    )


def folders_of(partitions: Iterable[str]) -> Iterator[str]:
    """Yield the folders of partitions, the table's own left out."""
    yield from sorted(set(partitions) - {""})
