from dataclasses import replace

import pytest

from benchmarks.result import Result
from benchmarks.summary import rows
from benchmarks.systems import SYSTEMS
from benchmarks.targets import Target, judge, read_targets
from benchmarks.workload import workload_names
from unit.bench.samples import result

TARGET = Target("nightly-small", 100, "repave-listing", "seconds", 0.2, of="delta")


def outcome(target: Target, *runs: Result) -> str:
    (verdict,) = judge([target], rows(runs, SYSTEMS))
    return verdict.outcome


@pytest.mark.parametrize(("seconds", "expected"), [(2.0, "reached"), (2.1, "missed")])
def test_a_share_is_compared_with_the_other_system(seconds: float, expected: str) -> None:
    assert outcome(TARGET, result("repave-listing", seconds), result("delta", 10.0)) == expected


def test_a_target_without_both_systems_is_not_measured() -> None:
    assert outcome(TARGET, result("repave-listing", 2.0)) == "not measured"
    assert outcome(TARGET, result("delta", 10.0)) == "not measured"
    assert outcome(TARGET) == "not measured"


def test_another_size_does_not_count() -> None:
    runs = [result("repave-listing", 2.0, partitions=20), result("delta", 10.0, partitions=20)]
    assert outcome(TARGET, *runs) == "not measured"


def test_a_system_that_was_wrong_once_reaches_nothing() -> None:
    wrong = result("repave-listing", 1.0, repeat=1, checked="wrong")
    runs = [result("repave-listing", 1.0), wrong, result("delta", 10.0)]
    assert outcome(TARGET, *runs) == "not measured"


def test_commit_and_requests_are_figures_too() -> None:
    run = result("repave-listing", 5.0, commit=2.5)
    commit = replace(TARGET, figure="commit_seconds", at_most=2.2, of=None)
    assert outcome(commit, run) == "missed"
    assert outcome(replace(commit, figure="requests_a_file", at_most=3.0), run) == "reached"


def test_the_shipped_targets_speak_of_what_exists() -> None:
    targets = read_targets()
    assert targets
    assert {one.system for one in targets} | {one.of for one in targets if one.of} <= set(SYSTEMS)
    assert {one.workload for one in targets} <= set(workload_names())
