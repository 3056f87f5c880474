"""The plots, as PNG files in memory."""

import io

from matplotlib.figure import Figure

from benchmarks.report.table import title
from benchmarks.summary import Place, Row

TASK_COLOUR, COMMIT_COLOUR, WHOLE_COLOUR = "#4c78a8", "#f58518", "#9aa5b1"


def seconds_plot(place: Place, rows: list[Row]) -> bytes | None:
    """Draw each system's seconds with the spread of its repeats; None when nothing was right."""
    shown = [row for row in rows if row.seconds]
    if not shown:
        return None
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(shown)), layout="constrained")
    axes = figure.subplots()
    for at, row in enumerate(shown):
        whole = row.seconds or 0.0
        tasks = row.median(lambda one: one.task_seconds)
        if tasks is None:
            axes.barh(at, whole, color=WHOLE_COLOUR)
        else:
            axes.barh(at, tasks, color=TASK_COLOUR)
            # Medians of two parts need not add up to the median of the whole: draw the rest.
            axes.barh(at, max(0.0, whole - tasks), left=tasks, color=COMMIT_COLOUR)
        low, high = row.spread or (whole, whole)
        axes.plot([low, high], [at, at], color="black", linewidth=1, marker="|")
    axes.set_yticks(range(len(shown)), [row.system for row in shown])
    axes.invert_yaxis()
    axes.set_xlabel("modelled seconds: tasks (blue), commit (orange); line: fastest to slowest")
    axes.set_title(title(place))
    return png(figure)


def requests_plot(place: Place, rows: list[Row]) -> bytes | None:
    """Draw each system's requests for each file; None when nothing was right."""
    shown = [(row.system, row.requests_a_file) for row in rows if row.requests_a_file]
    if not shown:
        return None
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(shown)), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh([name for name, _ in shown], [n or 0.0 for _, n in shown], color=TASK_COLOUR)
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.invert_yaxis()
    axes.set_xlabel("requests for each file")
    axes.set_title(title(place))
    return png(figure)


def png(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110)
    return file.getvalue()
