"""What a configuration fixes: jobs, files, partitions, the store's habits and broken rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import NamedTuple

PARTITIONS = "pq"


class Kind(Enum):
    """What a job does to the partitions it touches."""

    APPEND = "append"
    OVERWRITE = "overwrite"


class Feature(Enum):
    """What a configuration adds to crashes, lost answers and late requests, or changes in them."""

    FOREIGN = "foreign writer"
    LIFECYCLE = "uploads removed"
    ONE_REMOVED = "one upload removed"
    SNAPSHOT = "snapshot table"
    POLICY_FAIL = "policy fail"
    STRONG_ABORT = "strong abort"
    REPLAY_REFUSED = "replay refused"
    VACUUM = "vacuum"
    LOG_FORGETS = "log forgets"
    HEARTBEAT = "heartbeat"
    CANCEL = "cancel"
    LEDGER_LOST = "ledger lost"
    FOLLOWER = "follower"


class Mutant(Enum):
    """A rule of the protocol, broken; the model has to catch each of them."""

    DELETE_FIRST = "old files deleted before the new ones are completed"
    ROLLBACK = "recover() rolls a decided commit back by abort and delete"
    NO_FENCE = "negative answer about the reservation not fenced"
    NO_RESOLVE = "unknown answer to the reservation taken for a failure"
    NO_WAIT = "overlapping writer does not wait for the pending one"
    ABORT_ANYWAY = "abortJob aborts the uploads of a decided commit"
    FIXED_NAMES = "file names used again by another job"
    LIST_EARLY = "old files listed before the reservation"
    PUBLISH_FIRST = "published before the uploads are completed"
    REVERT_UNDURABLE = "revert without a durable record"
    ABORT_AS_FENCE = "revert takes an abort for a fence"
    NO_DRAIN = "revert does not wait for requests to end"
    # The twelve above are those of the first model; what follows came with this one.
    UNRECORDED = "reserved before the ledger is durable"
    APPEND_NO_WAIT = "append does not wait for an overlapping overwrite"
    OVERWRITE_NO_WAIT = "overwrite does not wait for an overlapping append"
    RETIRE_BY_LISTING = "retire deletes what it lists, not the planned keys"
    PLAN_REPLACED = "plan put without put-if-absent"
    HEAD_UNCONDITIONAL = "head put without If-Match"
    COMPLETE_ASSUMED = "lost answer to a Complete taken for a success"
    REVERT_LEAVES_OPEN = "revert leaves open uploads behind"
    TOKEN_UNCHECKED = "token not looked up before the reservation"
    TOKEN_NOT_AWAITED = "re-run succeeds while its token is only pending"
    POLICY_UNCHECKED = "conflict since the base version not looked up"
    PUBLISH_BY_PARTITION = "published one partition at a time"
    RETIRE_SNAPSHOT = "old files of a snapshot table deleted at once"
    FORGOTTEN_DONE = "commit that the log forgot taken for published"
    FORGOTTEN_OPEN = "commit that the log forgot taken for undecided"
    VACUUM_FILES = "vacuum removes files of a job that may still be decided"
    VACUUM_LEDGER = "vacuum removes the ledger of a job that may still be decided"
    REVERT_UNMARKED = "revert leaves no mark for a driver that the log forgot"
    # Those of the heartbeat and of the operator's cancel.
    TAKES_OVER_WITHOUT_CONDITION = "heartbeat replaced without If-Match"
    HEARTBEAT_DELETED_EARLY = "heartbeat deleted before the commit is finished"
    HEARTBEAT_DECIDES_SAFETY = "process that took over does not wait for a dead one's requests"
    REPLACED_SAYS_FAILED = "driver whose heartbeat was replaced reports a failure"
    CANCELS_PUBLISHED = "cancel swaps the head whatever the commit's state"
    CANCELS_UNRECORDED = "cancel deletes files before the head says so"
    CANCELS_WITHOUT_MARK = "cancel leaves no mark"
    CANCELS_MARK_LATE = "cancel leaves its mark after the head says that it was reverted"
    CANCELS_BY_FIRST_LISTING = "cancel without a ledger does not list again after the pause"
    CANCELS_WITH_MANIFEST = "cancel of a commit that has a manifest"
    # Those of followers.
    FOLLOWS_AFTER_RETIRE = "follower brought to the version after the old files are deleted"
    FOLLOWS_WITHOUT_CONDITION = "follower's pointer put without a condition"
    FOLLOWS_BACKWARDS = "follower brought to the commit's own version, even from a newer one"


class Job(NamedTuple):
    """One job: the partitions it owns while it commits, and the partition of each new file."""

    name: str
    kind: Kind
    partitions: str
    files: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One model to explore to its end."""

    name: str
    jobs: tuple[Job, ...]
    recoverers: int
    in_flight: int  # most requests that wait to land late at one time
    features: frozenset[Feature] = frozenset()
    mutants: frozenset[Mutant] = frozenset()


class World:
    """A configuration with its files numbered: every set of files is an int, a bit per file."""

    def __init__(self, configuration: Configuration, *, faults: bool = True) -> None:
        # Without faults every call is answered and nobody dies: the world of a calm recovery.
        self.jobs = configuration.jobs
        self.in_flight = configuration.in_flight
        self.features = configuration.features
        self.mutants = configuration.mutants
        self.faults = faults
        self.file_names: list[str] = []
        self.partition_files = dict.fromkeys(PARTITIONS, 0)
        self.old = sum(self._number(partition, "old") for partition in PARTITIONS)
        self.foreign = self._number("p", "foreign")
        self.job_files = [self._number_all(job) for job in self.jobs]
        self.all_job_files = sum(self.job_files)
        self.scopes = [
            sum(self.partition_files[partition] for partition in job.partitions)
            for job in self.jobs
        ]
        self.same_key = self._reused_key() if Mutant.FIXED_NAMES in self.mutants else 0
        self.removable = self._removable()
        self.weak_abort = Feature.STRONG_ABORT not in self.features
        self.snapshot = Feature.SNAPSHOT in self.features
        self.followed = Feature.FOLLOWER in self.features
        self.fold = cache(self._fold)

    def _number(self, partition: str, name: str) -> int:
        bit = 1 << len(self.file_names)
        self.file_names.append(f"{partition}/{name}")
        self.partition_files[partition] |= bit
        return bit

    def _number_all(self, job: Job) -> int:
        names = [job.name + str(job.files[:n].count(f) or "") for n, f in enumerate(job.files)]
        return sum(map(self._number, job.files, names))

    def _removable(self) -> int:
        """Uploads that a lifecycle rule, an admin or a vacuum may remove."""
        if Feature.LIFECYCLE in self.features:
            return self.all_job_files
        return bits(self.job_files[0])[0] if Feature.ONE_REMOVED in self.features else 0

    def _reused_key(self) -> int:
        """Two bits for one key: what was there before, and what the last job puts in its place."""
        return 1 | 1 << (len(self.file_names) - 1)

    def is_append(self, job: int) -> bool:
        return self.jobs[job].kind is Kind.APPEND

    def overlaps(self, one: int, other: int) -> bool:
        """Tell whether two jobs may not interleave: a shared partition and an overwrite."""
        shared = set(self.jobs[one].partitions) & set(self.jobs[other].partitions)
        return bool(shared) and not (self.is_append(one) and self.is_append(other))

    def twin_of(self, job: int) -> int | None:
        """Find the other job that carries the same token."""
        token = self.jobs[job].token
        twins = [n for n, other in enumerate(self.jobs) if n != job and other.token == token]
        return twins[0] if token and twins else None

    def _fold(self, order: tuple[int, ...]) -> int:
        """Apply the jobs one after the other: the files a serial run would leave."""
        live = self.old
        for job in order:
            kept = live if self.is_append(job) else live & ~self.scopes[job]
            live = kept | self.job_files[job]
        return live

    def names(self, files: int) -> str:
        return "{" + " ".join(n for i, n in enumerate(self.file_names) if files >> i & 1) + "}"


def bits(files: int) -> list[int]:
    return [1 << n for n in range(files.bit_length()) if files >> n & 1]
