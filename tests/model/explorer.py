"""Breadth-first search through every state of a configuration."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from .space import InvariantError, Space

if TYPE_CHECKING:
    from .world import Configuration


class Outcome(NamedTuple):
    """What a search found."""

    result: str
    broken: str
    trace: tuple[str, ...]
    states: int
    transitions: int
    seconds: float  # of one core: other processes do not count


def explore(configuration: Configuration, most_states: int) -> Outcome:
    """Visit every state, or stop at a broken invariant or at the limit."""
    started = time.process_time()
    space = Space(configuration)
    parents = {space.first: space.first}
    result, broken = "ok", ""
    trace: tuple[str, ...] = ()
    search = Search(space, parents)
    try:
        while search.frontier and len(parents) <= most_states:
            search.advance()
        if search.frontier:
            result, broken = "limit", "not explored to its end"
    except InvariantError as violation:
        result, broken, trace = "violated", str(violation), search.trace()
    seconds = time.process_time() - started
    return Outcome(result, broken, trace, len(parents), search.transitions, seconds)


class Search:
    """One search: the states seen, each with the state it was first reached from."""

    def __init__(self, space: Space, parents: dict[int, int]) -> None:
        self.space = space
        self.parents = parents
        self.frontier = [space.first]
        self.transitions = 0
        self.current = space.first

    def advance(self) -> None:
        """Expand the frontier by one step: the one loop whose speed counts."""
        space, parents, width = self.space, self.parents, self.space.width
        seats = [(s, s.known, s.offset, s.bits, (1 << s.bits) - 1) for s in space.seats]
        found: list[int] = []
        transitions = 0
        for state in self.frontier:
            shared_id = state >> width
            for seat, known, offset, bits, mask in seats:
                place_id = state >> offset & mask
                key = shared_id << bits | place_id
                differences = known.get(key)
                if differences is None:
                    self.current = state
                    differences = space.differences(seat, shared_id, place_id)
                    known[key] = differences
                transitions += len(differences)
                for difference in differences:
                    after = state + difference
                    if after not in parents:
                        parents[after] = state
                        found.append(after)
        self.transitions += transitions
        self.frontier = found

    def trace(self) -> tuple[str, ...]:
        """Tell how the current state was reached."""
        path = [self.current]
        while self.parents[path[-1]] != path[-1]:
            path.append(self.parents[path[-1]])
        return tuple(self.space.explain(path[::-1]))
