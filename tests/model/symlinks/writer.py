"""A process that brings the folder to the head's version, step by step, or never goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .folder import Folder, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .folder import Story


MISSED: Final = "?"


class Place(NamedTuple):
    """Where a writer stands, and what it remembers."""

    step: str
    seen: tuple[str, ...] = ()  # the files as it listed them, MISSED for one that was not there
    version: int = 0  # of the head that it read
    content: str = ""  # what it read of the file with the list

    @property
    def last(self) -> int:
        return len(self.seen) - 1

    @property
    def shown(self) -> int:
        """Number of the newest file with lines; -1 without one."""
        lines = (n for n, content in enumerate(self.seen) if content.isalpha())
        return max(lines, default=-1)

    @property
    def is_open(self) -> bool:
        return bool(self.seen) and self.seen[-1].isupper()

    @property
    def before(self) -> list[int]:
        """Number the files with lines before the newest one."""
        before = enumerate(self.seen[: max(self.shown, 0)])
        return [n for n, content in before if content.isalpha()]


class Step(NamedTuple):
    """One transition, in words and in effect."""

    words: str
    folder: Folder
    place: Place


FREE: Final = Place("free")


class Writer:
    """The rules of docs/protocol.md, section 8; one request in each step."""

    def __init__(self, story: Story) -> None:
        self.story = story

    def breaks(self, mutant: Mutant) -> bool:
        return mutant in self.story.mutants

    def moves(self, folder: Folder, place: Place) -> Iterator[Step]:
        yield from getattr(self, place.step)(folder, place)

    def free(self, folder: Folder, place: Place) -> Iterator[Step]:
        if self.breaks(Mutant.HEAD_FIRST):
            version = folder.version
            after = place._replace(step="lists", version=version)
            yield Step(f"reads version {version}", folder, after)
            return
        yield from self.lists(folder, place)

    def lists(self, folder: Folder, place: Place) -> Iterator[Step]:
        seen = folder.files
        if self.story.slow_listing:
            number = len(place.seen)
            seen = (*place.seen, folder.files[number] if number < len(seen) else MISSED)
            if len(seen) < self.story.most_files:
                yield Step(f"lists {number}", folder, place._replace(step="lists", seen=seen))
                return
            while seen and seen[-1] == MISSED:
                seen = seen[:-1]
        yield Step(f"lists {seen}", folder, place._replace(step="reads_head", seen=seen))

    def reads_head(self, folder: Folder, place: Place) -> Iterator[Step]:
        version = place.version or folder.version
        after = place._replace(step="clears", version=version)
        if self.breaks(Mutant.CLEARS_LAST):
            after = after._replace(step="writes")
        yield Step(f"reads version {version}", folder, after)

    def clears(self, folder: Folder, place: Place) -> Iterator[Step]:
        if MISSED in place.seen and not self.breaks(Mutant.IGNORES_GAPS):
            yield Step("finds a file that it missed", folder, FREE)
            return
        if not place.before:
            yield from self.writes(folder, place)
            return
        number = place.before[0]
        seen = (*place.seen[:number], "", *place.seen[number + 1 :])
        after = place._replace(seen=seen)
        yield Step(f"empties {number}", folder.with_file(number, ""), after)

    def writes(self, folder: Folder, place: Place) -> Iterator[Step]:
        wanted = self.story.wanted(place.version)
        anyway = self.breaks(Mutant.RETURNS_IN_PLACE)
        if place.is_open and (not wanted or anyway or self.story.fresh(place.version)):
            yield self.replace(folder, place, wanted, "ends")
            return
        unread = self.breaks(Mutant.KEEPS_UNREAD) and place.shown < place.last
        files = place.seen if unread else folder.files
        content = files[place.shown] if place.shown >= 0 else ""
        after = place._replace(step="decides", content=content)
        yield Step(f"reads {content!r} of {place.shown}", folder, after)

    def decides(self, folder: Folder, place: Place) -> Iterator[Step]:
        wanted = self.story.wanted(place.version)
        there = bool(wanted) and place.content.upper() == wanted
        if there and self.breaks(Mutant.SAME_STATE):
            yield Step("finds the list", folder, place._replace(step="ends"))
        elif place.is_open:
            step = "ends" if there else "puts"
            yield self.replace(folder, place, place.content.lower(), step)
        elif there and not self.breaks(Mutant.BESIDE_ITSELF):
            yield from self.put(folder, place, "", "ends")
        else:
            yield from self.puts(folder, place)

    def copies(self, place: Place) -> bool:
        """Tell whether lines go to the next file only to be emptied there."""
        empties = not self.story.wanted(place.version) and bool(place.content)
        return empties and not self.breaks(Mutant.EMPTY_AFTER_CLOSED)

    def puts(self, folder: Folder, place: Place) -> Iterator[Step]:
        wanted = self.story.wanted(place.version)
        content = place.content.upper() if self.copies(place) else wanted
        yield from self.put(folder, place, content, "empties")

    def empties(self, folder: Folder, place: Place) -> Iterator[Step]:
        after = place._replace(step="shuts" if self.copies(place) else "ends")
        if place.content:
            words = f"empties {place.shown}"
            yield Step(words, folder.with_file(place.shown, ""), after)
        else:
            yield from self.moves(folder, after)

    def shuts(self, folder: Folder, place: Place) -> Iterator[Step]:
        copied = place._replace(seen=(*place.seen, place.content.upper()))
        yield self.replace(folder, copied, "", "ends")

    def ends(self, folder: Folder, place: Place) -> Iterator[Step]:
        if self.breaks(Mutant.CLEARS_LAST):
            for number in place.before:
                folder = folder.with_file(number, "")
        followed = max(folder.followed, place.version)
        words = f"has followed version {place.version}"
        yield Step(words, folder._replace(followed=followed), FREE)

    def replace(self, folder: Folder, place: Place, content: str, step: str) -> Step:
        """Put the last file on the condition of its etag."""
        words = f"replaces {place.last} by {content!r}"
        if folder.files[place.last] != place.seen[-1]:
            return Step(f"{words}: refused", folder, FREE)
        return Step(words, folder.with_file(place.last, content), place._replace(step=step))

    def put(self, folder: Folder, place: Place, content: str, step: str) -> Iterator[Step]:
        """Put the next file if it is absent."""
        number = place.last + 1
        words = f"puts {content!r} at {number}"
        if number < len(folder.files):
            yield Step(f"{words}: refused", folder, FREE)
        elif number < self.story.most_files:
            yield Step(words, folder.with_file(number, content), place._replace(step=step))
