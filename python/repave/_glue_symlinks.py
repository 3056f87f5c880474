"""Registers symlink manifests in the Glue Data Catalog, which Athena and Redshift read."""

from repave._errors import UsageError
from repave._glue import Entry, GlueTable, columns_of, serde
from repave._hive import TEXT_OUTPUT
from repave._symlinks import INPUT, SymlinkTable

MARK = {"repave": "symlink"}


def register(glue: GlueTable, table: SymlinkTable) -> int:
    """Create or update the table and its partitions. It may run again at any time.

    Partitions that have no files any more stay: their manifests are empty.

    Returns:
        How many partitions were added or changed.

    Raises:
        UsageError: another table has the name.
        RepaveError: Glue refused a request, or some partitions.
    """
    storage = _storage(table)
    wanted: dict[tuple[str, ...], Entry] = {
        values: {
            "Values": list(values),
            "StorageDescriptor": {**storage, "Location": place},
            "Parameters": MARK,
        }
        for place, values in table.partitions.items()
    }
    known = (
        {}
        if _created(glue, table, storage)
        else {tuple(one["Values"]): one["StorageDescriptor"] for one in glue.partitions()}
    )
    # Another process may have added it meanwhile.
    glue.add(one for values, one in wanted.items() if values not in known)
    changed = [
        one
        for values, one in wanted.items()
        if values in known and not _covers(known[values], one["StorageDescriptor"])
    ]
    if glue.update(changed):
        raise glue.overtaken()
    return len(wanted.keys() - known.keys()) + len(changed)


def _created(glue: GlueTable, table: SymlinkTable, storage: Entry) -> bool:
    """Create the table, or update it if it is there; true if it was created."""
    wanted: Entry = {
        "TableType": "EXTERNAL_TABLE",
        "PartitionKeys": columns_of(table.partition_columns),
        "StorageDescriptor": storage,
    }
    if glue.create({**wanted, "Parameters": {"EXTERNAL": "TRUE", **MARK}}):
        return True
    found = glue.found() or {}
    place = found.get("StorageDescriptor", {}).get("Location", "").rstrip("/")
    if place != table.location:
        message = (
            f"{glue.name} is in Glue and is at {place or 'no place'}, not at {table.location}. "
            "Nothing was changed. Use another name."
        )
        raise UsageError(message)
    same = found.get("PartitionKeys", []) == wanted["PartitionKeys"]
    covered = _covers(found["StorageDescriptor"], wanted["StorageDescriptor"])
    if not (same and covered) and glue.change(found, **wanted):
        raise glue.overtaken()
    return False


def _storage(table: SymlinkTable) -> Entry:
    return {
        "Columns": columns_of(table.columns),
        "Location": table.location,
        "InputFormat": INPUT,
        "OutputFormat": TEXT_OUTPUT,
        "SerdeInfo": serde(table.serde("athena")),
    }


def _covers(found: Entry, wanted: Entry) -> bool:
    """Compare what was asked for; Glue adds members of its own."""
    return all(found.get(key) == value for key, value in wanted.items())
