"""Tables and partitions as Glue describes them, and what of it a follower changes."""

from typing import Final

from repave._glue import Entry
from repave._hive_types import Columns
from repave._location import Location

# Of a table in Glue, after "drop that table".
EXTERNAL: Final = "only if it is external: DROP TABLE of a managed table deletes its files."
# The property of a table that has the id of its follower.
MARK: Final = "repave.follower"
# The property with which Hive drops an external table like a managed one.
PURGE: Final = "external.table.purge"


def keys_of(table: Entry) -> Columns:
    """Return the partition columns with their types."""
    return {column["Name"]: column.get("Type", "") for column in table.get("PartitionKeys", ())}


def mark_of(table: Entry) -> str:
    """Return the id of the follower that a table belongs to, "" for none."""
    return str(table.get("Parameters", {}).get(MARK, ""))


def is_managed(table: Entry) -> bool:
    """Return whether engines delete a table's files when they drop it."""
    return str(table.get("TableType", "")).upper() == "MANAGED_TABLE"


def is_purged(table: Entry) -> bool:
    """Return whether Hive deletes the files of an external table when it drops it."""
    return str(table.get("Parameters", {}).get(PURGE, "")).lower() == "true"


def reads_locations(table: Entry) -> bool:
    """Return whether Spark reads the locations of a table's partitions."""
    parameters = table.get("Parameters", {})
    provider = str(parameters.get("spark.sql.sources.provider", "hive"))
    return provider.lower() == "hive" or parameters.get("spark.sql.partitionProvider") == "catalog"


def moved_to(storage: Entry, location: str) -> Entry:
    """Return the storage of a table without partitions at another location.

    Spark reads the tables that it has created at `path`, and the other engines at `Location`.
    """
    same = is_at({"StorageDescriptor": storage}, location)
    moved = storage if same else {**storage, "Location": location}
    serde_info = storage.get("SerdeInfo", {})
    named = serde_info.get("Parameters", {}).get("path", "")
    scheme, _, within = named.partition("://")
    if named and within.rstrip("/") != location.partition("://")[2]:
        # Spark's sessions may know another scheme than the other engines.
        place = str(Location.of(location).with_scheme(scheme)) if within else location
        parameters = {**serde_info["Parameters"], "path": place}
        moved = {**moved, "SerdeInfo": {**serde_info, "Parameters": parameters}}
    return moved


def is_plain(location: str) -> bool:
    """Return whether a location is not the folder of a commit."""
    return not location.rsplit("/", 1)[-1].startswith("@")


def is_plain_again(found: Entry, location: str) -> bool:
    """Return whether a location leaves the folder of a commit for a plain one."""
    named: str = found.get("StorageDescriptor", {}).get("Location", "")
    return is_plain(location) and not is_plain(named.rstrip("/"))


def is_at(found: Entry, location: str) -> bool:
    """Return whether a table or a partition has a location."""
    named: str = found.get("StorageDescriptor", {}).get("Location", "")
    return named.rstrip("/") == location
