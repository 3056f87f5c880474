"""Whether the figures reach the targets of `targets.toml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.summary import Place, Row
from benchmarks.toml import read_toml

Outcome = Literal["reached", "missed", "not measured"]


@dataclass(frozen=True)
class Target:
    """A figure of one system, or its share of another system's, and what it may be at most."""

    workload: str
    partitions: int
    system: str
    figure: Literal["seconds", "commit_seconds", "requests_a_file"]
    at_most: float
    of: str | None = None

    def __str__(self) -> str:
        share = f" / {self.of}'s" if self.of else ""
        place = f"{self.workload} × {self.partitions}"
        return f"{place}: {self.system}'s {self.figure}{share} ≤ {self.at_most:g}"


@dataclass(frozen=True)
class Verdict:
    """What became of a target."""

    target: Target
    outcome: Outcome
    value: float | None = None


def read_targets() -> list[Target]:
    return [Target(**one) for one in read_toml("targets.toml")["targets"]]


def judge(targets: Iterable[Target], tables: Mapping[Place, list[Row]]) -> list[Verdict]:
    """Judge each target at each place that it speaks of; one that nobody measured is told too."""
    verdicts = []
    for target in targets:
        wanted = (target.workload, target.partitions)
        found = [
            _judge_one(target, rows)
            for place, rows in tables.items()
            if (place.workload, place.partitions) == wanted
        ]
        verdicts += found or [Verdict(target, "not measured")]
    return verdicts


def _judge_one(target: Target, rows: list[Row]) -> Verdict:
    by_system = {row.system: row for row in rows}
    value = _figure(by_system.get(target.system), target.figure)
    if target.of is not None:
        share_of = _figure(by_system.get(target.of), target.figure)
        value = value / share_of if value is not None and share_of else None
    if value is None:
        return Verdict(target, "not measured")
    return Verdict(target, "reached" if value <= target.at_most else "missed", value)


def _figure(row: Row | None, name: str) -> float | None:
    # A system that was wrong once has no figure that counts.
    if row is None or not row.is_right:
        return None
    if name == "commit_seconds":
        return row.median(lambda one: one.commit_seconds)
    return row.requests_a_file if name == "requests_a_file" else row.seconds
