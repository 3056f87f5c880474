"""Targets that other campaigns measured: `targets.toml` names the page that has the figure."""

from dataclasses import dataclass

from benchmarks.targets import Outcome
from benchmarks.toml import read_toml


@dataclass(frozen=True)
class Elsewhere:
    """A figure of another page and what it may be at most."""

    told: str
    at_most: float
    value: float
    measured: str
    """The day and the commit, as far as the page tells them."""
    page: str
    """From the project's folder; an anchor may follow."""
    quote: str
    """The page's own words with the figure; a test looks for them."""

    def __str__(self) -> str:
        return f"{self.outcome} ({self.value:g}): {self.told} ≤ {self.at_most:g} [{self.page}]"

    @property
    def outcome(self) -> Outcome:
        return "reached" if self.value <= self.at_most else "missed"


def read_elsewhere() -> list[Elsewhere]:
    return [Elsewhere(**one) for one in read_toml("targets.toml")["elsewhere"]]
