import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.elsewhere import Elsewhere, read_elsewhere
from benchmarks.report.findings import RESULTS, read_findings
from benchmarks.report.overview import overview
from benchmarks.result import Result, append_result
from unit.bench.samples import result

ROOT = Path(__file__).parents[3]
MADE_BY = re.compile(r"--results (\S+) --earlier (\S+)\"`")


def page_of(folder: Path, runs: Sequence[Result], before: Sequence[Result] = ()) -> str:
    for name, results in (("runs", runs), ("before", before)):
        (folder / name).touch()
        for one in results:
            append_result(folder / name, one)
    return overview(read_findings(folder / "runs", [folder / "before"]))


def test_seconds_are_divided_by_the_fastest_peers_whose_rows_were_right(tmp_path: Path) -> None:
    runs = [
        result("local-disk", 1.0),
        result("repave-listing", 4.0),
        result("iceberg-s3fileio", 5.0),
        result("delta", 2.0, checked="wrong"),
        result("staging", 8.0),
    ]
    text = page_of(tmp_path, runs)
    assert "| repave-listing | 4.0 | 4.0, 4.0 | 1 right | 0.80 |" in text
    assert "| staging | 8.0 | 8.0, 8.0 | 1 right | 1.60 |" in text
    assert "| delta | – | – | 1 wrong | – |" in text
    assert "iceberg-s3fileio's (1 of 2 set-ups measured) ≤ 1 | 0.8 | reached | 2026-11" in text
    assert "--results runs --earlier before" in text


def test_the_cpu_time_of_each_process_is_a_median_and_adds_up(tmp_path: Path) -> None:
    runs = [
        replace(one, figures=replace(one.figures, cpu_seconds={"spark": spark, "compiler": 3.0}))
        for repeat, spark in enumerate((4.0, 5.0, 9.0))
        if (one := result("repave-listing", 4.0, repeat=repeat)).figures
    ]
    text = page_of(tmp_path, [*runs, result("delta", 8.0)])
    assert "- repave-listing's CPU time, s: 8.0 (spark 5.0, compiler 3.0)" in text
    assert "delta's CPU" not in text


def test_readers_are_compared_within_their_engine(tmp_path: Path) -> None:
    runs = [
        result(system, seconds, workload="open-table")
        for system, seconds in {
            "spark-repave": 3.0,
            "spark-iceberg": 2.0,
            "pyarrow-repave-listing": 0.5,
            "delta-rs": 1.0,
        }.items()
    ]
    text = page_of(tmp_path, runs)
    assert "| spark-repave | 3.0 | 3.0, 3.0 | 1 right | 1.50 |" in text
    assert "| pyarrow-repave-listing | 0.5 | 0.5, 0.5 | 1 right | 0.50 |" in text


def test_targets_that_nobody_measured_are_one_line(tmp_path: Path) -> None:
    text = page_of(tmp_path, [result("repave-listing", 4.0)])
    (line,) = [one for one in text.splitlines() if "not measured" in one.lower()][-1:]
    assert line.startswith("Not measured: many-files × 1000: repave-listing's seconds / ")
    assert "; bulk × 64: " in line


def test_what_earlier_runs_measured_is_told_with_their_commit(tmp_path: Path) -> None:
    before = [
        result(name, 2.0, workload="bulk", partitions=64, git_sha="before")
        for name in ("repave-listing", "delta")
    ]
    text = page_of(tmp_path, [result("repave-listing", 4.0)], before)
    assert "/ delta's ≤ 1 | 1 | reached | 2026-11-21, `before` |" in text
    assert "## bulk" not in text


def test_stock_spark_is_extrapolated_from_fewer_files_and_marked(tmp_path: Path) -> None:
    runs = [result("repave-listing", 40.0, workload="very-many-files", partitions=10000)]
    before = [
        result("stock-v2", seconds, workload="many-files", partitions=1000, repeat=repeat)
        for repeat, seconds in enumerate((900.0, 950.0, 940.0))
    ]
    text = page_of(tmp_path, runs, before)
    told = "extrapolated: 10 × many-files of 2026-11-21, `abc`"
    assert f"| stock-v2 | 9,400 | – | {told} | – |" in text
    assert "stock-v1 |" not in text
    nearer = result("stock-v2", 800.0, workload="many-files", partitions=1000, git_sha="def")
    told = "extrapolated: 10 × many-files of 2026-11-21, `def`"
    assert f"| stock-v2 | 8,000 | – | {told} | – |" in page_of(tmp_path, [nearer])
    measured = result("stock-v2", 9000.0, workload="very-many-files", partitions=10000)
    assert "extrapolated" not in page_of(tmp_path, [measured])


def test_the_committed_page_is_what_its_results_give() -> None:
    page = (RESULTS / "README.md").read_text("utf-8")
    made_by = MADE_BY.search(page)
    assert made_by
    findings = read_findings(ROOT / made_by[1], [ROOT / one for one in made_by[2].split(",")])
    assert page == overview(findings), 'run `make bench ARGS="report --overview …"` of the page'
    plots = {f"{findings.folder.name}/{one.name}" for one in findings.folder.glob("*.png")}
    assert plots == set(re.findall(r"!\[[^]]*\]\(([^)]*)\)", page))


@pytest.mark.parametrize("one", read_elsewhere(), ids=lambda one: one.told)
def test_a_figure_of_another_campaign_stands_on_its_page(one: Elsewhere) -> None:
    file, _, anchor = one.page.partition("#")
    text = (ROOT / file).read_text("utf-8")
    assert one.quote in text
    assert re.search(rf"(?<![\d.]){one.value:g}(?![\d.])", one.quote)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    assert anchor in {
        "",
        *(re.sub(r"[^\w -]", "", it).lower().replace(" ", "-") for it in headings),
    }
