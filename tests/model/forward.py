"""Rolling a decided commit forward: the same steps for its driver and for a recoverer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import (
    ABSENT,
    CLEANING,
    FINISHED,
    NO_PLAN,
    PENDING,
    REVERTED,
    REVERTING,
    Local,
    Request,
    Shared,
    Step,
)
from .store import send
from .world import Feature, Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class RollForward:
    """Steps 3 to 8 for one actor; `done` and `failed` are where that actor comes to rest."""

    def __init__(self, world: World, done: Local, failed: Local) -> None:
        self.world = world
        self.done = done
        self.failed = failed
        self.steps = {
            "read head": self.read_head,
            "list": self.list_old,
            "put plan": self.put_plan,
            "complete": self.complete,
            "publish": self.publish,
            "publish rest": self.publish_rest,
            "retire": self.retire,
            "finish": self.finish,
        }

    def read_head(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Choose the next step by what the head says about the commit."""
        job = local.job
        status = shared.statuses[job]
        if status == ABSENT:
            yield Step(f"{self.name(job)} is not in the head", shared, self.failed)
        elif not shared.ledgers >> job & 1:
            return  # nothing says which uploads to complete: stuck
        elif status == PENDING:
            yield from self.resume(shared, local)
        elif status == REVERTING:
            yield Step(f"{self.name(job)} is reverting", shared, Local(job, "revert"))
        elif status == CLEANING:
            late = Mutant.PUBLISH_FIRST in self.world.mutants
            after = Local(job, "complete" if late else "retire")
            yield Step(f"{self.name(job)} is published", shared, after)
        elif status == FINISHED:
            yield Step(f"{self.name(job)} is finished", shared, self.done)
        elif status == REVERTED:
            yield Step(f"{self.name(job)} was reverted", shared, self.failed)

    def resume(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Go on with a pending commit: make its plan, or follow the plan that is there."""
        job = local.job
        if shared.plans[job] == NO_PLAN:
            if local.memory and Mutant.LIST_EARLY in self.world.mutants:
                yield Step("uses its early listing", shared, Local(job, "put plan", local.memory))
            elif self.world.is_append(job):
                yield Step("has nothing to take out", shared, Local(job, "put plan"))
            else:
                yield Step("has no plan", shared, Local(job, "list"))
        elif Mutant.DELETE_FIRST in self.world.mutants:
            yield Step("plan is there", shared, Local(job, "retire"))
        elif self.world.snapshot or Mutant.PUBLISH_FIRST in self.world.mutants:
            yield Step("plan is there", shared, Local(job, "publish"))
        else:
            yield Step("plan is there", shared, Local(job, "complete"))

    def list_old(self, shared: Shared, local: Local) -> Iterator[Step]:
        """List the touched partitions, after the reservation."""
        # A snapshot table takes out what its own head names, not what lies about.
        there = shared.live if self.world.snapshot else shared.objects
        takes = there & self.world.scopes[local.job] & ~self.world.job_files[local.job]
        words = f"lists {self.world.names(takes)}"
        yield Step(words, shared, Local(local.job, "put plan", takes))

    def put_plan(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Put the plan if absent, then follow whichever plan is stored."""
        again = Local(local.job, "read head")
        request = Request("put plan", local.job, local.memory)
        yield from send(self.world, shared, request, again, again)

    def complete(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Complete and verify each file, in any order; `memory` holds the files proven there."""
        job, _, proven = local
        missing = self.world.job_files[job] & ~proven
        if not missing:
            cleaning = Mutant.PUBLISH_FIRST in self.world.mutants
            after = Local(job, "retire" if cleaning else "publish")
            yield Step("all files proven", shared, after)
        for file in bits(missing):
            yield from self.prove(shared, local, file)

    def prove(self, shared: Shared, local: Local, file: int) -> Iterator[Step]:
        """Prove one file: by HEAD, by the answer of its Complete, or find its upload gone."""
        job, step, proven = local
        proof = Local(job, step, proven | file)
        name = self.world.names(file)
        if shared.objects & file:
            yield Step(f"HEAD finds {name}", shared, proof)
        elif shared.open_uploads & file:
            assumed = Mutant.COMPLETE_ASSUMED in self.world.mutants
            unsure = proof if assumed else local
            yield from send(self.world, shared, Request("complete", job, file), proof, unsure)
        elif shared.used_keys & file and Feature.REPLAY_REFUSED not in self.world.features:
            # AWS answers a repeated Complete with 200 though the object is deleted since.
            yield Step(f"repeated complete of {name} answered 200", shared, proof)
        elif shared.statuses[job] != PENDING:
            words = f"upload of {name} is gone, rereads the head"
            yield Step(words, shared, Local(job, "read head"))
        elif Mutant.REVERT_UNDURABLE in self.world.mutants:
            yield Step(f"upload of {name} is gone, reverts", shared, Local(job, "revert"))
        else:
            # Unknown answer: back to the head, which says whether the revert was recorded.
            again = Local(job, "read head")
            yield from send(self.world, shared, Request("revert", job), again, again)

    def publish(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Name the new files in the next version of the table."""
        job = local.job
        again = Local(job, "read head")
        if shared.statuses[job] != PENDING:
            yield Step("is no longer pending, rereads the head", shared, again)
        elif Mutant.PUBLISH_BY_PARTITION in self.world.mutants:
            request = Request("publish partition", job, self.world.partition_files["p"])
            yield from send(self.world, shared, request, Local(job, "publish rest"), again)
        else:
            yield from send(
                self.world, shared, Request("publish", job), self.after_publish(job), again
            )

    def publish_rest(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Publish what a first swap left out (a mutant's step)."""
        again = Local(local.job, "read head")
        if shared.statuses[local.job] != PENDING:
            yield Step("is no longer pending, rereads the head", shared, again)
        else:
            yield from send(self.world, shared, Request("publish", local.job), again, again)

    def after_publish(self, job: int) -> Local:
        """Retire old files at once in listing tables, never in snapshot tables."""
        if Mutant.DELETE_FIRST in self.world.mutants:
            return Local(job, "finish")
        if Mutant.PUBLISH_FIRST in self.world.mutants:
            return Local(job, "complete")
        return Local(job, "retire")

    def retire(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Delete exactly the planned keys; `memory` holds the keys whose delete was answered."""
        job, step, deleted = local
        todo = bits(self.takes(shared, job) & ~deleted)
        if todo:
            then = Local(job, step, deleted | todo[0])
            yield from send(self.world, shared, Request("delete", job, todo[0]), then, local)
        elif Mutant.DELETE_FIRST in self.world.mutants and shared.statuses[job] == PENDING:
            yield Step("all deleted", shared, Local(job, "complete"))
        else:
            yield Step("all retired", shared, Local(job, "finish"))

    def takes(self, shared: Shared, job: int) -> int:
        if Mutant.RETIRE_BY_LISTING in self.world.mutants and not self.world.is_append(job):
            return shared.objects & self.world.scopes[job] & ~self.world.job_files[job]
        if self.world.snapshot and Mutant.RETIRE_SNAPSHOT not in self.world.mutants:
            return 0
        return max(shared.plans[job], 0)

    def finish(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Take the commit out of the head's unfinished work."""
        if shared.statuses[local.job] == CLEANING:
            request = Request("finish", local.job)
            yield from send(self.world, shared, request, self.done, local)
        else:
            again = Local(local.job, "read head")
            yield Step("is no longer cleaning, rereads the head", shared, again)

    def name(self, job: int) -> str:
        return self.world.jobs[job].name
