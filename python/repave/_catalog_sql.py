"""The statements with which a session's catalog knows tables and partitions."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from repave._errors import UsageError
from repave._hive import values_of
from repave._snapshot.inference import NULL_NAME

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Also what changes the direction of a text, or ends a line.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
# Partitions of one statement: each is one row of the metastore's transaction.
PARTITIONS_MAX = 100


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


def clause(values: dict[str, str]) -> str:
    r"""Return how SQL names a partition.

    >>> clause({"day": "1", "who": "O'Neil"})
    "PARTITION (`day`='1', `who`='O\\'Neil')"
    """
    named = (f"{quoted(column)}={_literal(value)}" for column, value in values.items())
    return f"PARTITION ({', '.join(named)})"


def _literal(value: str) -> str:
    return "null" if value == NULL_NAME else text(value)


def quoted(column: str) -> str:
    """Return a column's name as SQL quotes it."""
    return "`" + column.replace("`", "``") + "`"


def text(value: str) -> str:
    r"""Return a text as SQL quotes it, without the dollar sign that begins a variable.

    A control character has its number, because a person may see the statement on a terminal.

    >>> print(text("${env:HOME}" + chr(27)))
    '\u0024{env:HOME}\u001b'
    """
    escaped = value.replace("\\", r"\\").replace("'", r"\'").replace("${", r"\u0024{")
    return "'" + CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped) + "'"


def path(place: Any) -> str:  # noqa: ANN401 - a scala.Option of a java.net.URI
    """Return a location as Hadoop writes it: an URI whose path is not encoded."""
    uri = place.get()
    return f"{uri.getScheme()}://{uri.getAuthority()}{uri.getPath()}"


def columns_of(frame: Any, changed: Mapping[str, str] | None = None) -> str:  # noqa: ANN401
    """Return the columns of a classic DataFrame as DDL.

    Args:
        frame: the DataFrame. A partition column with nulls only is a string.
        changed: the DDL of columns that are to be others than the frame's, by their names.
    """
    other = changed or {}
    return ", ".join(
        other.get(column.name()) or _ddl(column)
        for column in frame._jdf.schema().fields()  # noqa: SLF001
    )


def _ddl(column: Any) -> str:  # noqa: ANN401 - a StructField of the JVM
    if column.dataType().typeName() == "void":
        return f"{quoted(column.name())} STRING"
    return str(column.toDDL())


def ddl_of(spark: "SparkSession", name: str, kind: Any) -> str:  # noqa: ANN401 - Spark's JSON
    """Return a column as DDL, by its name and Spark's JSON of its type."""
    field = {"name": name, "type": kind, "nullable": True, "metadata": {}}
    document = json.dumps({"type": "struct", "fields": [field]})
    types = spark._jvm.org.apache.spark.sql.types  # type: ignore[union-attr] # noqa: SLF001
    return str(types.DataType.fromJson(document).toDDL())


def folders_of(partitions: Iterable[str]) -> Iterator[str]:
    """Yield the folders of partitions, the table's own left out."""
    yield from sorted(set(partitions) - {""})
