"""How time grows with the files that are replaced, and with what else the table holds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from matplotlib.figure import Figure

from benchmarks.report.plots import png
from benchmarks.summary import Place, Row
from benchmarks.workload import Workload, load_workload


@dataclass(frozen=True)
class Growth:
    """One plot: a line for each system, seconds over a number."""

    file: str
    name: str
    across: str
    lines: Mapping[str, list[tuple[int, float]]]

    def plot(self) -> bytes:
        return png(self.figure())

    def figure(self) -> Figure:
        figure = Figure(figsize=(6.5, 3.5), layout="constrained")
        axes = figure.subplots()
        for system, points in self.lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", label=system)
        if any(size == 0 for points in self.lines.values() for size, _ in points):
            # A table may hold nothing else, and that has no logarithm.
            axes.set_xscale("symlog", linthresh=1)
        else:
            axes.set_xscale("log")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.grid(visible=True, which="both", alpha=0.3)
        axes.set_xlabel(self.across)
        axes.set_ylabel("modelled seconds")
        axes.set_title(self.name)
        axes.legend()
        return figure


@dataclass(frozen=True)
class Series:
    """Workloads that differ in one number; their names begin with the series', or are others'."""

    name: str
    about: str
    across: str
    size: Callable[[Workload], int]
    others: tuple[str, ...] = ()

    def of(self, places: list[Place], sha: str, tables: Mapping[Place, list[Row]]) -> Growth:
        sizes = [
            (self.size(load_workload(one.workload)[0].sized(one.partitions)), one)
            for one in places
            if one.workload.startswith((self.name, *self.others))
        ]
        title = f"{self.name}: {self.about} (commit {sha})"
        return Growth(f"{self.name}-{sha}", title, self.across, _lines(sizes, tables))


SERIES: Final = (
    Series(
        "many-files",
        "all replaced",
        "partitions",
        lambda one: one.partitions,
        others=("very-many-files", "hundred-thousand"),
    ),
    Series("growth-files", "all replaced", "files", lambda one: one.files),
    Series("read-partition", "one of them read", "partitions", lambda one: one.partitions),
    Series(
        "growth-table",
        "100 files replaced",
        "other partitions of the table",
        lambda one: one.untouched,
    ),
    Series(
        "growth-life",
        "100 files replaced",
        "earlier commits to the table",
        lambda one: one.earlier_commits,
    ),
)


def growths(tables: Mapping[Place, list[Row]]) -> list[Growth]:
    """Return the series that were measured in two sizes at least."""
    places = [place for place in tables if place.scale == 1 and not place.is_floor]
    shas = dict.fromkeys(place.git_sha for place in places)
    return [
        growth
        for sha in shas
        for series in SERIES
        if (growth := series.of([one for one in places if one.git_sha == sha], sha, tables)).lines
    ]


def _lines(
    sizes: Iterable[tuple[int, Place]], tables: Mapping[Place, list[Row]]
) -> dict[str, list[tuple[int, float]]]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for size, place in sizes:
        for row in tables[place]:
            if row.seconds is not None:
                lines.setdefault(row.system, []).append((size, row.seconds))
    return {system: sorted(points) for system, points in lines.items() if len(points) > 1}
