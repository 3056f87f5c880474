"""Waiters: how a process shows that it is alive, and how another takes over from it.

A waiter may judge wrongly at any time: the model has no clocks, and no rule may depend on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .heartbeat import MOST_BEATS, may_replace_heartbeat, with_beat
from .state import UNFINISHED, Local, Request, Shared, Step
from .store import send
from .world import Feature, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World

NOT_SEEN: Final = MOST_BEATS + 1
# The steps of a process that runs a decided commit.
WORK: Final = frozenset({
    "list", "put plan", "complete", "publish", "retire", "finish", "revert", "drain", "mark",
    "end revert",
})  # fmt: skip


def beat(world: World, shared: Shared, local: Local) -> Iterator[Step]:
    """Write the next heartbeat of a commit, beside the step that its process is at."""
    if Feature.HEARTBEAT not in world.features or local.step not in WORK or not world.faults:
        return
    number = shared.beats[local.job]
    if shared.statuses[local.job] in UNFINISHED and number < MOST_BEATS:
        yield Step("writes a heartbeat", with_beat(shared, local.job, number + 1), local)


def is_replaced(world: World, shared: Shared, local: Local) -> bool:
    """Tell whether a driver takes a replaced heartbeat for its failure (only a mutant does)."""
    trusts = Mutant.REPLACED_SAYS_FAILED in world.mutants and local.step in WORK
    return trusts and bool(shared.taken >> local.job * NOT_SEEN & (1 << NOT_SEEN) - 1)


def note_winner(shared: Shared, job: int, seen: int) -> Shared:
    """Remember for I13 that a waiter was told that it replaced this heartbeat."""
    mark = 1 << job * NOT_SEEN + seen
    if shared.statuses[job] not in UNFINISHED:
        return shared
    twice = shared.taken_twice | (1 << job if shared.taken & mark else 0)
    return shared._replace(taken=shared.taken | mark, taken_twice=twice)


class TakeOver:
    """Watch a commit's heartbeat; once it seems dead, replace the heartbeat that was seen."""

    def __init__(self, world: World) -> None:
        self.world = world
        # Recovery alone has nobody to compete with: it need not watch.
        self.is_needed = Feature.HEARTBEAT in world.features and world.faults
        self.steps = {"watch": self.watch}

    def watch(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Wait while the heartbeat changes; at any time, take the commit for dead."""
        job, step, seen = local
        number = shared.beats[job]
        if shared.statuses[job] not in UNFINISHED:
            yield Step("sees that it is finished", shared, Local(job, "read head"))
        elif number != seen:
            yield Step(f"sees heartbeat {number}", shared, Local(job, step, number))
        if seen != NOT_SEEN:
            yield from self.take(shared, local)

    def take(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Replace the heartbeat that was seen; an answer that got lost counts as a success."""
        job, _, seen = local
        request = Request("take over", job, seen)
        if not may_replace_heartbeat(self.world, shared, request):
            return  # refused: goes on watching
        won = Local(job, "read head")
        steps = send(self.world, shared, request, won, won)
        answered = next(steps)
        yield answered._replace(shared=note_winner(answered.shared, job, seen))
        yield from steps
