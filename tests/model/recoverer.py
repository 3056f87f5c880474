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
from .world import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class Recoverer:
    """recover() in some process: takes any unfinished commit, at any time, and may die."""

    name = "recoverer"

    def __init__(self, world: World) -> None:
        self.world = world
        self.steps = {**RollForward(world, IDLE, IDLE).steps, **Revert(world, IDLE).steps}

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        if local != IDLE:
            if self.world.faults:
                yield Step("dies", shared, IDLE)
            yield from self.steps[local.step](shared, local)
            return
        for job, status in enumerate(shared.statuses):
            if status == PENDING and Mutant.ROLLBACK in self.world.mutants:
                words = f"rolls {self.world.jobs[job].name} back"
                yield Step(words, shared, Local(job, "roll back"))
            elif status in UNFINISHED:
                yield from self.steps["read head"](shared, Local(job, "read head"))
