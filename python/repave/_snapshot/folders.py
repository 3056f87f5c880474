"""Folders of a table: which cover which, and which are too long."""

from typing import Final

from repave._envelope import RESTORE_IT
from repave._errors import InvalidRecordError

OUTSIDE: Final = "s3://"
KEY_BYTES_MAX: Final = 1024


class Replaced:
    """The folders that newer commits replaced: older files in them are not live."""

    def __init__(self) -> None:
        self._folders: set[str] = set()
        self.everything = False

    def add(self, manifest: dict[str, list[str]], kind: str) -> None:
        """Add what a commit of this kind replaced."""
        if kind == "rollback":
            self.everything = True
        elif kind == "dynamic":
            self._folders.update(manifest["touched"])
        elif kind == "static":
            self._folders.update(manifest["scope"])

    def covers(self, folder: str) -> bool:
        """Return whether this folder, or one around it, was replaced.

        >>> replaced = Replaced()
        >>> replaced.add({"touched": ["dt=1"]}, "dynamic")
        >>> [replaced.covers(one) for one in ("dt=1", "dt=1/hour=2", "dt=10", "")]
        [True, True, False, False]
        """
        if self.everything or folder in self._folders:
            return True
        if "" in self._folders and not folder.startswith(OUTSIDE):
            return True
        while "/" in folder:
            folder = folder.rpartition("/")[0]
            if folder in self._folders:
                return True
        return False


def check_length(path: str, where: str) -> str:
    """Refuse a path that is longer than any key. `open_record` refuses those that lead outside."""
    if 4 * len(path) > KEY_BYTES_MAX:  # most paths are short
        key = path.split("/", 3)[3] if path.startswith(OUTSIDE) else path
        if len(key.encode("utf-8", "surrogatepass")) > KEY_BYTES_MAX:
            raise _refused(path, where)
    return path


def _refused(path: str, where: str) -> InvalidRecordError:
    shown = path if len(path) <= 80 else f"{path[:80]}…"  # noqa: PLR2004 - a line's length
    return InvalidRecordError(
        f"The record {where} names {shown!r}, which is not a place inside this table.{RESTORE_IT}"
    )
