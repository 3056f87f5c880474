"""The table of a Hive metastore that follows a snapshot table by its locations."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from repave._catalog_sql import (
    columns_of,
    create_statement,
    folders_of,
    name_is_taken,
    partition,
    place_of,
    quoted,
    verbatim,
)
from repave._dialects import name_parts
from repave._errors import UsageError
from repave._formats import format_of
from repave._hive import distinct_partitions
from repave._location import Location
from repave._recorded_columns import columns_of_files
from repave._records import DataFile
from repave._snapshot.newest import newest_of

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


def require_catalog(catalog: str, follower: str, *, rebuild: bool) -> str:
    """Refuse what is not a kind of catalog, and to build a follower again that is in none.

    Raises:
        UsageError: there is no such kind, or `rebuild` has no meaning for this follower.
    """
    if catalog not in CATALOGS:
        message = f"There is no catalog {catalog!r}: pass 'metastore' or 'glue'."
        raise UsageError(message)
    if rebuild and catalog == "metastore" and follower in FOLDERS:
        message = (
            f"rebuild=True is for a table of a catalog, and {follower!r} is none. Nothing was "
            f"changed. To begin again, call table.unfollow({follower!r}), then "
            f"table.follow({follower!r})."
        )
        raise UsageError(message)
    return catalog


def newest_in(ask: Callable[..., Any], files: tuple[DataFile, ...]) -> DataFile | None:
    """Return which of a table's files is of the newest commit; None if the history lacks it."""

    def commits() -> Iterator[Any]:
        yield from ask("history")

    return newest_of(files, commits())


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
        UsageError: the name has no database that exists, or belongs to another table.
    """
    require_database(name)
    _require_present_database(spark, name)
    known_elsewhere(spark, name, table)


def _require_present_database(spark: "SparkSession", name: str) -> None:
    database, *rest = name_parts(name)
    # A name with a third part is refused by the jar.
    if len(rest) == 1 and not spark.catalog.databaseExists(quoted(database)):
        message = (
            f"The session's catalog has no database {database}. Nothing was changed. Create it "
            f"first: CREATE DATABASE {quoted(database)}"
        )
        raise UsageError(message)


def known_elsewhere(spark: "SparkSession", name: str, table: Location) -> None:
    """Refuse a name that the catalog has for another place.

    Raises:
        UsageError: the name belongs to a view, or to a table elsewhere.
    """
    found = place_of(spark, name)
    here = f"{table.bucket}/{table.key}"
    scheme, _, within = (found or str(table)).partition("://")
    # A table at repave:// reads the newest version by itself, and no folder of a commit.
    elsewhere = within != here and not within.startswith(f"{here}/@")
    if found and (scheme == "repave" or elsewhere):
        raise name_is_taken(name, str(table), found)


def _has_partitions(spark: "SparkSession", name: str, by: list[str]) -> bool:
    """Return whether the catalog has the table; refuse other partition columns than the folders.

    Raises:
        UsageError: its partitions cannot have the folders as their locations.
    """
    if not spark.catalog.tableExists(name):
        return False
    own = [column.name for column in spark.catalog.listColumns(name) if column.isPartition]
    if {one.lower() for one in own} != {one.lower() for one in by}:
        message = (
            f"{name} does not have the partition columns of the table's folders, which are {by}: "
            f"its own are {own}. Nothing was changed. If it is external and not needed, drop it, "
            "then follow again: this creates it. DROP TABLE of a managed table deletes its files."
        )
        raise UsageError(message)
    return True


def follow_in_metastore(
    spark: "SparkSession",
    name: str,
    table: Location,
    ask: Callable[..., Any],
    statement: Callable[[], str],
    *,
    rebuild: bool,
) -> Any:  # noqa: ANN401 - JSON
    """Let a table of the session's metastore follow, and create it if it is absent.

    Args:
        spark: the session.
        name: the table's, with its database.
        table: the table on S3.
        ask: asks the jar.
        statement: returns what `statement_for` does.
        rebuild: the metastore's table was dropped, or follows instead of another metastore's.
    """
    require_name(spark, name, table)
    create = statement()
    ask("refollow" if rebuild else "follow", "metastore", name)
    verbatim(spark).sql(create)
    return ask("beginInMetastore")


def statement_for(
    spark: "SparkSession",
    name: str,
    path: str,
    live: Callable[[], tuple[DataFile, ...]],
    read: Callable[[str], "DataFrame"],
    newest: Callable[[tuple[DataFile, ...]], DataFile | None],
) -> str:
    """Return the statement that creates the table in the session's catalog if it is absent.

    Args:
        spark: the session.
        name: the table's, with its database.
        path: where the table is.
        live: returns the live files.
        read: reads the rows of files of a format.
        newest: returns which of the files is of the newest commit.

    Raises:
        UsageError: the catalog has the table with other partition columns.
        InvalidRecordError: a record does not hold columns where it should.
        RepaveError: two folders are one partition for a catalog.
    """
    files = live()
    source = format_of(files, path)
    folders = list(folders_of(file.partition for file in files))
    distinct_partitions(((tuple(partition(one).values()), one) for one in folders), path)
    by = list(next(map(partition, folders), {}))
    exists = _has_partitions(spark, name, by)
    frame = read(source)
    # A table that exists keeps its columns. Only the records of Parquet files name theirs.
    if exists or source != "parquet":
        columns = columns_of(frame)
    else:
        columns = columns_of_files(spark, frame, files, by, newest)
    return create_statement(name, columns, by, source, path)
