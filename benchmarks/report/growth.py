"""How time grows with the files that are replaced, and with what else the table holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from matplotlib.figure import Figure

from benchmarks.report.plots import png
from benchmarks.summary import Place, Row
from benchmarks.workload import load_workload

FILES, TABLE = "growth-files", "growth-table-"


@dataclass(frozen=True)
class Growth:
    """One plot: a line for each system, seconds over a number."""

    file: str
    name: str
    across: str
    lines: Mapping[str, list[tuple[int, float]]]

    def plot(self) -> bytes:
        figure = Figure(figsize=(8, 4), layout="constrained")
        axes = figure.subplots()
        for system, points in self.lines.items():
            axes.plot(*zip(*sorted(points), strict=True), marker="o", label=system)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(self.across)
        axes.set_ylabel("modelled seconds")
        axes.set_title(self.name)
        axes.legend()
        return png(figure)


def growths(tables: Mapping[Place, list[Row]]) -> list[Growth]:
    """Return the series that were measured in two sizes at least."""
    places = [place for place in tables if place.scale == 1]
    shas = {place.git_sha: None for place in places}
    found = []
    for sha in shas:
        files = [(one.files, one) for one in places if (one.workload, one.git_sha) == (FILES, sha)]
        untouched = [
            (load_workload(one.workload)[0].untouched, one)
            for one in places
            if one.workload.startswith(TABLE) and one.git_sha == sha
        ]
        found += [
            Growth(
                f"{FILES}-{sha}",
                f"{FILES} (commit {sha})",
                "files replaced",
                _lines(files, tables),
            ),
            Growth(
                f"growth-table-{sha}",
                f"growth-table: 100 files replaced (commit {sha})",
                "other partitions of the table",
                _lines(untouched, tables),
            ),
        ]
    return [one for one in found if one.lines]


def _lines(
    sizes: Iterable[tuple[int, Place]], tables: Mapping[Place, list[Row]]
) -> dict[str, list[tuple[int, float]]]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for size, place in sizes:
        for row in tables[place]:
            if row.seconds is not None:
                lines.setdefault(row.system, []).append((size, row.seconds))
    return {system: points for system, points in lines.items() if len(points) > 1}
