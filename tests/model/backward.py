"""The one way back: a decided commit whose upload is gone while its object is absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import IDLE, PENDING, REVERTING, Local, Request, Shared, Step
from .store import send
from .world import Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


class Revert:
    """Complete-then-delete what is left, wait out requests, end the revert in the head."""

    def __init__(self, world: World, failed: Local) -> None:
        self.world = world
        self.failed = failed
        self.undurable = Mutant.REVERT_UNDURABLE in world.mutants
        took_over = failed == IDLE
        trusts_death = took_over and Mutant.HEARTBEAT_DECIDES_SAFETY in world.mutants
        self.hurries = trusts_death or Mutant.NO_DRAIN in world.mutants
        self.steps = {
            "revert": self.revert,
            "drain": self.drain,
            "mark": self.mark,
            "end revert": self.end,
            "roll back": self.roll_back,
        }

    def revert(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Consume every upload and delete every object; `memory` holds the files seen clean."""
        job, step, clean = local
        todo = bits(self.world.job_files[job] & ~clean)
        file = todo[0]
        leaves_open = Mutant.REVERT_LEAVES_OPEN in self.world.mutants
        if shared.open_uploads & file and not leaves_open:
            # Completing consumes the upload id, which is a fence; an abort is none on AWS.
            verb = "abort upload" if Mutant.ABORT_AS_FENCE in self.world.mutants else "complete"
            yield from send(self.world, shared, Request(verb, job, file), local, local)
        elif shared.objects & file:
            yield from send(self.world, shared, Request("delete", job, file), local, local)
        else:
            words = f"{self.world.names(file)} is absent"
            then = Local(job, step, clean | file) if todo[1:] else Local(job, "drain")
            yield Step(words, shared, then)

    def drain(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Wait out the lifetime of accepted requests, then list again."""
        job = local.job
        own = self.world.job_files[job]
        late = any(r.verb == "complete" and r.files & own for r in shared.in_flight)
        if late and not self.hurries:
            return  # still inside the lifetime of a request: waits
        if shared.objects & own:
            yield Step("lists a late object", shared, Local(job, "revert"))
        else:
            yield Step("lists no object of its own", shared, Local(job, "mark"))

    def mark(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Put the mark for a driver that will look when the log has forgotten the revert."""
        job = local.job
        then = Local(job, "end revert")
        if Mutant.REVERT_UNMARKED in self.world.mutants:
            yield Step("leaves no mark", shared, then)
        elif shared.marks >> job & 1:
            yield Step("finds the mark", shared, then)
        else:
            yield from send(self.world, shared, Request("mark", job), then, local)

    def end(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Record that nothing of the commit is left, nor can come back."""
        again = Local(local.job, "read head")
        if shared.statuses[local.job] != (PENDING if self.undurable else REVERTING):
            yield Step("is no longer reverting, rereads the head", shared, again)
        else:
            request = Request("end revert", local.job)
            yield from send(self.world, shared, request, self.failed, again)

    def roll_back(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Undo a decided commit by abort and delete (a mutant's step)."""
        job, step, clean = local
        todo = bits(self.world.job_files[job] & ~clean)
        if shared.statuses[job] != PENDING:
            yield Step("rereads the head", shared, Local(job, "read head"))
        elif not todo:
            yield from send(self.world, shared, Request("drop", job), self.failed, local)
        elif shared.open_uploads & todo[0]:
            request = Request("abort upload", job, todo[0])
            yield from send(self.world, shared, request, local, local)
        elif shared.objects & todo[0]:
            yield from send(self.world, shared, Request("delete", job, todo[0]), local, local)
        else:
            yield Step("next file", shared, Local(job, step, clean | todo[0]))
