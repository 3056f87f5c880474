"""What is explored of symlink manifests: the stories that must hold, and the mutants."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from .folder import Mutant, Story

# A partition that is emptied and comes back, one that a rollback brings back, and both.
EMPTIED: Final = Story(("A", "", "A"), ("a",), 3)
RESTORED: Final = Story(("A", "B", "A"), ("A",), 3)
BOTH: Final = Story(("A", "B", "", "A"), ("a",), 3)
SLOW: Final = Story(("A", "", "A"), ("a",), 2, slow_listing=True, most_files=4)
GAP: Final = Story(("", "A", "B", "A", ""), (), 2, slow_listing=True, most_files=3)
QUICK: Final = (EMPTIED, RESTORED, BOTH, SLOW, GAP)
FULL: Final = (
    *QUICK,
    Story(("A", "B", "A", "", "A"), ("A",), 3),
    Story(("A", "", "A", "B", ""), ("a",), 3),
    Story(("", "A", "", "A"), (), 3),
)


class Broken(NamedTuple):
    """A mutant, the claim that it breaks, and a small story in which it does."""

    mutant: Mutant
    claim: str
    broken: Story

    def story(self) -> Story:
        return replace(self.broken, mutants=frozenset({self.mutant}))


MUTANTS: Final = (
    Broken(Mutant.HEAD_FIRST, "L1", RESTORED),
    Broken(Mutant.RETURNS_IN_PLACE, "L1", RESTORED),
    Broken(Mutant.SAME_STATE, "L1", RESTORED),
    Broken(Mutant.BESIDE_ITSELF, "L1", EMPTIED),
    Broken(Mutant.EMPTY_AFTER_CLOSED, "L1", EMPTIED),
    Broken(Mutant.CLEARS_LAST, "L1", BOTH),
    Broken(Mutant.IGNORES_GAPS, "L1", GAP),
    Broken(Mutant.KEEPS_UNREAD, "L1", SLOW),
)
