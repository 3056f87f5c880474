"""Rolling a decided commit forward: the same steps for its driver and for a recoverer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .heartbeat import with_beat
from .state import (
    ABSENT,
    CLEANING,
    FORGOTTEN,
    NO_PLAN,
    PENDING,
    PUBLISHED,
    REFUSED,
    REVERTING,
    UNFINISHED,
    Local,
    Request,
    Shared,
    Step,
)
from .store import pointer_request, send
from .world import Feature, Mutant, bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World


def phases(world: World) -> tuple[str, ...]:
    """Order the steps that follow the plan; some mutants get it wrong."""
    if Mutant.DELETE_FIRST in world.mutants:
        return ("retire", "complete", "publish", "finish")
    if Mutant.PUBLISH_FIRST in world.mutants:
        return ("publish", "complete", "retire", "finish")
    if world.followed:
        return followed_phases(world)
    if world.snapshot and Mutant.RETIRE_SNAPSHOT not in world.mutants:
        return ("publish", "finish")
    if world.snapshot:
        return ("publish", "retire", "finish")
    return ("complete", "publish", "retire", "finish")


def followed_phases(world: World) -> tuple[str, ...]:
    """Order the steps of a table with a follower."""
    if world.snapshot:
        return ("publish", "follow", "finish")
    if Mutant.FOLLOWS_AFTER_RETIRE in world.mutants:
        return ("complete", "publish", "retire", "follow", "finish")
    return ("complete", "publish", "follow", "retire", "finish")


class RollForward:
    """Steps 3 to 9 for one actor; `done` and `failed` are where that actor comes to rest."""

    def __init__(self, world: World, done: Local, failed: Local) -> None:
        self.world = world
        self.done = done
        self.failed = failed
        self.phases = phases(world)
        self.lists_to_retire = Mutant.RETIRE_BY_LISTING in world.mutants
        self.steps = {
            "read head": self.read_head,
            "list": self.list_old,
            "put plan": self.put_plan,
            "complete": self.complete,
            "publish": self.publish,
            "publish rest": self.publish_rest,
            "follow": self.follow,
            "retire": self.retire,
            "finish": self.finish,
        }

    def phase_from(self, shared: Shared, job: int, place: int) -> Local:
        """Go to the first phase from a place on that has something to do."""
        nothing_to_do = {
            "complete": not self.world.job_files[job],
            "retire": not self.takes(shared, job) and not self.lists_to_retire,
        }
        todo = (phase for phase in self.phases[place:] if not nothing_to_do.get(phase))
        return Local(job, next(todo))

    def phase_after(self, shared: Shared, job: int, phase: str) -> Local:
        return self.phase_from(shared, job, self.phases.index(phase) + 1)

    def read_head(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Choose the next step by what the head says about the commit."""
        job = local.job
        status = shared.statuses[job]
        name = self.world.jobs[job].name
        if status in {ABSENT, REFUSED}:
            yield Step(f"reads that {name} is not in the head, or refused", shared, self.failed)
        elif status in UNFINISHED and not shared.ledgers >> job & 1:
            return  # nothing says which uploads to complete: stuck
        elif status == PENDING and shared.plans[job] == NO_PLAN:
            yield Step(f"reads that {name} is pending", shared, self.to_plan(local))
        elif status == PENDING:
            follow = self.phase_from(shared, job, 0)
            yield Step(f"reads that {name} is pending, and its plan", shared, follow)
        elif status == REVERTING:
            yield Step(f"reads that {name} is reverting", shared, Local(job, "revert"))
        elif status == CLEANING:
            after = self.phase_after(shared, job, "publish")
            yield Step(f"reads that {name} is published", shared, after)
        elif status in PUBLISHED:
            yield Step(f"reads that {name} is finished", shared, self.done)
        else:
            yield Step(f"reads that {name} was reverted", shared, self.failed)

    def to_plan(self, local: Local) -> Local:
        """Go and make the plan of a commit that was just reserved; an append takes nothing out."""
        if local.memory and Mutant.LIST_EARLY in self.world.mutants:
            return Local(local.job, "put plan", local.memory)
        return Local(local.job, "put plan" if self.world.is_append(local.job) else "list")

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
        for file in bits(self.world.job_files[local.job] & ~local.memory):
            yield from self.prove(shared, local, file)

    def prove(self, shared: Shared, local: Local, file: int) -> Iterator[Step]:
        """Prove one file: by HEAD, by the answer of its Complete, or find its upload gone."""
        job, step, proven = local
        proof = Local(job, step, proven | file)
        if proof.memory == self.world.job_files[job]:
            proof = self.phase_after(shared, job, step)
        name = self.world.names(file)
        believed = Mutant.FORGOTTEN_DONE in self.world.mutants
        if shared.objects & file:
            yield Step(f"HEAD finds {name}", shared, proof)
        elif shared.open_uploads & file:
            unsure = proof if Mutant.COMPLETE_ASSUMED in self.world.mutants else local
            yield from send(self.world, shared, Request("complete", job, file), proof, unsure)
        elif shared.used_keys & file and Feature.REPLAY_REFUSED not in self.world.features:
            # AWS answers a repeated Complete with 200 though the object is deleted since.
            yield Step(f"repeated complete of {name} answered 200", shared, proof)
        elif shared.statuses[job] in FORGOTTEN and believed:
            words = f"upload of {name} is gone, not reverted: must be published"
            yield Step(words, shared, proof)
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
        if shared.statuses[job] in FORGOTTEN and Mutant.FORGOTTEN_DONE in self.world.mutants:
            then = self.phase_after(shared, job, "publish")
            yield Step("is neither pending nor reverted: must be published", shared, then)
        elif shared.statuses[job] != PENDING:
            yield Step("is no longer pending, rereads the head", shared, again)
        elif Mutant.PUBLISH_BY_PARTITION in self.world.mutants and local.step == "publish":
            request = Request("publish partition", job, self.world.partition_files["p"])
            yield from send(self.world, shared, request, Local(job, "publish rest"), again)
        else:
            then = self.phase_after(shared, job, "publish")
            yield from send(self.world, shared, Request("publish", job), then, again)

    def publish_rest(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Publish what a first swap left out (a mutant's step)."""
        yield from self.publish(shared, local)

    def follow(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Bring the follower's pointer to the newest version, one version after the other."""
        job = local.job
        after = self.phase_after(shared, job, "follow")
        newest = len(shared.versions) - 1
        if shared.statuses[job] != CLEANING:
            yield Step("is no longer cleaning, does not follow", shared, after)
        elif Mutant.FOLLOWS_BACKWARDS in self.world.mutants:
            own = shared.publishers.index(job) + 1
            request = Request("follow", job, pointer_request(shared.pointer, own))
            yield from send(self.world, shared, request, after, local)
        elif Mutant.FOLLOWS_WITHOUT_CONDITION in self.world.mutants:
            request = Request("follow", job, pointer_request(0, newest))
            yield from send(self.world, shared, request, after, local)
        elif shared.pointer >= newest:
            yield Step("finds the follower at the newest version", shared, after)
        else:
            request = Request("follow", job, pointer_request(shared.pointer, shared.pointer + 1))
            yield from send(self.world, shared, request, local, local)

    def takes(self, shared: Shared, job: int) -> int:
        if self.lists_to_retire and not self.world.is_append(job):
            return shared.objects & self.world.scopes[job] & ~self.world.job_files[job]
        return max(shared.plans[job], 0)

    def retire(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Delete exactly the planned keys; `memory` holds the keys whose delete was answered."""
        job, step, deleted = local
        left = self.takes(shared, job) & ~deleted
        after = self.phase_after(shared, job, step)
        if not left:  # only the mutant that lists comes here with nothing to do
            yield Step("lists nothing to retire", shared, after)
            return
        key = bits(left)[0]
        then = Local(job, step, deleted | key) if left != key else after
        yield from send(self.world, shared, Request("delete", job, key), then, local)

    def finish(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Take the commit out of the head's unfinished work."""
        if Mutant.HEARTBEAT_DELETED_EARLY in self.world.mutants and shared.beats[local.job]:
            left = with_beat(shared, local.job, 0)
            yield Step("deletes the heartbeat before the end", left, local)
        elif shared.statuses[local.job] == CLEANING:
            request = Request("finish", local.job)
            yield from send(self.world, shared, request, self.done, local)
        elif shared.statuses[local.job] in FORGOTTEN:
            yield Step("finds itself finished by somebody", shared, self.done)
        else:
            again = Local(local.job, "read head")
            yield Step("is no longer cleaning, rereads the head", shared, again)
