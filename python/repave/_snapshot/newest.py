"""Which of a version's files is the newest, where it is not the first that is read."""

from collections.abc import Iterable
from typing import Any

from repave._hidden import is_read
from repave._records import DataFile
from repave._uploads import commit_id, commit_of


def newest_of(files: Iterable[DataFile], commits: Iterable[dict[str, Any]]) -> DataFile | None:
    """Return a file of the newest commit that has one; None if the history does not tell.

    Files with the same columns are not told apart, so that their commits need not be read. Of
    adopted files no record names the order: the first one counts, as for Spark.

    Args:
        files: all of a version.
        commits: those of the version and before, the newest first; they are read as far as needed.
    """
    known = [file for file in files if is_read(file.name, file.bytes)]
    schemas = {file.schema for file in known}
    first = known[0] if known else None
    if len(schemas) == 1 and None not in schemas:
        return first
    by_commit: dict[str, DataFile] = {}
    for file in known:
        # A commit's files have the id that ends its name.
        commit = commit_of(file.name)
        if commit:
            by_commit.setdefault(commit.replace("-", ""), file)
    if not by_commit:
        return first
    version = 0
    for one in commits:
        found = by_commit.get(commit_id(one["commit"]).replace("-", ""))
        if found is not None:
            return found
        version = one["version"] or version
    # No commit of a whole history wrote one of the files, so all of them were adopted.
    return first if version == 1 else None
