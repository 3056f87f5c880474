"""Breadth-first search through every state of a machine whose states are not packed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from .explorer import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

State = TypeVar("State")


def search(
    first: State,
    following: Callable[[State], Iterable[tuple[str, State]]],
    wrong: Callable[[State], str],
    most_states: int,
) -> Outcome:
    """Visit every state, or stop at a broken claim or at the limit."""
    started = time.process_time()
    parents: dict[State, tuple[State, str] | None] = {first: None}
    frontier = [first]
    transitions = 0
    result, words = "ok", ""
    for state in frontier:  # grows while it is read: a queue
        words = wrong(state)
        if words or len(parents) > most_states:
            result = "violated" if words else "limit"
            break
        for told, after in following(state):
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
