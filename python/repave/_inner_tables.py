"""The tables inside a table's folder: their files belong to them."""

from datetime import datetime
from typing import Protocol

from repave._hidden import is_hidden
from repave._location import HEAD, Location, is_partition_folder
from repave._uploads import is_commit_folder


class Dated(Protocol):
    """Tells whether an object is there."""

    def modified(self, location: Location) -> datetime | None:
        """Return when an object was written, None if there is none."""


class InnerTables:
    """Knows which paths are in a table of their own, for one who asks in the order of a listing.

    Requests: 1 HEAD for each folder that may be a table.
    """

    def __init__(self, objects: Dated, table: Location) -> None:
        self._objects = objects
        self._table = table
        # A listing leaves a folder for good, so the folders around the last path are enough.
        self._around: dict[str, bool] = {}

    def contain(self, path: str) -> bool:
        """Return whether a folder above the path is a table."""
        around: dict[str, bool] = {}
        for folder in _folders(path):
            found = self._around.get(folder)
            around[folder] = self._is_table(folder) if found is None else found
            if around[folder]:
                break
        self._around = around
        return any(around.values())

    def _is_table(self, folder: str) -> bool:
        return self._objects.modified(self._table.under(f"{folder}/{HEAD}")) is not None


def may_be_table(name: str) -> bool:
    """Return whether a folder of this name is a table if it has a head."""
    return not is_partition_folder(name) and not is_commit_folder(name)


def _folders(path: str) -> list[str]:
    """Return the folders above a path that may be tables.

    >>> _folders("a/dt=1/b/_temporary/c/file")
    ['a', 'a/dt=1/b']
    """
    found = []
    names = path.split("/")[:-1]
    for end, name in enumerate(names, 1):
        if is_hidden(name):
            break
        if may_be_table(name):
            found.append("/".join(names[:end]))
    return found
