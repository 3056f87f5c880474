"""A job's driver: how it records, reserves, finds out what became of it, and gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .backward import Revert
from .forward import RollForward
from .state import (
    ABSENT,
    FORGOTTEN,
    FORGOTTEN_REVERTED,
    NEVER_PUBLISHED,
    PUBLISHED,
    UNFINISHED,
    Local,
    Request,
    Shared,
    Step,
)
from .store import send
from .waiter import beat, is_replaced
from .world import Feature, Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World

# A driver at rest takes no more steps.
RESTING = frozenset({"done", "failed", "dead"})
GIVEN_UP = frozenset({"failed", "dead", "abort job", "abandon", "abandon rerun"})


class Driver:
    """A job's driver: records its uploads, reserves, rolls forward; may die or give up anywhere."""

    def __init__(self, world: World, job: int) -> None:
        self.world = world
        self.job = job
        self.name = f"driver {world.jobs[job].name}"
        self.done = Local(job, "done")
        self.failed = Local(job, "failed")
        self.dead = Local(job, "dead")
        fails = Feature.POLICY_FAIL in world.features
        self.start = Local(job, "start" if fails else "record")
        self.forward = RollForward(world, self.done, self.failed)
        self.steps = {
            "start": self.read_base,
            "record": self.record,
            "list early": self.list_early,
            "reserve": self.reserve,
            "unsure": self.resolve,
            "abort job": self.abort_job,
            "abandon": self.abandon,
            "abandon rerun": self.abandon,
            **self.forward.steps,
            **Revert(world, self.failed).steps,
            "read head": self.read_head,
        }

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Yield every next step: go on, die, or give up and let Spark call abortJob."""
        if local.step not in RESTING:
            yield Step("dies", shared, self.dead)
            yield from self.steps[local.step](shared, local)
            yield from beat(self.world, shared, local)
        if is_replaced(self.world, shared, local):
            yield Step("finds its heartbeat replaced", shared, self.failed)
        if local.step not in GIVEN_UP:
            yield from self.give_up(shared)

    def give_up(self, shared: Shared) -> Iterator[Step]:
        """Call abortJob, as Spark does after anything that throws, even after a success."""
        if not self.in_head(shared) or Mutant.ABORT_ANYWAY in self.world.mutants:
            yield Step("gives up: abortJob", shared, Local(self.job, "abort job"))
        else:
            yield Step("gives up: abortJob sees it is decided, touches nothing", shared, self.dead)

    def in_head(self, shared: Shared) -> bool:
        """Look this commit up: in the head, and beyond its log, which names published ones."""
        looks_no_further = Mutant.FORGOTTEN_OPEN in self.world.mutants
        status = shared.statuses[self.job]
        if status in {ABSENT, FORGOTTEN_REVERTED}:
            return False
        return not (looks_no_further and status in FORGOTTEN)

    def read_base(self, shared: Shared, _local: Local) -> Iterator[Step]:
        """Read the head at setup: later decisions are conflicts."""
        stale = shared.stale & ~(1 << self.job)
        yield Step("reads its base", shared._replace(stale=stale), Local(self.job, "record"))

    def read_head(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Go on by what the head says; the driver remembers what a lost ledger said."""
        remembered = shared._replace(ledgers=shared.ledgers | 1 << self.job)
        for step in self.forward.read_head(remembered, local):
            yield step._replace(shared=shared)

    def record(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Put the ledger, so that anyone can finish this commit."""
        early = Mutant.LIST_EARLY in self.world.mutants
        then = Local(self.job, "list early" if early else "reserve")
        if Mutant.UNRECORDED in self.world.mutants:
            yield Step("skips the ledger", shared, then)
        elif shared.ledgers >> self.job & 1:
            yield Step("finds its ledger", shared, then)
        else:
            request = Request("put ledger", self.job)
            yield from send(self.world, shared, request, then, local)

    def list_early(self, shared: Shared, _local: Local) -> Iterator[Step]:
        """List before reserving (a mutant's step)."""
        takes = shared.objects & self.world.scopes[self.job] & ~self.world.job_files[self.job]
        words = f"lists {self.world.names(takes)} early"
        yield Step(words, shared, Local(self.job, "reserve", takes))

    def reserve(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Swap the head: this commit is pending, which is the decision."""
        job = self.job
        twin = self.world.twin_of(job)
        if shared.statuses[job] not in {ABSENT, FORGOTTEN_REVERTED}:
            after = Local(job, "read head", local.memory)
            yield Step("finds itself in the head", shared, after)
        elif shared.marks >> job & 1:
            yield Step("finds the mark of its revert", shared, Local(job, "abandon"))
        elif twin is not None and self.decided(shared, twin):
            awaited = Mutant.TOKEN_NOT_AWAITED not in self.world.mutants
            if shared.statuses[twin] in PUBLISHED or not awaited:
                yield Step("finds its token published", shared, Local(job, "abandon rerun"))
        elif self.conflicts(shared):
            yield Step("conflict since its base", shared, Local(job, "abandon"))
        elif not self.must_wait(shared):
            then = self.forward.to_plan(local)
            unsure = Local(job, "unsure", local.memory)
            yield from send(self.world, shared, Request("reserve", job), then, unsure)

    def decided(self, shared: Shared, twin: int) -> bool:
        """Look the token up in the head."""
        return Mutant.TOKEN_UNCHECKED not in self.world.mutants and (
            shared.statuses[twin] not in NEVER_PUBLISHED
        )

    def conflicts(self, shared: Shared) -> bool:
        """Look for an overlapping decision since the base version."""
        return Mutant.POLICY_UNCHECKED not in self.world.mutants and bool(
            shared.stale >> self.job & 1
        )

    def must_wait(self, shared: Shared) -> bool:
        """Wait while an overlapping commit is unfinished; recoverers help it."""
        append = self.world.is_append(self.job)
        skipped = {
            Mutant.NO_WAIT: True,
            Mutant.APPEND_NO_WAIT: append,
        }
        if any(skip and mutant in self.world.mutants for mutant, skip in skipped.items()):
            return False
        blind = Mutant.OVERWRITE_NO_WAIT in self.world.mutants
        return any(
            status in UNFINISHED
            and self.world.overlaps(self.job, other)
            and not (blind and self.world.is_append(other))
            for other, status in enumerate(shared.statuses)
        )

    def resolve(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Find out whether the reservation landed; a negative answer needs a fence."""
        again = Local(self.job, "reserve", local.memory)
        if Mutant.NO_RESOLVE in self.world.mutants:
            yield Step("takes unknown for failed", shared, Local(self.job, "abandon"))
        elif shared.statuses[self.job] not in {ABSENT, FORGOTTEN_REVERTED}:
            known = Local(self.job, "read head", local.memory)
            yield Step("finds itself reserved", shared, known)
        elif Mutant.NO_FENCE in self.world.mutants:
            yield Step("believes an unfenced no", shared, Local(self.job, "abandon"))
        else:
            yield from send(self.world, shared, Request("fence", self.job), again, local)

    def abort_job(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Abort only what is proven undecided; leave anything decided to recover()."""
        abandon = Local(self.job, "abandon")
        if Mutant.ABORT_ANYWAY in self.world.mutants:
            yield Step("aborts without looking", shared, abandon)
        elif self.in_head(shared):
            yield Step("is decided: touches nothing", shared, self.dead)
        elif Mutant.NO_FENCE in self.world.mutants:
            yield Step("believes an unfenced no", shared, abandon)
        else:
            yield from send(self.world, shared, Request("fence", self.job), abandon, local)

    def abandon(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Clear away the uploads (or direct puts) of a job that never was decided."""
        job, step, gone = local
        todo = bits(self.world.job_files[job] & ~gone)
        if todo:
            then = Local(job, step, gone | todo[0])
            verb = "delete" if self.world.snapshot else "abort upload"
            yield from send(self.world, shared, Request(verb, job, todo[0]), then, then)
        else:
            end = self.done if step == "abandon rerun" else self.failed
            yield Step("ends", shared, end)
