"""The report on the terminal."""

from collections.abc import Iterable, Mapping
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.elsewhere import Elsewhere
from benchmarks.report.table import HEADINGS, LEGEND, cells, circumstances, reasons, title
from benchmarks.result import Result
from benchmarks.summary import Place, Row
from benchmarks.targets import Verdict

COLOURS: Final = {"reached": "green", "missed": "red", "not measured": "yellow"}


def show_report(console: Console, results: list[Result], tables: Mapping[Place, list[Row]]) -> None:
    for place, rows in tables.items():
        table = Table(title=title(place))
        table.add_column(HEADINGS[0], no_wrap=True)
        for heading in HEADINGS[1:]:
            table.add_column(heading, justify="right", overflow="fold")
        for row in rows:
            table.add_row(*cells(row), style=None if row.is_right else "yellow")
        console.print(table)
        for reason in reasons(rows):
            console.print(f"  {reason}", markup=False)
    for line in (LEGEND, *circumstances(results)):
        console.print(line, markup=False, style="dim")


def show_verdicts(console: Console, judged: Iterable[Verdict | Elsewhere]) -> None:
    for one in judged:
        console.print(str(one), style=COLOURS[one.outcome], markup=False, highlight=False)
