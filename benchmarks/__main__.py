"""`python -m benchmarks`: run, report, check."""

import argparse
import sys
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks.campaign import Campaign, Remote, names_for, run_all, run_apart
from benchmarks.report.findings import RESULTS, read_findings
from benchmarks.report.markdown import markdown
from benchmarks.report.readme import block, replace_block
from benchmarks.report.terminal import show_report, show_verdicts
from benchmarks.run import store_name
from benchmarks.toml import HERE
from benchmarks.versions import git_sha
from benchmarks.workload import Workload, load_workload, workload_names

WORK: Final = HERE.parent / ".work" / "bench"
LOG_COLUMNS: Final = 180
README: Final = HERE.parent / "README.md"


def main() -> None:
    options = _parser().parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=LOG_COLUMNS)
    crashed = 0
    try:
        if options.do == "run":
            crashed = _run(options, console)
        reached = _report(options, console)
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(str(error)) from error
    if crashed or (options.check and not reached):
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("do", nargs="?", choices=("run", "report"), default="run")
    parser.add_argument("--systems", type=_names, default=[], help="a,b,c; all: none left out")
    parser.add_argument("--workloads", type=_names, default=["nightly-small"], help="a,b,c")
    parser.add_argument("--partitions", type=_numbers, help="10,100: instead of the workload's")
    parser.add_argument("--scale", type=float, default=1.0, help="times the rows in each file")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--model", default="typical", help="a latency model's name or file")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for one run")
    parser.add_argument("--endpoint", help="a real store's URL, or aws; the default is modelled")
    parser.add_argument("--bucket", help="with --endpoint: a bucket that is there")
    parser.add_argument("--prefix", default="", help="with --endpoint: a folder in the bucket")
    parser.add_argument("--results", type=Path, default=WORK / "results.jsonl")
    parser.add_argument("--earlier", type=_paths, default=[], help="a,b: for what --results lacks")
    parser.add_argument("--out", type=Path, default=WORK, help="folder for the report's files")
    parser.add_argument("--readme", action="store_true", help="write the table into README.md")
    parser.add_argument("--overview", action="store_true", help="write results/README.md")
    parser.add_argument("--command", default="make bench", help="what the pages say was run")
    parser.add_argument("--check", action="store_true", help="fail when a target is not reached")
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _paths(text: str) -> list[Path]:
    return [Path(name) for name in _names(text)]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _names(text)]


def _workloads(options: argparse.Namespace) -> list[Workload]:
    """Return the chosen workloads in each of their sizes, or in the given ones."""
    found = []
    for name in options.workloads or workload_names():
        sizes = load_workload(name)
        if options.partitions:
            sizes = [sizes[0].sized(number) for number in options.partitions]
        found += [one.scaled(options.scale) for one in sizes]
    return found


def _remote(options: argparse.Namespace) -> Remote | None:
    if options.endpoint is None:
        return None
    if not options.bucket:
        message = "--endpoint needs --bucket: a bucket that is there, and that you may write to."
        raise ValueError(message)
    return Remote(options.endpoint, options.bucket, options.prefix)


def _run(options: argparse.Namespace, console: Console) -> int:
    workloads = _workloads(options)
    known = list(dict.fromkeys(name for work in workloads for name in names_for(work)))
    if options.systems == ["all"]:
        options.systems = known
    unknown = [name for name in options.systems if name not in known]
    if unknown:
        message = f"There is no system {unknown[0]!r}: choose from {', '.join(known)}."
        raise ValueError(message)
    campaign = Campaign(
        systems=options.systems,
        workloads=workloads,
        repeats=options.repeats,
        model=options.model,
        remote=_remote(options),
    )
    store = store_name(options.model, options.endpoint)
    jobs = campaign.missing(options.results, git_sha(), store)
    return run_all(
        jobs,
        options.results,
        lambda job: run_apart(job, options.timeout),
        lambda text: console.print(text, markup=False, highlight=False),
    )


def _report(options: argparse.Namespace, console: Console) -> bool:
    """Write the report; return whether every target was reached."""
    # A run needs no matplotlib.
    from benchmarks.report.growth import growths  # noqa: PLC0415
    from benchmarks.report.overview import overview  # noqa: PLC0415
    from benchmarks.report.page import images, page  # noqa: PLC0415

    if not options.results.exists():
        message = f"There is no {options.results}: nothing was measured yet."
        raise FileNotFoundError(message)
    findings = read_findings(options.results, options.earlier)
    results, tables, judged = findings.results, findings.tables, findings.judged
    show_report(console, results, tables)
    if options.check:
        show_verdicts(console, judged)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.md").write_text(markdown(results, tables), "utf-8")
    (options.out / "report.html").write_text(page(results, tables, judged), "utf-8")
    for name, image in images(tables):
        (options.out / name).write_bytes(image)
    console.print(f"Written: report.md, report.html and plots in {options.out}", markup=False)
    if options.overview:
        (RESULTS / "README.md").write_text(overview(findings), "utf-8")
        for growth in growths(tables):
            (findings.folder / f"{growth.file}.png").write_bytes(growth.plot())
    if options.readme:
        replace_block(README, block(tables, options.command))
    return all(one.outcome == "reached" for one in judged)


if __name__ == "__main__":
    main()
