from pathlib import Path

import pytest

from benchmarks.result import append_result, read_results
from unit.bench.samples import result


def test_a_line_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "new" / "results.jsonl"
    written = [result("delta", 8.0), result("magic", None, checked="refused", reason="no")]
    for one in written:
        append_result(file, one)
    assert read_results([file]) == written


def test_a_line_that_was_cut_off_is_left_out_and_then_replaced(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    append_result(file, result("delta", 8.0))
    with file.open("a") as lines:
        lines.write(result("iceberg", 6.0).line()[:40])
    assert [one.system for one in read_results([file])] == ["delta"]
    append_result(file, result("iceberg", 6.0))
    assert [one.system for one in read_results([file])] == ["delta", "iceberg"]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text('{"system": "delta"}\n' + result("iceberg", 6.0).line())
    with pytest.raises(ValueError, match=r"results\.jsonl, line 1, is no result"):
        read_results([file])


def test_another_try_replaces_a_failed_run_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    append_result(file, result("delta", None, checked="failed", reason="no disk"))
    append_result(file, result("delta", 8.0))
    append_result(file, result("delta", 1.0))
    append_result(file, result("iceberg", 6.0, checked="wrong"))
    append_result(file, result("iceberg", 2.0))
    found = {one.system: one for one in read_results([file])}
    assert found == {
        "delta": result("delta", 8.0),
        "iceberg": result("iceberg", 6.0, checked="wrong"),
    }
