"""Breadth-first search through every state of a table's lifetime."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .explorer import Outcome
from .history.claims import broken, wrong_end
from .history.job import Driver, Others
from .history.keeper import CheckpointWriter, Vacuum
from .history.table import ABSENT, Place, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    started = time.process_time()
    history = History(life)
    first = history.first()
    parents: dict[State, tuple[State, str] | None] = {first: None}
    frontier = [first]
    transitions = 0
    result, words = "ok", ""
    for state in frontier:  # grows while it is read: a queue
        words = history.wrong(state)
        if words or len(parents) > most_states:
            result = "violated" if words else "limit"
            break
        for told, after in history.following(state):
            transitions += 1
            if after not in parents:
                parents[after] = (state, told)
                frontier.append(after)
    trace = path(parents, state) if words else ()
    seconds = time.process_time() - started
    return Outcome(result, words, trace, len(parents), transitions, seconds)


def path(parents: dict[State, tuple[State, str] | None], state: State) -> tuple[str, ...]:
    """Tell how a state was reached."""
    words = []
    before = parents[state]
    while before is not None:
        words.append(before[1])
        before = parents[before[0]]
    return tuple(words[::-1])
