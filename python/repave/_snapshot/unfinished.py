"""Files in a listing table's folder that its records do not name because of unfinished commits."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from repave._read import TableRecords
from repave._uploads import commit_id, commit_of

# The kinds of commits that replace files; the jar has the same rule (CommitKind).
KINDS_THAT_REPLACE: Final = ("dynamic", "static", "rollback")
PUBLISHED: Final = "cleaning"


class UnfinishedCommits:
    """Tells which files of a listing are not part of a version.

    These are files of commits that were not published when the version was, and files that a
    published commit is still deleting. `repave://` hides the same files (`EngineRecords` in the
    jar). It shows all others, so they must not be left out silently.
    """

    def __init__(self, records: TableRecords, head: dict[str, Any]) -> None:
        """Take a head that was read before the listing began; the version is its newest."""
        self._records = records
        self._head = head

    def without(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that no unfinished commit explains.

        Requests: none if all are files of commits that the head names as not published. Otherwise
        1 GET for each commit that is deleting files, and for each shard of its manifest, and 1 GET
        of the head.
        """
        pending = {
            commit_id(one["commit"]) for one in self._head["active"] if one["state"] != PUBLISHED
        }
        left = [path for path in paths if _commit(path) not in pending]
        if left:
            replaced = set(self._replaced())
            left = [path for path in left if path not in replaced]
        if any(map(_commit, left)):
            newer = self._newer()
            left = [path for path in left if _commit(path) not in newer]
        return left

    def _replaced(self) -> Iterator[str]:
        """Yield the files that published commits are deleting."""
        for commit in self._head["active"]:
            if commit["state"] == PUBLISHED and commit["kind"] in KINDS_THAT_REPLACE:
                index = self._records.manifest_index(commit["commit"])
                yield from self._records.replaced(commit["commit"], index)

    def _newer(self) -> set[str]:
        """Return the commits that were reserved since the head, some of them published by now.

        Their files are in the listing if it met them. The files of the version are there too:
        otherwise the version cannot be read.
        """
        before, now = self._head, self._records.head()
        if now["table-id"] != before["table-id"]:
            return set()
        unfinished = (one for one in now["active"] if not 0 < one["version"] <= before["version"])
        published = (one for one in now["log"] if one["version"] > before["version"])
        return {commit_id(one["commit"]) for one in (*unfinished, *published)}


def _commit(path: str) -> str:
    return commit_of(path.rpartition("/")[2])
