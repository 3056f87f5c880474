"""Repeats put together: one row for each system on each workload."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from benchmarks.prices import dollars
from benchmarks.result import Figures, Result


class Place(NamedTuple):
    """What may be compared: the same work on the same modelled store, at one commit."""

    workload: str
    partitions: int
    files: int
    scale: float
    model: str
    git_sha: str

    @property
    def is_floor(self) -> bool:
        """Whether the store answered at once: what other runs are compared with."""
        return self.model == "instant"


@dataclass(frozen=True)
class Row:
    """All repeats of one system at one place."""

    system: str
    place: Place
    results: tuple[Result, ...]

    @property
    def measured(self) -> tuple[Figures, ...]:
        """The figures of the right runs: only those may be compared."""
        right = (one for one in self.results if one.checked == "right")
        return tuple(one.figures for one in right if one.figures)

    @property
    def outcome(self) -> str:
        """How the runs ended, such as `3 right` or `2 right, 1 wrong`."""
        counts = Counter(one.checked for one in self.results)
        return ", ".join(f"{n} {name}" for name, n in counts.most_common())

    @property
    def is_right(self) -> bool:
        return all(one.checked == "right" for one in self.results)

    def median(self, figure: Callable[[Figures], float | None]) -> float | None:
        values = [value for one in self.measured if (value := figure(one)) is not None]
        return median(values) if values else None

    def medians(self, figure: Callable[[Figures], Mapping[str, float] | None]) -> dict[str, float]:
        """Return the median of each name's values, over the runs that tell any."""
        told = [values for one in self.measured if (values := figure(one))]
        names = dict.fromkeys(name for one in told for name in one)
        return {name: median(one.get(name, 0) for one in told) for name in names}

    @property
    def seconds(self) -> float | None:
        return self.median(lambda one: one.seconds)

    @property
    def spread(self) -> tuple[float, float] | None:
        """The fastest and the slowest of the repeats."""
        values = [one.seconds for one in self.measured]
        return (min(values), max(values)) if values else None

    @property
    def requests_a_file(self) -> float | None:
        return self.median(lambda one: sum(one.requests.values()) / self.place.files)

    @property
    def dollars_a_file(self) -> float | None:
        return self.median(lambda one: dollars(one.requests) / self.place.files)


def rows(results: Iterable[Result], order: Iterable[str]) -> dict[Place, list[Row]]:
    """Group results by place, the systems in the given order; unknown ones come last."""
    ranks = {name: rank for rank, name in enumerate(order)}
    grouped: dict[Place, dict[str, list[Result]]] = {}
    for one in results:
        told = one.circumstances
        place = Place(one.workload, one.partitions, one.files, one.scale, told.model, told.git_sha)
        grouped.setdefault(place, {}).setdefault(one.system, []).append(one)
    return {
        place: [
            Row(system, place, tuple(grouped[place][system]))
            for system in sorted(grouped[place], key=lambda name: (ranks.get(name, 99), name))
        ]
        for place in sorted(grouped)
    }
