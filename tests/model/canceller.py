"""An operator who cancels a decided commit that has no plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .recoverer import Recoverer
from .state import CLEANING, IDLE, NO_PLAN, PENDING, REVERTING, Local, Request, Shared, Step
from .store import send
from .world import Feature, Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class Canceller:
    """Reverts a commit on request, with its ledger or, when that is lost, by its files' names."""

    name = "operator"

    def __init__(self, world: World) -> None:
        self.world = world
        # What follows the operator's decision is a revert, and a recovery if others were faster.
        self.revert_mark = Recoverer(world).steps["mark"]
        self.revert_end = Recoverer(world).steps["end revert"]
        self.steps = {
            **Recoverer(world).steps,
            "abort by name": self.abort_by_name,
            "cancel": self.cancel,
            "cancel by name": self.cancel_by_name,
            "erase": self.erase,
            "list again": self.list_again,
            "mark": self.mark,
            "end revert": self.end,
            "mark late": self.mark_late,
        }

    def moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        if local != IDLE:
            if self.world.faults:
                yield Step("dies", shared, IDLE)
            yield from self.steps[local.step](shared, local)
            return
        for job in range(len(shared.statuses)):
            if Feature.CANCEL in self.world.features and self.may_cancel(shared, job):
                by_name = not shared.ledgers >> job & 1
                then = Local(job, "abort by name" if by_name else "cancel")
                yield Step(f"cancels {self.world.jobs[job].name}", shared, then)

    def may_cancel(self, shared: Shared, job: int) -> bool:
        """Look at the head, then for a plan: without one no old file was touched."""
        status = shared.statuses[job]
        if status == PENDING:
            careless = Mutant.CANCELS_WITH_MANIFEST in self.world.mutants
            return careless or shared.plans[job] == NO_PLAN
        return status == REVERTING

    def cancel(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Swap the head: the commit is reverting."""
        yield from self.swap(shared, local, Local(local.job, "revert"))

    def swap(self, shared: Shared, local: Local, then: Local) -> Iterator[Step]:
        """Swap the head if the commit is still pending; a plan may have come meanwhile."""
        job = local.job
        status = shared.statuses[job]
        careless = Mutant.CANCELS_PUBLISHED in self.world.mutants and status == CLEANING
        if Mutant.CANCELS_UNRECORDED in self.world.mutants:
            yield Step("does not tell the head", shared, then)
        elif status == PENDING or careless:
            yield from send(self.world, shared, Request("revert", job), then, local)
        elif status == REVERTING:
            yield Step("finds it reverting", shared, then)
        else:
            yield Step("finds it ended or published", shared, IDLE)

    def abort_by_name(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Abort the open uploads that carry the commit's id, then list its files."""
        own = self.world.job_files[local.job]
        left = bits(shared.open_uploads & own)
        if left:
            request = Request("abort upload", local.job, left[0])
            yield from send(self.world, shared, request, local, local)
        else:
            found = shared.objects & own
            words = f"lists {self.world.names(found)}"
            yield Step(words, shared, Local(local.job, "cancel by name", found))

    def cancel_by_name(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Swap the head, then delete what was found."""
        then = Local(local.job, "erase" if local.memory else "list again", local.memory)
        yield from self.swap(shared, local, then)

    def erase(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Delete the files that were found by name; `memory` holds those that are left."""
        job, step, left = local
        file = bits(left)[0]
        then = Local(job, step, left & ~file) if left != file else Local(job, "list again")
        yield from send(self.world, shared, Request("delete", job, file), then, local)

    def list_again(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Wait out the lifetime of accepted requests, then list by name again."""
        job = local.job
        own = self.world.job_files[job]
        if any(r.verb == "complete" and r.files & own for r in shared.in_flight):
            return  # still inside the lifetime of a request: waits
        found = shared.objects & own
        if found and Mutant.CANCELS_BY_FIRST_LISTING not in self.world.mutants:
            yield Step("lists a late object", shared, Local(job, "erase", found))
        else:
            yield Step("lists no object of its own", shared, Local(job, "mark"))

    def mark(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Put the mark before the head says that the commit was reverted."""
        mutants = {Mutant.CANCELS_WITHOUT_MARK, Mutant.CANCELS_MARK_LATE}
        if mutants & self.world.mutants:
            yield Step("leaves no mark yet", shared, Local(local.job, "end revert"))
        else:
            yield from self.revert_mark(shared, local)

    def end(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Record that nothing of the commit is left."""
        for step in self.revert_end(shared, local):
            late = Mutant.CANCELS_MARK_LATE in self.world.mutants and step.local == IDLE
            yield step._replace(local=Local(local.job, "mark late")) if late else step

    def mark_late(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Put the mark when the head has told already (a mutant's step)."""
        yield from send(self.world, shared, Request("mark", local.job), IDLE, local)
