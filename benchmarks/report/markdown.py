"""The report as Markdown, for the README."""

from collections.abc import Mapping

from benchmarks.report.table import HEADINGS, LEGEND, cells, circumstances, reasons, title
from benchmarks.result import Result
from benchmarks.summary import Place, Row


def markdown(results: list[Result], tables: Mapping[Place, list[Row]]) -> str:
    parts = [part for place, rows in tables.items() for part in _section(place, rows)]
    told = "\n".join(f"- {line}" for line in circumstances(results))
    return "\n\n".join([*parts, LEGEND, told]) + "\n"


def _section(place: Place, rows: list[Row]) -> list[str]:
    lines = [_line(HEADINGS), _line(["---"] + ["---:"] * (len(HEADINGS) - 1))]
    lines += [_line(cells(row)) for row in rows]
    why = [f"- {reason}" for reason in reasons(rows)]
    return [f"### {title(place)}", "\n".join(lines), *(["\n".join(why)] if why else [])]


def _line(values: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"
