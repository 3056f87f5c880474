import pytest

from benchmarks import victim
from benchmarks.run import REFUSALS
from benchmarks.run_context import Lake
from benchmarks.systems import SYSTEMS
from benchmarks.victim import DEATHS, death_of, kill_when
from benchmarks.workload import load_workload


def test_a_driver_dies_when_half_its_files_are_complete() -> None:
    fault = death_of("repave-listing").fault(100, "sales")
    assert (fault.do, fault.op, fault.nth) == ("hang", "CompleteMultipartUpload", 51)


def test_stock_spark_dies_in_its_last_renames_not_in_its_tasks() -> None:
    fault = death_of("stock-v1").fault(4, "folder/sales")
    assert (fault.op, fault.key, fault.nth) == ("CopyObject", "^folder/sales/part=", 3)


def test_what_has_no_commit_is_refused_and_not_tried_again() -> None:
    with pytest.raises(ValueError, match="plain-puts cannot be killed") as told:
        death_of("plain-puts")
    assert any(words in str(told.value) for words in REFUSALS)


def test_every_system_has_a_death_or_is_left_out() -> None:
    (work,) = load_workload("rerun-after-crash")
    assert set(work.left_to(SYSTEMS)) <= set(DEATHS) <= set(SYSTEMS)


def test_a_run_that_ends_by_itself_is_told_with_its_last_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(victim, "MODULE", "benchmarks.no_such_module")
    (work,) = load_workload("rerun-after-crash")
    with pytest.raises(RuntimeError, match=r"ended by itself: .*no_such_module"):
        kill_when(lambda: False, "repave-listing", work, Lake(), {})
