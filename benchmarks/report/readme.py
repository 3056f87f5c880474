"""The block of README.md that the benchmark writes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from benchmarks.report.markdown import line
from benchmarks.report.table import number
from benchmarks.summary import Place, Row

BEGIN: Final = '<!-- benchmark: begin; `make bench ARGS="report --readme"` writes this -->'
END: Final = "<!-- benchmark: end -->"
BASE: Final = "repave-listing"
RESULTS: Final = "benchmarks/results"
# One row for each kind of system. The others are named below the table, by their factor only.
SHOWN: Final = ("repave-snapshot", BASE, "iceberg-s3fileio", "delta", "stock-v2")
HEADINGS: Final = (
    "system",
    "modelled s",
    f"× {BASE}",
    "requests a file",
    "MB copied",
    "a partition is missing, s",
    "old and new together, s",
)


def replace_block(file: Path, block: str) -> None:
    """Put the block between its marks, and leave the rest of the file alone.

    Raises:
        ValueError: the file does not hold both marks.
    """
    text = file.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        message = f"{file} holds no block for the benchmark: put these lines in:\n{BEGIN}\n{END}"
        raise ValueError(message)
    file.write_text(f"{before}{BEGIN}\n{block}\n{END}{after}", "utf-8")


def block(tables: Mapping[Place, list[Row]], command: str) -> str:
    """Return the table of the largest nightly job that both Repave and another system did."""
    place = _shown({place: _rows_shown(rows) for place, rows in tables.items()})
    rows = _rows_shown(tables[place])
    base = next((row.seconds for row in rows if row.system == BASE), None)
    work = f"{place.files:,} partitions with one small file each, all overwritten"
    told = "Modelled seconds (medians) on a local store behind a latency model, not S3's own"
    where = f"Versions, seeds, load and every run: [{RESULTS}]({RESULTS})"
    lines = [
        f"{work}; made by `{command}`.",
        "",
        line(HEADINGS),
        line(["---"] + ["---:"] * (len(HEADINGS) - 1)),
        *(line(_cells(row, base)) for row in rows),
        "",
        f"{told}. {_factors(tables[place], base)}{where}.",
    ]
    return "\n".join(lines)


def _rows_shown(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.system in SHOWN]


def _factors(rows: Iterable[Row], base: float | None) -> str:
    factors = [
        f"{row.system} {number(row.seconds / base)}"
        for row in rows
        if row.system not in SHOWN and row.seconds and base
    ]
    return f"Other systems, × {BASE}: {', '.join(factors)}. " if factors else ""


def _shown(tables: Mapping[Place, list[Row]]) -> Place:
    fitting = [
        place
        for place, rows in tables.items()
        if place.workload in {"many-files", "nightly-small"}
        and place.scale == 1
        and not place.is_floor
        and len({row.system for row in rows if row.measured}) > 1
        and any(row.system == BASE for row in rows)
    ]
    if not fitting:
        message = f"No nightly job was measured with {BASE} and another system: nothing to show."
        raise ValueError(message)
    newest = {place: max(_started(rows)) for place, rows in tables.items()}
    return max(fitting, key=lambda place: (len(tables[place]), place.files, newest[place]))


def _started(rows: Iterable[Row]) -> list[str]:
    return [one.circumstances.started for row in rows for one in row.results]


def _cells(row: Row, base: float | None) -> list[str]:
    copied = row.median(lambda one: one.bytes_copied)
    return [
        row.system,
        number(row.seconds),
        number(row.seconds / base if row.seconds and base else None),
        number(row.requests_a_file),
        number(None if copied is None else copied / 1e6),
        number(row.median(lambda one: one.missing_seconds)),
        number(row.median(lambda one: one.doubled_seconds)),
    ]
