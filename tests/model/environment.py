"""What happens around the jobs: vacuum, lifecycle, strangers, and requests that land late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import (
    ABSENT,
    FINISHED,
    FORGOTTEN_FINISHED,
    FORGOTTEN_REVERTED,
    IDLE,
    NO_PLAN,
    PENDING,
    REVERTED,
    REVERTING,
    Local,
    Request,
    Shared,
    Step,
    with_status,
)
from .store import describe, land, prune, send
from .world import Feature, Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class Vacuum:
    """Removes what a job left that was never decided, and never will be: it is refused first.

    The job may well be alive, and slow.
    """

    name = "vacuum"

    def __init__(self, world: World) -> None:
        self.world = world
        self.careless = {Mutant.VACUUM_FILES, Mutant.VACUUM_LEDGER} & self.world.mutants

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        if local == IDLE:
            for job, status in enumerate(shared.statuses):
                if status == ABSENT:
                    yield from self.take(shared, job)
        else:
            yield Step("dies", shared, IDLE)
            yield from self.remove(shared, local)

    def take(self, shared: Shared, job: int) -> Iterator[Step]:
        """Choose a job for dead, and see to it that it stays so."""
        then = Local(job, "remove")
        if self.careless:
            yield Step(f"takes {self.world.jobs[job].name} for dead", shared, then)
        else:
            yield from send(self.world, shared, Request("refuse", job), then, IDLE)

    def remove(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Remove the job's uploads or files, then its ledger."""
        job, step, gone = local
        todo = bits(self.world.job_files[job] & ~gone)
        if todo and Mutant.VACUUM_LEDGER not in self.world.mutants:
            then = Local(job, step, gone | todo[0])
            verb = "delete" if self.world.snapshot else "abort upload"
            yield from send(self.world, shared, Request(verb, job, todo[0]), then, then)
        elif Mutant.VACUUM_FILES not in self.world.mutants:
            yield from send(self.world, shared, Request("delete ledger", job), IDLE, IDLE)


class Environment:
    """What happens by itself: late requests land, uploads vanish, a foreign writer puts a file."""

    name = "environment"

    def __init__(self, world: World) -> None:
        self.world = world

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        world = self.world
        for n, request in enumerate(shared.in_flight):
            rest = (*shared.in_flight[:n], *shared.in_flight[n + 1 :])
            landed = land(world, shared._replace(in_flight=rest), request)
            yield Step(f"{describe(world, request)} lands late", landed, local)
        if Feature.FOREIGN in world.features and not shared.used_keys & world.foreign:
            put = shared._replace(
                objects=shared.objects | world.foreign,
                used_keys=shared.used_keys | world.foreign,
            )
            yield Step("somebody puts a file of their own", put, local)
        for file in bits(shared.open_uploads & world.removable):
            left = shared._replace(open_uploads=shared.open_uploads & ~file)
            words = f"upload of {world.names(file)} is removed"
            yield Step(words, prune(world, left), local)
        if Feature.LEDGER_LOST in world.features:
            yield from self.lose_ledger(shared, local)
        if Feature.LOG_FORGETS in world.features:
            yield from self.forget(shared, local)

    def lose_ledger(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Let the ledger of a decided commit vanish before anybody planned it."""
        for job, status in enumerate(shared.statuses):
            unplanned = status in {PENDING, REVERTING} and shared.plans[job] == NO_PLAN
            if unplanned and shared.ledgers >> job & 1:
                left = shared._replace(ledgers=shared.ledgers & ~(1 << job))
                yield Step(f"the ledger of {self.world.jobs[job].name} is lost", left, local)

    def forget(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Let later commits push an ended one out of the head's bounded log."""
        forgotten = {FINISHED: FORGOTTEN_FINISHED, REVERTED: FORGOTTEN_REVERTED}
        for job, status in enumerate(shared.statuses):
            if status in forgotten:
                statuses = with_status(shared, job, forgotten[status])
                words = f"the log forgets {self.world.jobs[job].name}"
                yield Step(words, shared._replace(statuses=statuses), local)
