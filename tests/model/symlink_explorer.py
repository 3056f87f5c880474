"""Breadth-first search through every state of the folder of a symlink manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .breadth_first import search
from .symlinks.folder import Folder, broken
from .symlinks.writer import FREE, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .explorer import Outcome
    from .symlinks.folder import Story
    from .symlinks.writer import Place

    State = tuple[Folder, tuple[Place, ...]]


def explore(story: Story, most_states: int) -> Outcome:
    """Visit every state, or stop at a broken claim or at the limit."""
    writer = Writer(story)

    def following(state: State) -> Iterator[tuple[str, State]]:
        folder, places = state
        if folder.version < len(story.lists):
            after = folder._replace(version=folder.version + 1)
            yield f"version {after.version} is published", (after, places)
        for n, place in enumerate(places):
            for step in writer.moves(folder, place):
                alike = sorted((*places[:n], step.place, *places[n + 1 :]))
                yield f"{place.step}: {step.words}", (step.folder, tuple(alike))

    first = (Folder(story.files, 1, 1), (FREE,) * story.writers)
    return search(first, following, lambda state: broken(story, state[0]), most_states)
