"""What is explored: the configurations that must hold, and the mutants that must not."""

from __future__ import annotations

from typing import Final, NamedTuple

from .world import Configuration, Feature, Job, Kind, Mutant

# An overwrite of both partitions, an overlapping one of one, and appends to the same partition.
A: Final = Job("A", Kind.OVERWRITE, "pq", "pq")
B: Final = Job("B", Kind.OVERWRITE, "p", "p")
C: Final = Job("C", Kind.APPEND, "p", "p")
D: Final = Job("D", Kind.APPEND, "p", "p")
# Two files in one partition; the other partition; a static overwrite that leaves q empty.
AA: Final = Job("AA", Kind.OVERWRITE, "p", "pp")
Q: Final = Job("Q", Kind.OVERWRITE, "q", "q")
S: Final = Job("S", Kind.OVERWRITE, "pq", "p")
# An append to both partitions; one append run twice with one token.
E: Final = Job("E", Kind.APPEND, "pq", "pq")
T: Final = Job("T", Kind.APPEND, "p", "p", "t")
RERUN: Final = Job("T again", Kind.APPEND, "p", "p", "t")


def holds(
    jobs: tuple[Job, ...], recoverers: int, in_flight: int, *features: Feature
) -> Configuration:
    """Name a configuration of the unbroken protocol."""
    names = " + ".join(f"{job.kind.value} {job.name}" for job in jobs)
    extras = "".join(f", {feature.value}" for feature in features)
    name = f"{names}; {recoverers} recoverers, {in_flight} late{extras}"
    return Configuration(name, jobs, recoverers, in_flight, frozenset(features))


CANCEL_BY_NAME: Final = (Feature.CANCEL, Feature.LEDGER_LOST)
QUICK: Final = (
    holds((A, B), 1, 1),
    holds((A, C), 1, 1),
    holds((C, D), 1, 2),
    holds((A,), 2, 2, Feature.LIFECYCLE),
    holds((B, C), 1, 1, Feature.LIFECYCLE, Feature.REPLAY_REFUSED),
    holds((B, C), 1, 1, Feature.LIFECYCLE, Feature.STRONG_ABORT),
    holds((B, C), 1, 2, Feature.FOREIGN),
    holds((A, B), 1, 1, Feature.SNAPSHOT),
    holds((A, B), 1, 1, Feature.POLICY_FAIL),
    holds((T, RERUN), 2, 1),
    holds((S, C), 1, 1),
    holds((A,), 2, 1, Feature.VACUUM, Feature.LIFECYCLE),
    holds((B, C), 1, 1, Feature.VACUUM, Feature.SNAPSHOT),
    holds((A,), 2, 1, Feature.LIFECYCLE, Feature.LOG_FORGETS),
    holds((B, C), 1, 1, Feature.LIFECYCLE, Feature.LOG_FORGETS),
    holds((A,), 1, 1, Feature.SNAPSHOT, Feature.LOG_FORGETS),
    holds((A,), 2, 1, Feature.HEARTBEAT),
    holds((B,), 2, 1, Feature.HEARTBEAT, Feature.LIFECYCLE),
    holds((B,), 2, 1, Feature.HEARTBEAT, Feature.SNAPSHOT),
    holds((A,), 1, 1, *CANCEL_BY_NAME, Feature.LIFECYCLE),
    holds((B,), 1, 2, *CANCEL_BY_NAME, Feature.LOG_FORGETS),
    holds((B,), 1, 1, *CANCEL_BY_NAME, Feature.LOG_FORGETS, Feature.SNAPSHOT),
    holds((B,), 2, 1, *CANCEL_BY_NAME),
    holds((B,), 1, 1, Feature.CANCEL, Feature.HEARTBEAT),
    holds((B, C), 1, 1, Feature.FOLLOWER),
    holds((B, Q), 1, 1, Feature.FOLLOWER),
    holds((B,), 2, 2, Feature.FOLLOWER, Feature.LIFECYCLE),
    holds((B, C), 1, 1, Feature.FOLLOWER, Feature.SNAPSHOT),
)

FULL: Final = (
    *QUICK,
    holds((A, B), 2, 1),
    holds((A, B), 1, 3),
    holds((A, B), 1, 1, Feature.LIFECYCLE),
    holds((A, B), 1, 1, Feature.FOREIGN),
    holds((AA, B), 2, 1),
    holds((A, C), 2, 1),
    holds((A, E), 1, 2, Feature.LIFECYCLE),
    holds((B, C), 2, 2),
    holds((B, C), 2, 1, Feature.LIFECYCLE),
    holds((C, D), 2, 2),
    holds((B, Q), 1, 2),
    holds((S, C), 2, 1),
    holds((A, B, C), 1, 1),
    holds((A, B, C), 2, 0),
    holds((A, B), 2, 1, Feature.SNAPSHOT),
    holds((B, C), 2, 1, Feature.POLICY_FAIL),
    holds((T, RERUN), 2, 1, Feature.LIFECYCLE),
    holds((B, T, RERUN), 1, 1),
    holds((B, C), 1, 1, Feature.HEARTBEAT),
    holds((B, C), 1, 1, *CANCEL_BY_NAME),
    holds((T, RERUN), 1, 1, Feature.CANCEL, Feature.LOG_FORGETS),
)


class Broken(NamedTuple):
    """A mutant with the smallest world in which its fault shows, and the invariant it breaks."""

    mutant: Mutant
    invariant: str
    jobs: tuple[Job, ...]
    features: tuple[Feature, ...] = ()
    together_with: tuple[Mutant, ...] = ()
    recoverers: int = 1

    def configuration(self) -> Configuration:
        """Set the mutant's world up, with one late request."""
        mutants = frozenset({self.mutant, *self.together_with})
        name = f"MUTANT {self.mutant.value}"
        features = frozenset(self.features)
        return Configuration(name, self.jobs, self.recoverers, 1, features, mutants)


FIRST_TWELVE: Final = (
    Broken(Mutant.DELETE_FIRST, "I6", (B,)),
    Broken(Mutant.ROLLBACK, "I1", (A, B)),
    Broken(Mutant.NO_FENCE, "I4", (A, B)),
    Broken(Mutant.NO_RESOLVE, "I4", (A, B)),
    Broken(Mutant.NO_WAIT, "I8", (A, B)),
    Broken(Mutant.ABORT_ANYWAY, "I4", (A, B)),
    Broken(Mutant.FIXED_NAMES, "I1", (A, B)),
    Broken(Mutant.LIST_EARLY, "I3", (A, B)),
    Broken(Mutant.PUBLISH_FIRST, "I1", (A, B)),
    Broken(Mutant.REVERT_UNDURABLE, "I1", (A,), (Feature.LIFECYCLE,)),
    # Only one upload can vanish here, so it is the abort of the other that fails to fence.
    Broken(Mutant.ABORT_AS_FENCE, "I2", (A,), (Feature.ONE_REMOVED,), (Mutant.NO_DRAIN,)),
    Broken(Mutant.NO_DRAIN, "I2", (A,), (Feature.LIFECYCLE,)),
)

MORE: Final = (
    Broken(Mutant.UNRECORDED, "I5", (A,)),
    Broken(Mutant.APPEND_NO_WAIT, "I8", (A, C)),
    Broken(Mutant.OVERWRITE_NO_WAIT, "I8", (A, C)),
    Broken(Mutant.RETIRE_BY_LISTING, "I7", (A, C)),
    Broken(Mutant.RETIRE_BY_LISTING, "I11", (A,), (Feature.FOREIGN,)),
    Broken(Mutant.PLAN_REPLACED, "I7", (A, C)),
    Broken(Mutant.HEAD_UNCONDITIONAL, "I4", (A,)),
    Broken(Mutant.COMPLETE_ASSUMED, "I1", (A,)),
    Broken(Mutant.REVERT_LEAVES_OPEN, "I3", (A,), (Feature.LIFECYCLE,)),
    Broken(Mutant.TOKEN_UNCHECKED, "I9", (T, RERUN)),
    Broken(Mutant.TOKEN_NOT_AWAITED, "I4", (T, RERUN)),
    Broken(Mutant.POLICY_UNCHECKED, "I10", (B, C), (Feature.POLICY_FAIL,)),
    Broken(Mutant.PUBLISH_BY_PARTITION, "I8", (A,), (Feature.SNAPSHOT,)),
    Broken(Mutant.RETIRE_SNAPSHOT, "I12", (A,), (Feature.SNAPSHOT,)),
    Broken(Mutant.FORGOTTEN_DONE, "I6", (B,), (Feature.LIFECYCLE, Feature.LOG_FORGETS)),
    Broken(Mutant.FORGOTTEN_OPEN, "I1", (B,), (Feature.SNAPSHOT, Feature.LOG_FORGETS)),
    Broken(Mutant.VACUUM_FILES, "I1", (B,), (Feature.SNAPSHOT, Feature.VACUUM)),
    Broken(Mutant.VACUUM_LEDGER, "I5", (B,), (Feature.VACUUM,)),
    Broken(Mutant.REVERT_UNMARKED, "I1", (B,), (Feature.LIFECYCLE, Feature.LOG_FORGETS)),
)

HEARTBEAT: Final = (
    Broken(Mutant.TAKES_OVER_WITHOUT_CONDITION, "I13", (B,), (Feature.HEARTBEAT,), recoverers=2),
    Broken(Mutant.HEARTBEAT_DELETED_EARLY, "I13", (B,), (Feature.HEARTBEAT,), recoverers=2),
    Broken(Mutant.HEARTBEAT_DECIDES_SAFETY, "I2", (B,), (Feature.HEARTBEAT, Feature.LIFECYCLE)),
    Broken(Mutant.REPLACED_SAYS_FAILED, "I4", (B,), (Feature.HEARTBEAT,)),
)

CANCEL: Final = (
    Broken(Mutant.CANCELS_PUBLISHED, "I8", (B,), (Feature.CANCEL,)),
    Broken(Mutant.CANCELS_UNRECORDED, "I1", (B,), (Feature.CANCEL,)),
    Broken(Mutant.CANCELS_WITHOUT_MARK, "I1", (B,), (Feature.CANCEL, Feature.LOG_FORGETS)),
    Broken(Mutant.CANCELS_MARK_LATE, "I1", (B,), (Feature.CANCEL, Feature.LOG_FORGETS)),
    Broken(Mutant.CANCELS_BY_FIRST_LISTING, "I2", (B,), (Feature.CANCEL, Feature.LEDGER_LOST)),
)

FOLLOW: Final = (
    Broken(Mutant.FOLLOWS_AFTER_RETIRE, "I14", (B,), (Feature.FOLLOWER,)),
    Broken(Mutant.FOLLOWS_WITHOUT_CONDITION, "I15", (B, Q), (Feature.FOLLOWER,)),
    Broken(Mutant.FOLLOWS_BACKWARDS, "I15", (B, Q), (Feature.FOLLOWER,)),
)

# The other half of two mutants' stories: a store whose abort is a fence forgives them, and waiting
# for requests to end makes up for a fence that is none.
KIND_ABORT: Final = (Feature.LIFECYCLE, Feature.STRONG_ABORT)
CONTRASTS: Final = (
    Broken(Mutant.ABORT_AS_FENCE, "", (A,), KIND_ABORT, (Mutant.NO_DRAIN,)),
    Broken(Mutant.NO_DRAIN, "", (A,), KIND_ABORT),
    Broken(Mutant.ABORT_AS_FENCE, "", (A,), (Feature.LIFECYCLE,)),
    # Old files go only after the publication, so a pending commit with a plan can be reverted too.
    # The protocol refuses that all the same: it is safe only in this order of steps.
    Broken(Mutant.CANCELS_WITH_MANIFEST, "", (B,), (Feature.CANCEL, Feature.LIFECYCLE)),
)
