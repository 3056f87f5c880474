"""The report as Markdown, for the README."""

from collections.abc import Mapping
from typing import Final

from benchmarks.report.table import (
    HEADINGS,
    LEGEND,
    cells,
    circumstances,
    commit_steps,
    reasons,
    title,
)
from benchmarks.result import Result
from benchmarks.summary import Place, Row
from repave_lab.proxy import load_model
from repave_lab.proxy.latency import CallTime

MODEL_HEADINGS: Final = ("call", "median ms", "p99 ms", "MB/s", "ms per key")


def markdown(results: list[Result], tables: Mapping[Place, list[Row]]) -> str:
    parts = [part for place, rows in tables.items() for part in _section(place, rows)]
    told = "\n".join(f"- {line}" for line in circumstances(results))
    models = [model_table(name) for name in sorted({one.circumstances.model for one in results})]
    return "\n\n".join([*parts, LEGEND, told, *filter(None, models)]) + "\n"


def _section(place: Place, rows: list[Row]) -> list[str]:
    lines = [line(HEADINGS), line(["---"] + ["---:"] * (len(HEADINGS) - 1))]
    lines += [line(cells(row)) for row in rows]
    why = [f"- {line}" for line in (*reasons(rows), *commit_steps(rows))]
    return [f"### {title(place)}", "\n".join(lines), *(["\n".join(why)] if why else [])]


def model_rows(name: str) -> list[list[str]]:
    """Return the times of a shipped latency model; nothing for a real store, or another file."""
    try:
        model = load_model(name)
    except (ValueError, OSError):
        return []
    return [
        [call, *(f"{value:g}" if value else "–" for value in _times(time))]
        for call, time in sorted(model.calls.items())
    ]


def _times(call: CallTime) -> tuple[float | None, ...]:
    return (call.median_ms, call.p99_ms, call.mb_per_second, call.ms_per_key)


def model_table(name: str) -> str:
    found = model_rows(name)
    head = [line(MODEL_HEADINGS), line(["---"] + ["---:"] * (len(MODEL_HEADINGS) - 1))]
    return "\n".join([f"Latency model {name}:", "", *head, *map(line, found)]) if found else ""


def line(values: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"
