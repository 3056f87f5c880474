"""A table's records in time: its versions, its history, and the checkpoints that name them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

# Where a job's commit is: not in the head, unfinished, published.
ABSENT: Final = 0
ACTIVE: Final = 1
PUBLISHED: Final = 2
# A commit of a job that is not looked at: it overlaps nobody and has no token.
OTHER: Final = -1


class Mutant(Enum):
    """A rule of the history, broken; or a promise that the protocol does not make."""

    DELETES_BEFORE_WATERMARK = "vacuum deletes old records before the head says so"
    WATERMARK_BEFORE_FILES = "history ends before the files that its commits replaced are deleted"
    OLD_BASE_GOES_ON = "driver without an answer reserves again from a base before the history"
    OLD_APPEND_GOES_ON = "append whose base is before the history goes on"
    OLD_OVERWRITE_GOES_ON = "overwrite whose base is before the history goes on"
    OLD_BASE_SAYS_FAILED = "driver without an answer takes a base before the history for a failure"
    NAMES_CHECKPOINT_BY_VERSION = "checkpoint named if the head's has the version that was seen"
    WATERMARK_PASSES_FILES = "history begins after the files of the last checkpoint"
    REMOVES_NEW_CHECKPOINT = "vacuum removes checkpoints that may still be named"
    REMOVES_CHAIN = "vacuum keeps the head's checkpoint only"
    TOKEN_FOR_EVER = "token known for ever"


class Job(NamedTuple):
    """A job of which the model follows the driver. Jobs of one token do the same work."""

    name: str
    replaces: bool = False  # overlaps every job but those of OTHER; fails on a newer commit
    token: bool = False


@dataclass(frozen=True, slots=True)
class Lifetime:
    """One space to explore: the jobs that run, and how much else happens."""

    name: str
    jobs: tuple[Job, ...]
    others: int  # commits of other jobs
    writers: int  # processes that write checkpoints
    checkpoints: int  # most checkpoints that are ever written
    vacuums: int = 1
    mutants: frozenset[Mutant] = frozenset()


class Checkpoint(NamedTuple):
    """A checkpoint as it was written. Its name is its number, from 1 on; 0 is none."""

    version: int
    previous: int
    files: int  # name of the checkpoint whose files count; 0: no files before version 1
    shards: int  # bit per name of a checkpoint whose shards hold them


NONE: Final = Checkpoint(0, 0, 0, 0)


class Table(NamedTuple):
    """The head and the records in the store: all that the processes can see of each other."""

    commits: tuple[int, ...]  # the job of each version: the truth, whatever the records say
    statuses: tuple[int, ...]
    bases: tuple[int, ...]  # version that each job began with; -1: it has not begun
    history_from: int
    checkpoint: int  # name of the head's
    log_from: int  # oldest version that the head's log names
    written: tuple[Checkpoint, ...]  # every checkpoint that was ever put, by name
    indexes: int  # bit per name: the checkpoint is in the store
    shards: int  # bit per name: so are its shards
    plans: int  # bit per version: ledger, plan and report are in the store
    tokens: int  # bit per version: so is the token
    leftovers: int  # bit per version: the file that its commit replaced; only its plan names it
    late: int  # bit per job: a reservation that may still land; any swap of the head ends it
    wrong: str = ""  # ghost: what a decision broke

    @property
    def version(self) -> int:
        return len(self.commits)

    def named(self, name: int) -> Checkpoint:
        return self.written[name - 1] if name else NONE

    def swapped(self, **changes: object) -> Table:
        """Swap the head: a reservation from an older head lands no more."""
        return self._replace(late=0, **changes)  # type: ignore[arg-type]


class Place(NamedTuple):
    """Where a process stands, and what it remembers."""

    step: str
    one: int = 0
    two: int = 0
    three: int = 0


class Step(NamedTuple):
    """One transition, in words and in effect."""

    words: str
    table: Table
    place: Place


def has(bits: int, number: int) -> bool:
    return bool(bits >> number & 1)


def replaced(numbers: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return (*numbers[:place], value, *numbers[place + 1 :])


def chain(table: Table) -> list[int]:
    """Follow the checkpoints from the head back to where the history begins."""
    names = []
    name = table.checkpoint
    while name:
        names.append(name)
        name = table.named(name).previous
        if table.named(name).version < table.history_from:
            break
    return names


def visible(table: Table, since: int) -> list[int]:
    """List the versions after `since` that the head's log or its checkpoints name."""
    named = set(range(table.log_from, table.version + 1))
    for name in chain(table):
        checkpoint = table.named(name)
        before = table.named(checkpoint.previous).version
        named |= set(range(before + 1, checkpoint.version + 1))
    return sorted(v for v in named if v > since and v >= table.history_from)
