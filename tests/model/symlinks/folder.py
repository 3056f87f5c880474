"""The folder of one partition's symlink manifest, and what readers of it see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Mutant(Enum):
    """A rule of symlink manifests, broken."""

    HEAD_FIRST = "head read before the folder is listed"
    RETURNS_IN_PLACE = "list of an earlier version replaces an open file"
    SAME_STATE = "list that is there leaves the folder as it is"
    BESIDE_ITSELF = "list that is there in a closed file goes to the next one too"
    EMPTY_AFTER_CLOSED = "empty list goes to the next file, then the closed one is emptied"
    CLEARS_LAST = "files before the one with the list are emptied after the write"
    IGNORES_GAPS = "file that the listing missed is not looked for"
    KEEPS_UNREAD = "list of a file before the last one is not read after the listing"


class Folder(NamedTuple):
    """The head's version, the followed one, and the files.

    A list is one letter, and its file is open; in a closed file it is the small letter. A file
    without lines is empty. Equal contents have equal etags.
    """

    files: tuple[str, ...]
    version: int
    followed: int

    def with_file(self, number: int, content: str) -> Folder:
        files = (*self.files[:number], content, *self.files[number + 1 :])
        return self._replace(files=files)

    @property
    def rows(self) -> list[str]:
        """Take the lines of all files together, as readers do."""
        return sorted(content.upper() for content in self.files if content)


@dataclass(frozen=True, slots=True)
class Story:
    """One space to explore: the lists of the versions, and who brings the folder to them."""

    lists: tuple[str, ...]  # of version 1, 2 and so on; "" is a partition without files
    files: tuple[str, ...]  # of version 1
    writers: int
    slow_listing: bool = False  # files are seen one after the other, or missed
    most_files: int = 5
    mutants: frozenset[Mutant] = frozenset()

    @property
    def name(self) -> str:
        broken = "".join(f"MUTANT {mutant.value}; " for mutant in self.mutants)
        lists = ", ".join(content or "none" for content in self.lists)
        slow = ", slow listings" if self.slow_listing else ""
        return f"{broken}symlinks: {lists}; from {self.files}, {self.writers} writers{slow}"

    def wanted(self, version: int) -> str:
        return self.lists[version - 1]

    def fresh(self, version: int) -> bool:
        """Tell whether no version before this one had the list."""
        return bool(self.wanted(version)) and self.wanted(version) not in self.lists[: version - 1]


def broken(story: Story, folder: Folder) -> str:
    """Name the first claim that does not hold."""
    since = [story.wanted(v) for v in range(folder.followed, folder.version + 1)]
    rows = folder.rows
    if len(since) == 1 and rows != [content for content in since if content]:
        return f"L1 OTHER ROWS: readers see {rows} of {folder.files}, followed is {since}"
    if not rows and all(since):
        return f"L2 NO ROWS: readers see nothing of {since}"
    if not set(rows) <= set(since):
        return f"L3 OLDER ROWS: readers see {rows}, the versions since the followed one {since}"
    return ""
