"""Whether the figures reach the targets of `targets.toml`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.summary import Place, Row
from benchmarks.toml import read_toml

Outcome = Literal["reached", "missed", "not measured"]
Name = Literal["seconds", "commit_seconds", "overhead_seconds", "requests", "requests_a_file"]
Tables = Mapping[Place, list[Row]]


@dataclass(frozen=True)
class Target:
    """A figure, or its share of another system's or of other work's, and what it may be at most."""

    workload: str
    partitions: int
    system: str
    figure: Name
    at_most: float
    of: Sequence[str] = ()
    """Set-ups of one peer. The fastest counts of those that were measured and always right."""
    of_workload: str | None = None
    of_partitions: int | None = None
    of_model: str | None = None

    def __str__(self) -> str:
        return self.told()

    def told(self, fastest: str = "") -> str:
        """Return the target as a sentence, with the set-up that was the fastest if it is known."""
        share = f" / {fastest or self._share}" if self.is_share else ""
        place = f"{self.workload} × {self.partitions}"
        return f"{place}: {self.system}'s {self.figure}{share} ≤ {self.at_most:g}"

    @property
    def is_share(self) -> bool:
        return bool(self.of or self.of_workload or self.of_partitions or self.of_model)

    @property
    def share_of_systems(self) -> Sequence[str]:
        return self.of or (self.system,)

    @property
    def share_of_place(self) -> tuple[str, int]:
        return self.of_workload or self.workload, self.of_partitions or self.partitions

    @property
    def _share(self) -> str:
        if self.of:
            return f"the fastest of {', '.join(self.of)}" if len(self.of) > 1 else f"{self.of[0]}'s"
        if self.of_model:
            return f"its own on the store {self.of_model!r}"
        workload, partitions = self.share_of_place
        return f"its own on {workload} × {partitions}"


@dataclass(frozen=True)
class Verdict:
    """What became of a target."""

    target: Target
    outcome: Outcome
    value: float | None = None
    measured: str = ""
    """The day and the commit."""
    began: str = ""
    """When the newest of its runs began."""
    fastest: str = ""
    """Which set-up of the peer it was, if the target names several."""

    def __str__(self) -> str:
        value = "" if self.value is None else f" ({self.value:.4g})"
        return f"{self.outcome}{value}: {self.told}"

    @property
    def told(self) -> str:
        return self.target.told(self.fastest)


def read_targets() -> list[Target]:
    return [Target(**one) for one in read_toml("targets.toml")["targets"]]


def judge(
    targets: Iterable[Target], tables: Tables, earlier: Tables | None = None
) -> list[Verdict]:
    """Judge each target at each place that it speaks of; one that nobody measured is told too.

    What the tables do not hold is judged by the newest of the earlier ones that holds it.
    """
    verdicts = []
    for target in targets:
        found = _judge_everywhere(target, tables)
        if not found:
            before = _judge_everywhere(target, earlier or {})
            found = sorted(before, key=lambda one: one.began)[-1:]
        verdicts += found or [Verdict(target, "not measured")]
    return verdicts


def _judge_everywhere(target: Target, tables: Tables) -> list[Verdict]:
    wanted = (target.workload, target.partitions, 1.0)
    found = [
        _judge_one(target, place, tables)
        for place in tables
        if not place.is_floor and (place.workload, place.partitions, place.scale) == wanted
    ]
    return [one for one in found if one]


def _judge_one(target: Target, place: Place, tables: Tables) -> Verdict | None:
    value = _figure(tables[place], target.system, target.figure)
    fastest = ""
    if target.is_share:
        others = _rows_to_share(target, place, tables)
        found = {
            name: figure
            for name in target.share_of_systems
            if (figure := _figure(others, name, target.figure))
        }
        if value is None or not found:
            return None
        best = min(found, key=lambda name: found[name])
        value /= found[best]
        if len(target.of) > 1:
            told = f"{len(found)} of {len(target.of)} set-ups measured"
            fastest = f"{best}'s ({told})"
    if value is None:
        return None
    outcome: Outcome = "reached" if value <= target.at_most else "missed"
    rows = tables[place]
    return Verdict(target, outcome, value, measured(rows), _began(rows), fastest)


def measured(rows: list[Row]) -> str:
    """Return the day and the commit of rows of one place."""
    return f"{_began(rows)[:10]}, `{rows[0].place.git_sha[:7]}`"


def _began(rows: list[Row]) -> str:
    return max(one.circumstances.started for row in rows for one in row.results)


def _rows_to_share(target: Target, place: Place, tables: Tables) -> list[Row]:
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
    if name == "requests":
        return row.median(lambda one: sum(one.requests.values()))
    return row.requests_a_file if name == "requests_a_file" else row.seconds
