"""The table of a Hive metastore that follows a snapshot table by its locations."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from repave._errors import UsageError
from repave._location import Location
from repave._register import columns_of, name_is_taken, partition, place_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# The folder that a follower keeps in the table's. Followers without one are tables of a catalog.
FOLDERS: Final = {"delta": "_delta_log", "symlink": "_symlink_format_manifest"}
CATALOGS: Final = ("metastore", "glue")
KINDS: Final = (*FOLDERS, *CATALOGS)

IN_A_SESSION: Final = "call table.sync() in a session of this catalog"


def advice(kind: str, sync: str) -> str:
    """Return what brings a follower that is behind to the table's version.

    Args:
        kind: the follower's.
        sync: how to run `repave sync`, which has no Hive metastore.
    """
    return IN_A_SESSION if kind == "metastore" else sync


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
    near = get_close_matches(name.lower(), FOLDERS, 1)
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
    found = place_of(spark, name)
    here = f"{table.bucket}/{table.key}"
    within = (found or here).partition("://")[2]
    if found and within != here and not within.startswith(f"{here}/@"):
        raise name_is_taken(name, str(table), found)


def columns_and_partitions(rows: "DataFrame", folders: Iterable[str]) -> tuple[str, list[str]]:
    """Return the columns of a table as DDL, and which of them its folders are named by."""
    return columns_of(rows), list(next((partition(folder) for folder in folders), {}))
