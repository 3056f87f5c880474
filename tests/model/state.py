"""The state of the model: what the store holds, what is in flight, where each actor stands."""

from __future__ import annotations

from typing import Final, NamedTuple

# Where a commit stands in the head.
ABSENT: Final = 0
PENDING: Final = 1
REVERTING: Final = 2
CLEANING: Final = 3
FINISHED: Final = 4
REVERTED: Final = 5
REFUSED: Final = 6  # by a vacuum, before any reservation
# Ended, and no longer in the head's bounded log: actors that look no further know nothing of it.
FORGOTTEN_FINISHED: Final = 7
FORGOTTEN_REVERTED: Final = 8
UNFINISHED: Final = (PENDING, REVERTING, CLEANING)
PUBLISHED: Final = (CLEANING, FINISHED, FORGOTTEN_FINISHED)
FORGOTTEN: Final = (FORGOTTEN_FINISHED, FORGOTTEN_REVERTED)
NEVER_PUBLISHED: Final = (ABSENT, REVERTED, REFUSED, FORGOTTEN_REVERTED)

NO_PLAN: Final = -1


class Request(NamedTuple):
    """A call that changes the store: its verb, the commit it works for, and a set of files."""

    verb: str
    job: int
    files: int = 0


class Shared(NamedTuple):
    """The store and the requests in flight: all that the actors can see of each other."""

    objects: int
    open_uploads: int
    used_keys: int  # keys that came into being once; an upload neither open nor used is gone
    ledgers: int  # bit per job
    marks: int  # bit per job: taken back once, and not to be reserved again
    statuses: tuple[int, ...]
    plans: tuple[int, ...]  # files each commit takes out
    live: int  # files the head's snapshot names
    order: tuple[int, ...]  # ghost: jobs in the order of their decisions, reverted ones left out
    stale: int  # bit per job: an overlapping commit was published after the job read its base
    ever_live: int  # ghost of snapshot tables: files of every version so far
    in_flight: tuple[Request, ...]
    beats: tuple[int, ...] = ()  # number of each commit's heartbeat; 0: it has none
    taken: int = 0  # ghost: bit per heartbeat whose replacement was answered to a waiter
    taken_twice: int = 0  # ghost: bit per commit of which two waiters replaced one heartbeat
    versions: tuple[int, ...] = ()  # with a follower: the files of each version
    publishers: tuple[int, ...] = ()  # the job that published each version after the first
    pointer: int = 0  # the version that the follower names
    furthest: int = 0  # ghost: the newest version that it ever named


class Local(NamedTuple):
    """Where an actor stands: the commit it works on, its next step, and the files it remembers."""

    job: int
    step: str
    memory: int = 0


class Step(NamedTuple):
    """One transition, in words and in effect."""

    words: str
    shared: Shared
    local: Local


IDLE: Final = Local(-1, "idle")


def with_status(shared: Shared, job: int, status: int) -> tuple[int, ...]:
    """Set one commit's status."""
    return (*shared.statuses[:job], status, *shared.statuses[job + 1 :])
