"""recover() in some process, at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import Revert
from .forward import RollForward
from .state import (
    IDLE,
    PENDING,
    UNFINISHED,
    Local,
    Shared,
    Step,
)
from .waiter import NOT_SEEN, TakeOver, beat
from .world import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class Recoverer:
    """recover() in some process: takes any unfinished commit, at any time, and may die."""

    name = "recoverer"

    def __init__(self, world: World) -> None:
        self.world = world
        take_over = TakeOver(world)
        self.watches = take_over.is_needed
        self.steps = {
            **RollForward(world, IDLE, IDLE).steps,
            **Revert(world, IDLE).steps,
            **take_over.steps,
        }

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        if local != IDLE:
            if self.world.faults:
                yield Step("dies", shared, IDLE)
            yield from self.steps[local.step](shared, local)
            yield from beat(self.world, shared, local)
            return
        for job, status in enumerate(shared.statuses):
            if status == PENDING and Mutant.ROLLBACK in self.world.mutants:
                words = f"rolls {self.world.jobs[job].name} back"
                yield Step(words, shared, Local(job, "roll back"))
            elif status in UNFINISHED and self.watches:
                yield from self.steps["watch"](shared, Local(job, "watch", NOT_SEEN))
            elif status in UNFINISHED:
                yield from self.steps["read head"](shared, Local(job, "read head"))
