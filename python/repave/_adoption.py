"""What `repave adopt` would record: from the records and one listing. Nothing is changed."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from repave._errors import UsageError
from repave._inner_tables import InnerTables, is_hidden
from repave._location import Location
from repave._read import TableRecords
from repave._snapshot.folders import OUTSIDE
from repave._sorted_keys import NumberOf, SortedKeys
from repave._storage import Amount, Listing, live_files
from repave._uploads import commit_id, commit_of


@dataclass(frozen=True)
class AdoptionPreview:
    """The files that would be added to a table's records, by their folders."""

    table: str
    version: int  # the table's version now, 0 without records
    added: Mapping[str, Amount]
    gone: int  # recorded files of the table's folder that are not there

    @property
    def files(self) -> int:
        """How many files would be added."""
        return sum(one.files for one in self.added.values())

    @property
    def bytes(self) -> int:
        """The size of these files."""
        return sum(one.bytes for one in self.added.values())

    def document(self) -> dict[str, Any]:
        """Return the document of docs/json.md."""
        folders = [
            {"partition": folder, "files": one.files, "bytes": one.bytes}
            for folder, one in self.added.items()
        ]
        return {
            "table": self.table,
            "version": self.version,
            "dry-run": True,
            "files": self.files,
            "bytes": self.bytes,
            "gone": self.gone,
            "partitions": folders,
        }


def table_of(path: Location) -> Location:
    """Return the table of a path, as the jar finds it: last folders `key=value` are partitions.

    >>> str(table_of(Location.of("s3://lake/sales/dt=1/hour=2")))
    's3://lake/sales'
    """
    key = path.key
    while key.rpartition("/")[2].find("=") > 0:
        key = key.rpartition("/")[0]
    return Location(path.scheme, path.bucket, key)


def preview_adoption(objects: Listing, path: Location) -> AdoptionPreview:
    """Compare a table's folder with its records, as an adoption would.

    Requests: those of `LiveFiles`, 1 LIST for each 1,000 objects, and 1 HEAD for each folder that
    is not a partition and holds files that no record names.

    Raises:
        UsageError: the table is a snapshot table, or there is nothing to adopt.
    """
    records = TableRecords(objects, table_of(path))
    head = records.head()
    if head["readers"] == "snapshot":
        message = (
            f"The table {records.table} has repave.readers=snapshot. Its first commit adopted the "
            "files that existed then; other files in its folder cannot be adopted."
        )
        raise UsageError(message)
    files: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    # An adoption waits for them, and they record their files themselves.
    unfinished = {commit_id(one["commit"]) for one in head["active"]}
    with closing(SortedKeys()) as recorded:
        missing = 0
        for file in live_files(records, head):
            if not file.partition.startswith(OUTSIDE):
                recorded.add(file.path, 0)
                missing += 1
        inner = InnerTables(objects, records.table)
        number_of = NumberOf(recorded)
        for one in objects.listed(records.table):
            if number_of(one.path) is not None:
                missing -= 1
                continue
            folder, _, name = one.path.rpartition("/")
            # S3A marks a folder by a key that ends in a slash.
            if not name or any(map(is_hidden, one.path.split("/"))):
                continue
            if commit_of(name) not in unfinished and not inner.contain(one.path):
                files[folder] += 1
                stored[folder] += one.bytes
    if not files and not head["table-id"]:
        message = f"There is no data file and no Repave table in {records.table}. Check the path."
        raise UsageError(message)
    added = {folder: Amount(files[folder], stored[folder]) for folder in files}
    table = str(records.table.with_scheme("s3"))
    return AdoptionPreview(table, head["version"], added, missing)
