"""The store: what a request does when it lands, and the ways its answer can go missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .heartbeat import may_replace_heartbeat, replace_heartbeat
from .state import (
    ABSENT,
    CLEANING,
    FINISHED,
    NO_PLAN,
    PENDING,
    REFUSED,
    REVERTED,
    REVERTING,
    UNFINISHED,
    Local,
    Request,
    Shared,
    Step,
    with_status,
)
from .world import Feature, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .world import World

# Swaps of the head that move a commit on, and where to.
NEXT_STATUS = {
    "reserve": PENDING,
    "revert": REVERTING,
    "publish": CLEANING,
    "finish": FINISHED,
    "end revert": REVERTED,
    "drop": ABSENT,
    "refuse": REFUSED,
}
# Requests on the head are compare-and-swaps: any change of the head makes those in flight stale.
SWAPS = frozenset({*NEXT_STATUS, "fence", "publish partition"})


POINTER_BITS = 8


def pointer_request(seen: int, version: int) -> int:
    """Pack what a process knows of the pointer and what it wants it to name."""
    return seen << POINTER_BITS | version


def follow(world: World, shared: Shared, packed: int) -> Shared:
    """Move the follower's pointer, if it still is where the process saw it."""
    if not moves_pointer(world, shared, packed):
        return shared
    version = packed & (1 << POINTER_BITS) - 1
    return shared._replace(pointer=version, furthest=max(shared.furthest, version))


def moves_pointer(world: World, shared: Shared, packed: int) -> bool:
    """Tell whether a request for the pointer would change it."""
    seen, version = packed >> POINTER_BITS, packed & (1 << POINTER_BITS) - 1
    if Mutant.FOLLOWS_WITHOUT_CONDITION in world.mutants:
        return version != shared.pointer
    return shared.pointer == seen != version


def follow_has_effect(world: World, shared: Shared, request: Request) -> bool:
    """Tell whether it may still move the pointer, which only a mutant brings back to a place."""
    return bool(world.mutants) or moves_pointer(world, shared, request.files)


def land(world: World, shared: Shared, request: Request) -> Shared:
    """Apply a request the store accepted, and forget requests that can no longer do anything."""
    if request.verb in SWAPS:
        changed = swap(world, shared, request)
        if Mutant.HEAD_UNCONDITIONAL not in world.mutants:
            calls = tuple(call for call in shared.in_flight if call.verb not in SWAPS)
            changed = changed._replace(in_flight=calls)
    elif request.verb == "take over":
        changed = replace_heartbeat(world, shared, request)
    elif request.verb == "follow":
        changed = follow(world, shared, request.files)
    else:
        changed = call(world, shared, request)
    return prune(world, changed) if changed.in_flight else changed


def call(world: World, shared: Shared, request: Request) -> Shared:
    """Apply a request on a key of the job's own."""
    verb, job, files = request
    if verb == "complete":
        # An accepted Complete lands even after an abort was acknowledged (weak abort).
        if shared.open_uploads & files or (world.weak_abort and not shared.used_keys & files):
            return shared._replace(
                objects=put(world, shared.objects, files),
                open_uploads=shared.open_uploads & ~files,
                used_keys=shared.used_keys | files,
            )
    elif verb == "delete":
        keys = world.same_key if files & world.same_key else files
        return shared._replace(objects=shared.objects & ~keys)
    elif verb == "abort upload":
        return shared._replace(open_uploads=shared.open_uploads & ~files)
    elif verb in {"put ledger", "delete ledger", "mark"}:
        return record(shared, verb, job)
    elif verb == "put plan" and (
        shared.plans[job] == NO_PLAN or Mutant.PLAN_REPLACED in world.mutants
    ):
        return shared._replace(plans=(*shared.plans[:job], files, *shared.plans[job + 1 :]))
    return shared


def record(shared: Shared, verb: str, job: int) -> Shared:
    """Write or remove a record of the job's own."""
    if verb == "mark":
        return shared._replace(marks=shared.marks | 1 << job)
    others = shared.ledgers & ~(1 << job)
    return shared._replace(ledgers=others | (verb == "put ledger") << job)


def put(world: World, objects: int, files: int) -> int:
    """Write a key; a key used by two jobs keeps only the last content."""
    return (objects & ~world.same_key if files & world.same_key else objects) | files


def swap(world: World, shared: Shared, request: Request) -> Shared:
    """Apply a compare-and-swap of the head; the sender saw the very head it lands on."""
    verb, job, files = request
    if verb == "fence":
        return shared  # a new nonce and nothing else
    if verb == "publish partition":
        kept = shared.live & ~(files & world.scopes[job])
        return shared._replace(live=kept | world.job_files[job] & files)
    moved = shared._replace(statuses=with_status(shared, job, NEXT_STATUS[verb]))
    if verb == "reserve":
        return moved._replace(order=(*shared.order, job))
    if verb == "publish":
        kept = shared.live if world.is_append(job) else shared.live & ~world.scopes[job]
        live = kept | world.job_files[job]
        if world.followed:
            moved = moved._replace(
                versions=(*shared.versions, live), publishers=(*shared.publishers, job)
            )
        return moved._replace(
            live=live,
            stale=shared.stale | stale_by(world, shared, job),
            ever_live=shared.ever_live | live if world.snapshot else 0,
        )
    if verb in {"end revert", "drop"}:
        return moved._replace(order=tuple(other for other in shared.order if other != job))
    return moved


def stale_by(world: World, shared: Shared, job: int) -> int:
    """Mark the undecided overwriters whose base version this one makes old."""
    if Feature.POLICY_FAIL not in world.features:
        return 0
    return sum(
        1 << other
        for other in range(len(world.jobs))
        if other != job
        and shared.statuses[other] == ABSENT
        and not world.is_append(other)
        and world.overlaps(job, other)
    )


def prune(world: World, shared: Shared) -> Shared:
    """Drop requests whose landing can change nothing in any future: fewer states, none lost."""
    kept = tuple(
        call
        for call in shared.in_flight
        if (follow_has_effect if call.verb == "follow" else has_effect)(world, shared, call)
    )
    return shared if len(kept) == len(shared.in_flight) else shared._replace(in_flight=kept)


def has_effect(world: World, shared: Shared, request: Request) -> bool:
    """Tell whether the request may still change something, now or later."""
    verb, job, files = request
    if verb == "complete":
        return not shared.used_keys & files and bool(
            world.weak_abort or shared.open_uploads & files
        )
    if verb == "delete":
        may_exist = (shared.objects | shared.open_uploads | world.same_key) & files
        return bool(may_exist) or not shared.used_keys & files
    if verb == "abort upload":
        return bool(shared.open_uploads & files)
    if verb in {"put ledger", "mark"}:
        there = shared.ledgers if verb == "put ledger" else shared.marks
        return not there >> job & 1
    if verb == "put plan":
        return shared.plans[job] == NO_PLAN or Mutant.PLAN_REPLACED in world.mutants
    # Nobody watches a finished commit any more.
    watched = shared.statuses[job] in UNFINISHED
    return verb != "take over" or (watched and may_replace_heartbeat(world, shared, request))


def send(
    world: World, shared: Shared, request: Request, then: Local, unsure: Local
) -> Iterator[Step]:
    """Send a request: answered, answer lost, landing late, or never landing."""
    words = describe(world, request)
    landed = land(world, shared, request)
    yield Step(words, landed, then)
    if not world.faults:
        return
    yield Step(f"{words}: done, answer lost", landed, unsure)
    if len(shared.in_flight) < world.in_flight and request not in shared.in_flight:
        calls = tuple(sorted((*shared.in_flight, request)))
        yield Step(f"{words}: no answer, in flight", shared._replace(in_flight=calls), unsure)
    else:
        yield Step(f"{words}: no answer, never arrives", shared, unsure)


def describe(world: World, request: Request) -> str:
    if request.verb == "follow":
        version = request.files & (1 << POINTER_BITS) - 1
        return f"follow of {world.jobs[request.job].name} to version {version}"
    files = f" {world.names(request.files)}" if request.files else ""
    return f"{request.verb} of {world.jobs[request.job].name}{files}"
