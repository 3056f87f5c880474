"""What result files say: those of one campaign, and earlier ones for what it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.elsewhere import Elsewhere, read_elsewhere
from benchmarks.readers import READERS
from benchmarks.result import Result, read_results
from benchmarks.summary import rows
from benchmarks.systems import SYSTEMS
from benchmarks.targets import Tables, Verdict, judge, read_targets
from benchmarks.toml import HERE

RESULTS: Final = HERE / "results"


@dataclass(frozen=True)
class Findings:
    results: list[Result]
    tables: Tables
    earlier: Tables
    judged: list[Verdict | Elsewhere]
    command: str
    """Makes the overview from these files."""
    folder: Path
    """Where the overview's plots are: next to the results, if these are the project's."""


def read_findings(file: Path, earlier: Sequence[Path]) -> Findings:
    results = read_results([file])
    order = [*SYSTEMS, *READERS]
    tables, before = rows(results, order), rows(read_results(earlier), order)
    judged: list[Verdict | Elsewhere] = [*judge(read_targets(), tables, before), *read_elsewhere()]
    more = f" --earlier {','.join(map(_told, earlier))}" if earlier else ""
    command = f'make bench ARGS="report --overview --results {_told(file)}{more}"'
    day = file.resolve().parent
    folder = day if day.is_relative_to(RESULTS) else RESULTS
    return Findings(results, tables, before, judged, command, folder)


def _told(file: Path) -> str:
    absolute, root = file.resolve(), HERE.parent
    return str(absolute.relative_to(root)) if absolute.is_relative_to(root) else file.name
