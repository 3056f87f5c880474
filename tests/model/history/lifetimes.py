"""What is explored of a table's history: the lifetimes that must hold, and the mutants."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from .table import Job, Lifetime, Mutant

# An overwrite, an append, and one append that is run twice with one token.
B: Final = Job("B", replaces=True)
C: Final = Job("C")
T: Final = Job("T", token=True)
RERUN: Final = Job("T again", token=True)


def lifetime(jobs: tuple[Job, ...], others: int, writers: int, checkpoints: int) -> Lifetime:
    """Name a lifetime of the unbroken protocol."""
    names = " + ".join(job.name for job in jobs) or "no job"
    sizes = f"{others} other commits, {writers} writers, {checkpoints} checkpoints"
    return Lifetime(f"history: {names}; {sizes}", jobs, others, writers, checkpoints)


QUICK: Final = (
    lifetime((), 3, 2, 3),
    lifetime((C,), 1, 2, 2),
    lifetime((B, C), 1, 1, 1),
    lifetime((T, RERUN), 1, 1, 2),
)
FULL: Final = (
    *QUICK,
    lifetime((B, C), 1, 1, 2),
    lifetime((T, RERUN), 2, 1, 2),
)


class Broken(NamedTuple):
    """A mutant, the claim that it breaks, and the smallest lifetime in which it does."""

    mutant: Mutant
    claim: str
    life: Lifetime

    def lifetime(self) -> Lifetime:
        mutants = frozenset({self.mutant})
        return replace(self.life, name=f"MUTANT {self.mutant.value}", mutants=mutants)


MUTANTS: Final = (
    Broken(Mutant.DELETES_BEFORE_WATERMARK, "H3", lifetime((C,), 1, 1, 1)),
    Broken(Mutant.WATERMARK_BEFORE_FILES, "H8", lifetime((C,), 1, 1, 1)),
    Broken(Mutant.OLD_BASE_GOES_ON, "H5", lifetime((C,), 1, 1, 1)),
    Broken(Mutant.OLD_OVERWRITE_GOES_ON, "H6", lifetime((B, C), 1, 1, 1)),
    Broken(Mutant.OLD_APPEND_GOES_ON, "H4", lifetime((T, RERUN), 1, 1, 1)),
    Broken(Mutant.NAMES_CHECKPOINT_BY_VERSION, "H1", lifetime((), 3, 2, 3)),
    Broken(Mutant.WATERMARK_PASSES_FILES, "H1", lifetime((), 2, 1, 1)),
    Broken(Mutant.REMOVES_NEW_CHECKPOINT, "H1", lifetime((), 1, 1, 1)),
    Broken(Mutant.REMOVES_CHAIN, "H2", lifetime((), 2, 1, 2)),
    Broken(Mutant.OLD_BASE_SAYS_FAILED, "H7", lifetime((C,), 1, 1, 1)),
    # No fault: what the protocol does not promise, so that a space without it would be too small.
    Broken(Mutant.TOKEN_FOR_EVER, "H4", lifetime((T, RERUN), 1, 1, 1)),
)
