"""Which of a version's files is the newest, where it is not the first that is read."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from repave._records import DataFile
from repave._uploads import commit_id, commit_of

# So many commits of the history are looked through, for tables with files of many others.
COMMITS_MAX: Final = 200


def newest_of(files: Iterable[DataFile], commits: Iterable[dict[str, Any]]) -> DataFile | None:
    """Return a file of the newest commit that has one, or the first file if no commit has one.

    Files with the same columns are not told apart, so that their commits need not be read.

    Args:
        files: all of a version.
        commits: the table's, the newest first; they are read as far as needed.
    """
    known = list(files)
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
    named = (
        commit_id(commit["commit"]).replace("-", "") for commit in islice(commits, COMMITS_MAX)
    )
    return next((by_commit[one] for one in named if one in by_commit), first)
