"""Finds data files that the records do not name: a version read by its records misses their rows.

A table whose readers list folders may hold such files: from before its first commit through
Repave, from another writer, or copies of files of Repave.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from repave._hidden import is_hidden_key
from repave._inner_tables import may_be_table
from repave._location import HEAD
from repave._snapshot.folder_listing import FolderListing
from repave._snapshot.unfinished import UnfinishedCommits

# As a program writes it, and as the command line does.
IGNORE: Final = 'unrecorded="ignore" (--unrecorded ignore)'


class FilesDifferError(Exception):
    """The table's files are not those of the records, or a commit changed both meanwhile."""


def check_files(
    listing: FolderListing,
    recorded: AbstractSet[str],
    unfinished: UnfinishedCommits,
    meanwhile: Callable[[], None],
) -> None:
    """Compare a table's folder with the records.

    Args:
        listing: of the folder, begun after the version became known.
        recorded: the paths of the version's files, relative to the table.
        unfinished: commits whose files are not part of the version.
        meanwhile: is called once the store has all requests of a long listing. To do it earlier
            would delay them, because only one thread of Python runs at a time.

    Raises:
        FilesDifferError: there are data files that the records do not name, or the other way round.
    """
    foreign: list[str] = []
    inner: set[str] = set()
    found = 0
    for number, keys in enumerate(listing.parts(recorded)):
        if number == 1:
            meanwhile()
        others = [key for key in keys if key not in recorded]
        found += len(keys) - len(others)
        for key in others:
            if key.endswith(f"/{HEAD}"):
                inner.add(key.removesuffix(HEAD))
            elif not is_hidden_key(key):
                foreign.append(key)
    # A table inside this one has its own records.
    inner = {folder for folder in inner if may_be_table(folder.rstrip("/").rpartition("/")[2])}
    foreign = [key for key in foreign if not any(key.startswith(folder) for folder in inner)]
    if found < len(recorded):
        message = (
            f"{len(recorded) - found:,} of {len(recorded):,} files that the records of "
            f"{listing.table} name are missing: another program deleted them. If that was a "
            "mistake, restore them from the bucket's older versions; if not, `repave adopt` "
            f"removes them from the records. {IGNORE} does not check the folders."
        )
        raise FilesDifferError(message)
    foreign = unfinished.without(foreign)
    if foreign:
        count = "a file" if len(foreign) == 1 else f"{len(foreign):,} files"
        message = (
            f"{listing.table} contains {count} that its records do not name, such as "
            f"{foreign[0]!r}. Their rows would be missing. Delete the files that do not belong to "
            "the table; `repave adopt` adds the others to its records. "
            f"{IGNORE} reads the table without them."
        )
        raise FilesDifferError(message)
