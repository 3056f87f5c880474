"""`benchmarks/results/README.md`: the figures that matter on one page, made from one campaign."""

from collections.abc import Iterable, Mapping
from typing import Final

from benchmarks.report.markdown import line
from benchmarks.report.table import NONE, circumstances, number, reasons, title
from benchmarks.result import Result
from benchmarks.summary import Place, Row
from benchmarks.targets import Verdict

HEADINGS: Final = ("system", "modelled s", "fastest, slowest", "runs", "of the fastest peer's")
OURS: Final = "repave"
FLOORS: Final = ("local-disk", "plain-puts", "plain-job")
INTRODUCTION: Final = """# The benchmark's results

This page is generated from {source}: `{command}`. Modelled seconds (medians) on an embedded store \
behind a latency model, not the performance of S3. "Of the fastest peer's" divides by the fastest \
other table format, committer or reader whose rows were right. The local disk, plain PUTs and the \
job without a commit are floors, not peers. Each peer has the fastest set-up that we know: Iceberg \
with its own S3 client and a catalog in memory, with sorted tasks and without, and on S3A ([why]\
(../../docs/decisions/0050-iceberg-set-ups.md)); magic with both trackers; Delta with its default \
log store, the one for a single writer's cluster. EMRFS is [a stand-in]\
(../../docs/decisions/0051-emrfs-stand-in.md). What each workload does: [the benchmark's page]\
(../README.md)."""


def overview(
    results: list[Result],
    tables: Mapping[Place, list[Row]],
    verdicts: Iterable[Verdict],
    source: str,
    command: str,
) -> str:
    told = "\n".join(f"- {one}" for one in circumstances(results))
    return (
        "\n\n".join(
            [
                INTRODUCTION.format(source=source, command=command),
                told,
                *(part for place, rows in tables.items() for part in _section(place, rows)),
                "## Targets",
                _targets(verdicts),
            ]
        )
        + "\n"
    )


def _section(place: Place, rows: list[Row]) -> list[str]:
    peers = [row.seconds for row in rows if _is_peer(row) and row.seconds]
    fastest = min(peers, default=None)
    lines = [line(HEADINGS), line(["---"] + ["---:"] * (len(HEADINGS) - 1))]
    lines += [line(_cells(row, fastest)) for row in rows]
    why = [f"- {one}" for one in reasons(rows)]
    return [f"## {title(place)}", "\n".join(lines), *(["\n".join(why)] if why else [])]


def _is_peer(row: Row) -> bool:
    return row.is_right and OURS not in row.system and row.system not in FLOORS


def _cells(row: Row, fastest: float | None) -> list[str]:
    spread = row.spread
    share = row.seconds / fastest if row.seconds and fastest else None
    return [
        row.system,
        number(row.seconds),
        f"{number(spread[0])}, {number(spread[1])}" if spread else NONE,
        row.outcome,
        NONE if share is None else f"{share:.2f}",
    ]


def _targets(verdicts: Iterable[Verdict]) -> str:
    lines = [line(("target", "figure", "outcome")), line(("---", "---:", "---"))]
    for one in verdicts:
        figure = NONE if one.value is None else f"{one.value:.3g}"
        lines.append(line((str(one.target), figure, one.outcome)))
    return "\n".join(lines)
