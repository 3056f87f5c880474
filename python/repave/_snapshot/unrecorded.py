"""Finds data files that Repave did not write: a version read by its records would miss their rows.

A table whose readers list folders may hold such files: from before its first commit through
Repave, or from another writer.
"""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Final, Protocol

from repave._bucket import LAST_CHARACTER
from repave._location import Location
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order
from repave._uploads import OF_A_COMMIT

# A commit's files have its name. Readers do not need a file that no version names.
RECORDABLE: Final = re.compile(rf".*?{OF_A_COMMIT}\d+(?:[._-].*)?", re.DOTALL)
RECORDS: Final = "_repave/"
# A little less than a page of a listing, so that a few other files need no page of their own.
KEYS_OF_A_PART: Final = 990


class Keys(Protocol):
    """Lists a folder."""

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterable[str]:
        """Yield the keys below a folder, relative to it, except those that begin with `skipped`.

        Only those after one key, up to another.
        """


class FilesDifferError(Exception):
    """The table's files are not those of the records, or a commit changed both meanwhile."""


def first_keys(store: Keys, table: Location) -> list[str]:
    """Return the table's first keys: a page of its listing, 1 LIST, or 2 if it has records."""
    return list(islice(store.keys(table, RECORDS, "", LAST_CHARACTER), KEYS_OF_A_PART))


def check_files(store: Keys, table: Location, recorded: AbstractSet[str], first: list[str]) -> None:
    """Compare a table's folder with the records: 1 LIST for about a thousand files, in parallel.

    Args:
        store: lists the folder.
        table: the table.
        recorded: the paths of the version's files, relative to the table.
        first: the result of `first_keys`, from after the version became known.

    Raises:
        FilesDifferError: there are data files that the records do not name, or the other way round.
    """
    foreign: list[str] = []
    inner: set[str] = set()
    found = 0
    for key in _keys(store, table, recorded, first):
        if key in recorded:
            found += 1
        elif f"/{RECORDS}" in key:
            inner.add(key[: key.index(f"/{RECORDS}") + 1])
        elif not hidden(key) and not RECORDABLE.fullmatch(key.rpartition("/")[2]):
            foreign.append(key)
    # A table inside this one has its own records. A partition is no table.
    inner = {folder for folder in inner if "=" not in folder.rstrip("/").rpartition("/")[2]}
    foreign = [key for key in foreign if not any(key.startswith(folder) for folder in inner)]
    if foreign:
        count = "a file" if len(foreign) == 1 else f"{len(foreign):,} files"
        message = (
            f"{table} contains {count} that no commit of Repave wrote, such as {foreign[0]!r}. "
            "Their rows would be missing. `repave adopt` adds such files to the table's records; "
            'unrecorded="ignore" reads the table without them.'
        )
        raise FilesDifferError(message)
    if found < len(recorded):
        message = (
            f"Files that the records of {table} name are missing: another program deleted them. "
            '`repave adopt` corrects the records; unrecorded="ignore" does not check the folders.'
        )
        raise FilesDifferError(message)


def _keys(
    store: Keys, table: Location, recorded: AbstractSet[str], first: list[str]
) -> Iterator[str]:
    """Yield all keys of the table; the recorded files tell where its listing can be divided."""
    yield from first
    if len(first) < KEYS_OF_A_PART:
        return
    after = first[-1]
    borders = sorted(key for key in recorded if key > after)[KEYS_OF_A_PART::KEYS_OF_A_PART]
    parts = list(zip([after, *borders], [*borders, LAST_CHARACTER], strict=True))
    with ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-list") as pool:
        listed = in_order(pool, lambda part: list(store.keys(table, RECORDS, *part)), parts)
        for _, keys in listed:
            yield from keys


def hidden(key: str) -> bool:
    """Return whether readers skip a key: a name with _ or . in front, unless it is a partition.

    >>> [hidden(it) for it in ("dt=1/a.orc", "_SUCCESS", "_dt=1/a.orc", ".tmp/a.orc", "dt=1/")]
    [False, True, False, True, True]
    """
    segments = key.split("/")
    return any(not it or (it[0] in "_." and "=" not in it) for it in segments)
