"""The table of a Hive metastore that follows a snapshot table by its locations."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from repave._errors import UsageError
from repave._location import Location
from repave._register import columns_of, partition, path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# The followers that need no catalog.
IN_THE_FOLDER = ("delta", "symlink")


CATALOGS = ("metastore", "glue")


def require_catalog(catalog: str) -> str:
    """Refuse what is not a kind of catalog.

    Raises:
        UsageError: there is no such kind.
    """
    if catalog not in CATALOGS:
        message = f"There is no catalog {catalog!r}: pass 'metastore' or 'glue'."
        raise UsageError(message)
    return catalog


def require_database(name: str) -> None:
    """Refuse the name of a catalog's table without its database.

    Sessions have different current databases, and a misspelled kind of follower is such a name.

    Raises:
        UsageError: the name has no database.
    """
    if "." in name:
        return
    near = get_close_matches(name.lower(), IN_THE_FOLDER, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    message = (
        f"There is no follower {name!r}.{hint} The followers are 'delta', 'symlink' and tables of "
        "the session's Hive metastore, named with their database, such as 'lake.sales'. Nothing "
        "was changed."
    )
    raise UsageError(message)


def require_name(spark: "SparkSession", name: str, table: Location) -> None:
    """Refuse a name that a table of the session's catalog cannot have, or that another one has.

    Raises:
        UsageError: the name has no database, or belongs to another table.
    """
    require_database(name)
    known_elsewhere(spark, name, table)


def known_elsewhere(spark: "SparkSession", name: str, table: Location) -> None:
    """Refuse a name that the catalog has for another place.

    Raises:
        UsageError: the name belongs to a view, or to a table elsewhere.
    """
    if not spark.catalog.tableExists(name):
        return
    state = spark._jsparkSession.sessionState()  # noqa: SLF001
    identifier = state.sqlParser().parseTableIdentifier(name)
    place = state.catalog().getTempViewOrPermanentTableMetadata(identifier).storage().locationUri()
    found = path(place) if place.isDefined() else "a view"
    here = f"{table.bucket}/{table.key}"
    within = found.partition("://")[2]
    if within != here and not within.startswith(f"{here}/@"):
        message = (
            f"{name} is in the catalog already and is not {table} but {found}: "
            f"take another name, or DROP TABLE {name} if it is not needed."
        )
        raise UsageError(message)


def columns_and_partitions(rows: "DataFrame", folders: Iterable[str]) -> tuple[str, list[str]]:
    """Return the columns of a table as DDL, and which of them its folders are named by."""
    return columns_of(rows), list(next((partition(folder) for folder in folders), {}))
