"""The report as one HTML file that needs no other."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from benchmarks.elsewhere import Elsewhere
from benchmarks.report.growth import growths
from benchmarks.report.markdown import MODEL_HEADINGS, model_rows
from benchmarks.report.plots import requests_plot, seconds_plot
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
from benchmarks.targets import Verdict

STYLE: Final = """
body { font: 15px/1.5 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { border-bottom: 1px solid #ccc; padding: .25em .6em; text-align: right }
td:first-child, th:first-child { text-align: left }
tr.other { background: #fff3cd }
img { max-width: 100% }
"""


def page(
    results: list[Result],
    tables: Mapping[Place, list[Row]],
    judged: Iterable[Verdict | Elsewhere],
) -> str:
    body = [
        "<h1>Repave's benchmark</h1>",
        f"<p>{escape(LEGEND)}</p>",
        _list(circumstances(results)),
        *(part for place, rows in tables.items() for part in _section(place, rows)),
        *(_image(growth.plot()) for growth in growths(tables)),
        "<h2>Targets</h2>",
        _list(str(one) for one in judged),
        *_models(results),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Repave's benchmark</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def images(tables: Mapping[Place, list[Row]]) -> Iterator[tuple[str, bytes]]:
    """Return every plot of the page with the name of its PNG file."""
    for place, rows in tables.items():
        name = f"{place.workload}-{place.partitions}-x{place.scale:g}-{place.git_sha}"
        for kind, plot in (("seconds", seconds_plot), ("requests", requests_plot)):
            if image := plot(place, rows):
                yield f"{name}-{kind}.png", image
    for growth in growths(tables):
        yield f"{growth.file}.png", growth.plot()


def _section(place: Place, rows: list[Row]) -> list[str]:
    plots = (seconds_plot(place, rows), requests_plot(place, rows))
    images = [_image(png) for png in plots if png]
    return [
        f"<h2>{escape(title(place))}</h2>",
        _table(rows),
        _list([*reasons(rows), *commit_steps(rows)]),
        *images,
    ]


def _table(rows: list[Row]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADINGS)
    lines = [
        ("<tr>" if row.is_right else '<tr class="other">')
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells(row))
        + "</tr>"
        for row in rows
    ]
    return f"<table>\n<tr>{head}</tr>\n" + "\n".join(lines) + "\n</table>"


def _models(results: list[Result]) -> list[str]:
    parts = []
    for name in sorted({one.circumstances.model for one in results}):
        if lines := model_rows(name):
            cells = [[f"<td>{escape(cell)}</td>" for cell in line] for line in lines]
            rows = "".join(f"<tr>{''.join(line)}</tr>" for line in cells)
            head = "".join(f"<th>{one}</th>" for one in MODEL_HEADINGS)
            parts += [f"<h2>Latency model {escape(name)}</h2><table><tr>{head}</tr>{rows}</table>"]
    return parts


def _image(png: bytes) -> str:
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""
