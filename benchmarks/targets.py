"""Whether the figures reach the targets of `targets.toml`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.summary import Place, Row
from benchmarks.toml import read_toml

Outcome = Literal["reached", "missed", "not measured"]
Name = Literal["seconds", "commit_seconds", "overhead_seconds", "requests_a_file"]


@dataclass(frozen=True)
class Target:
    """A figure, or its share of another system's or of other work's, and what it may be at most."""

    workload: str
    partitions: int
    system: str
    figure: Name
    at_most: float
    of: str | None = None
    of_workload: str | None = None
    of_partitions: int | None = None
    of_model: str | None = None

    def __str__(self) -> str:
        place = f"{self.workload} × {self.partitions}"
        share = f" / {self.of}'s" if self.of else ""
        if self.of_workload or self.of_partitions:
            workload, partitions = self.share_of_place
            share = f" / {self.share_of_system}'s on {workload} × {partitions}"
        if self.of_model:
            share = f" / its own on the store {self.of_model!r}"
        return f"{place}: {self.system}'s {self.figure}{share} ≤ {self.at_most:g}"

    @property
    def is_share(self) -> bool:
        return bool(self.of or self.of_workload or self.of_partitions or self.of_model)

    @property
    def share_of_system(self) -> str:
        return self.of or self.system

    @property
    def share_of_place(self) -> tuple[str, int]:
        return self.of_workload or self.workload, self.of_partitions or self.partitions


@dataclass(frozen=True)
class Verdict:
    """What became of a target."""

    target: Target
    outcome: Outcome
    value: float | None = None
    place: Place | None = None

    def __str__(self) -> str:
        value = "" if self.value is None else f" ({self.value:.4g})"
        return f"{self.outcome}{value}: {self.target}"


def read_targets() -> list[Target]:
    return [Target(**one) for one in read_toml("targets.toml")["targets"]]


def judge(targets: Iterable[Target], tables: Mapping[Place, list[Row]]) -> list[Verdict]:
    """Judge each target at each place that it speaks of; one that nobody measured is told too."""
    verdicts = []
    for target in targets:
        wanted = (target.workload, target.partitions, 1.0)
        found = [
            _judge_one(target, place, tables)
            for place in tables
            if not place.is_floor and (place.workload, place.partitions, place.scale) == wanted
        ]
        measured = [one for one in found if one.outcome != "not measured"]
        verdicts += measured or [Verdict(target, "not measured")]
    return verdicts


def _judge_one(target: Target, place: Place, tables: Mapping[Place, list[Row]]) -> Verdict:
    value = _figure(tables[place], target.system, target.figure)
    if target.is_share:
        share_of = _figure(
            _rows_to_share(target, place, tables), target.share_of_system, target.figure
        )
        value = value / share_of if value is not None and share_of else None
    if value is None:
        return Verdict(target, "not measured")
    return Verdict(target, "reached" if value <= target.at_most else "missed", value, place)


def _rows_to_share(target: Target, place: Place, tables: Mapping[Place, list[Row]]) -> list[Row]:
    """Return the rows of the other work: on the same store, at the same commit."""
    workload, partitions = target.share_of_place
    other = (workload, partitions, place.scale, target.of_model or place.model, place.git_sha)
    for one, rows in tables.items():
        if (one.workload, one.partitions, one.scale, one.model, one.git_sha) == other:
            return rows
    return []


def _figure(rows: list[Row], system: str, name: Name) -> float | None:
    row = next((one for one in rows if one.system == system), None)
    # A system that was wrong once has no figure that counts.
    if row is None or not row.is_right:
        return None
    if name == "commit_seconds":
        return row.median(lambda one: one.commit_seconds)
    if name == "overhead_seconds":
        return row.median(lambda one: one.overhead_seconds)
    return row.requests_a_file if name == "requests_a_file" else row.seconds
