"""Breadth-first search through every state of a table's lifetime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .breadth_first import search
from .history.claims import broken, wrong_end
from .history.job import Driver, Others
from .history.keeper import CheckpointWriter, Vacuum
from .history.table import ABSENT, Place, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .explorer import Outcome
    from .history.table import Lifetime

    Actor = Driver | Others | CheckpointWriter | Vacuum
    State = tuple[Table, tuple[Place, ...]]


class History:
    """The processes of one lifetime, and the ways on from any state."""

    def __init__(self, life: Lifetime) -> None:
        self.life = life
        self.drivers = [Driver(life, job) for job in range(len(life.jobs))]
        writers = [CheckpointWriter(life) for _ in range(life.writers)]
        vacuums = [Vacuum(life) for _ in range(life.vacuums)]
        self.actors: list[Actor] = [*self.drivers, Others(life), *writers, *vacuums]
        self.writers = slice(len(self.drivers) + 1, len(self.drivers) + 1 + life.writers)

    def first(self) -> State:
        """Begin with a table that nobody committed to."""
        none = (ABSENT,) * len(self.drivers)
        bases = (-1,) * len(self.drivers)
        table = Table((), none, bases, 1, 0, 1, (), 0, 0, 0, 0, 0, 0)
        return table, tuple(actor.start for actor in self.actors)

    def following(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield every step of every process; alike ones are kept sorted."""
        table, places = state
        for n, actor in enumerate(self.actors):
            for step in actor.moves(table, places[n]):
                after = [*places[:n], step.place, *places[n + 1 :]]
                after[self.writers] = sorted(after[self.writers])
                yield f"{actor.name}: {step.words}", (step.table, tuple(after))

    def wrong(self, state: State) -> str:
        """Name the first claim that does not hold."""
        table, places = state
        ends = (wrong_end(self.life, table, d.job, places[d.job]) for d in self.drivers)
        return broken(table) or next(filter(None, ends), "")


def explore(life: Lifetime, most_states: int) -> Outcome:
    """Visit every state, or stop at a broken claim or at the limit."""
    history = History(life)
    return search(history.first(), history.following, history.wrong, most_states)
