"""The record by which a process shows that it is alive, and its compare-and-swap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .world import Mutant

if TYPE_CHECKING:
    from .state import Request, Shared
    from .world import World

# Heartbeats of one commit, so that the space ends. No number comes back: each has a new nonce.
MOST_BEATS: Final = 3


def with_beat(shared: Shared, job: int, number: int) -> Shared:
    """Set the heartbeat of one commit."""
    return shared._replace(beats=(*shared.beats[:job], number, *shared.beats[job + 1 :]))


def may_replace_heartbeat(world: World, shared: Shared, request: Request) -> bool:
    """Tell whether the heartbeat that the sender saw is still there."""
    careless = Mutant.TAKES_OVER_WITHOUT_CONDITION in world.mutants
    number = shared.beats[request.job]
    return number < MOST_BEATS and (careless or number == request.files)


def replace_heartbeat(world: World, shared: Shared, request: Request) -> Shared:
    """Apply a compare-and-swap of the heartbeat; `files` is the number that the sender saw."""
    if not may_replace_heartbeat(world, shared, request):
        return shared
    return with_beat(shared, request.job, shared.beats[request.job] + 1)
