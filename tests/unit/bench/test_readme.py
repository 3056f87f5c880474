from pathlib import Path

import pytest

from benchmarks.report.readme import BEGIN, END, block, replace_block
from benchmarks.result import Result
from benchmarks.summary import rows
from benchmarks.systems import SYSTEMS
from unit.bench.samples import result

README = Path(__file__).parents[3] / "README.md"


def many(system: str, seconds: float, partitions: int = 1000) -> Result:
    return result(system, seconds, workload="many-files", partitions=partitions)


def test_the_block_shows_the_largest_job_that_was_compared() -> None:
    runs = [
        many("repave-listing", 10.0),
        many("delta", 40.0),
        many("repave-listing", 99.0, partitions=10000),
        result("repave-listing", 4.0),
        result("delta", 8.0),
    ]
    text = block(rows(runs, SYSTEMS), "make bench")
    assert text.startswith("1,000 partitions with one small file each, all overwritten;")
    assert "| delta | 40.0 | 4.0 |" in text
    assert "99.0" not in text
    assert "not S3's own" in text


def test_a_system_without_a_row_is_named_with_its_factor() -> None:
    seconds = {"repave-listing": 10.0, "delta": 40.0, "staging": 80.0}
    runs = [many(system, one) for system, one in seconds.items()]
    text = block(rows(runs, SYSTEMS), "make bench")
    assert "| staging |" not in text
    assert "Other systems, × repave-listing: staging 8.0. " in text


def test_there_is_no_table_without_a_comparison() -> None:
    with pytest.raises(ValueError, match="nothing to show"):
        block(rows([result("repave-listing", 4.0)], SYSTEMS), "make bench")


def test_only_what_stands_between_the_marks_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    replace_block(file, "new\nlines")
    assert file.read_text() == f"before\n{BEGIN}\nnew\nlines\n{END}\nafter\n"
    replace_block(file, "newer")
    assert file.read_text() == f"before\n{BEGIN}\nnewer\n{END}\nafter\n"


def test_a_file_without_marks_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("no marks\n")
    with pytest.raises(ValueError, match="holds no block"):
        replace_block(file, "new")
    assert file.read_text() == "no marks\n"


def test_the_projects_readme_has_the_marks() -> None:
    text = README.read_text("utf-8")
    assert 0 < text.find(BEGIN) < text.find(END)
