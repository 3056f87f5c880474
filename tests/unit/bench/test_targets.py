from dataclasses import replace

import pytest

from benchmarks.campaign import names_for
from benchmarks.result import Circumstances, Result
from benchmarks.summary import rows
from benchmarks.systems import SYSTEMS
from benchmarks.targets import Target, judge, read_targets
from benchmarks.workload import load_workload, workload_names
from unit.bench.samples import figures, result

TARGET = Target("nightly-small", 100, "repave-listing", "seconds", 0.2, of=["delta"])


ICEBERGS = ["iceberg-s3fileio", "iceberg-s3fileio-sorted"]


def on_instant(run: Result) -> Circumstances:
    return replace(run.circumstances, model="instant")


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


def test_the_fastest_set_up_that_was_right_counts_and_is_named() -> None:
    target = replace(TARGET, of=ICEBERGS, at_most=0.5)
    plain, sorts = ICEBERGS
    runs = [result("repave-listing", 5.0), result(plain, 10.0), result(sorts, 9.0)]
    (verdict,) = judge([target], rows(runs, SYSTEMS))
    assert (verdict.outcome, verdict.value) == ("missed", 5 / 9)
    assert f"/ {sorts}'s (2 of 2 set-ups measured) ≤ 0.5" in str(verdict)
    runs[2] = result(sorts, 1.0, checked="wrong")
    (verdict,) = judge([target], rows(runs, SYSTEMS))
    assert (verdict.outcome, verdict.value) == ("reached", 0.5)
    assert f"/ {plain}'s (1 of 2 set-ups measured) ≤ 0.5" in str(verdict)
    assert f"/ the fastest of {plain}, {sorts} ≤ 0.5" in str(judge([target], {})[0])


def test_set_ups_of_another_commit_do_not_count() -> None:
    target = replace(TARGET, of=ICEBERGS, at_most=0.5)
    other = result(ICEBERGS[1], 1.0, git_sha="def")
    runs = [result("repave-listing", 5.0), result(ICEBERGS[0], 10.0), other]
    assert outcome(target, *runs) == "reached"


def test_an_earlier_campaign_judges_only_what_this_one_lacks() -> None:
    earlier = rows([result("repave-listing", 9.0, git_sha="before")], SYSTEMS)
    seconds = replace(TARGET, of=(), at_most=1.0)
    (verdict,) = judge([seconds], {}, earlier)
    assert (verdict.value, verdict.measured) == (9.0, "2026-11-21, `before`")
    (verdict,) = judge([seconds], rows([result("repave-listing", 2.0)], SYSTEMS), earlier)
    assert (verdict.value, verdict.measured) == (2.0, "2026-11-21, `abc`")
    assert judge([TARGET], {}, earlier)[0].outcome == "not measured"


def test_of_two_earlier_campaigns_of_one_day_the_later_one_judges() -> None:
    seconds = replace(TARGET, of=(), at_most=1.0)
    for later, sooner in (("a", "b"), ("b", "a")):
        runs = [result("repave-listing", 9.0, git_sha=sooner)]
        noon = result("repave-listing", 2.0, git_sha=later)
        moment = replace(noon.circumstances, started="2026-11-21T23:00:00+00:00")
        runs.append(replace(noon, circumstances=moment))
        (verdict,) = judge([seconds], {}, rows(runs, SYSTEMS))
        assert (verdict.value, verdict.measured) == (2.0, f"2026-11-21, `{later}`")


def test_commit_and_requests_are_figures_too() -> None:
    run = result("repave-listing", 5.0, commit=2.5)
    commit = replace(TARGET, figure="commit_seconds", at_most=2.2, of=())
    assert outcome(commit, run) == "missed"
    assert outcome(replace(commit, figure="requests_a_file", at_most=3.0), run) == "reached"
    assert outcome(replace(commit, figure="requests", at_most=299), run) == "missed"


def test_growth_is_a_share_of_the_same_systems_figure_on_other_work() -> None:
    target = Target("nightly-small", 1000, "delta", "seconds", 11, of_partitions=100)
    small = result("delta", 2.0, partitions=100)
    assert outcome(target, small, result("delta", 22.0, partitions=1000)) == "reached"
    assert outcome(target, small, result("delta", 22.1, partitions=1000)) == "missed"
    other_commit = result("delta", 22.0, partitions=1000, git_sha="def")
    assert outcome(target, small, other_commit) == "not measured"
    assert "its own on nightly-small × 100" in str(target)


def test_a_share_of_itself_on_the_store_that_answers_at_once() -> None:
    target = replace(TARGET, of=(), of_model="instant", at_most=1.3)
    slow = result("repave-listing", 2.6)
    fast = replace(slow, figures=figures(2.0), circumstances=on_instant(slow))
    assert outcome(target, slow, fast) == "reached"
    assert outcome(replace(target, at_most=1.29), slow, fast) == "missed"
    assert outcome(target, fast) == outcome(target, slow) == "not measured"
    assert "its own on the store 'instant'" in str(target)


def test_figures_without_latency_reach_no_target() -> None:
    run = result("repave-listing", 1.0)
    fast = replace(run, circumstances=on_instant(run))
    assert outcome(replace(TARGET, of=(), at_most=2.2), fast) == "not measured"


def test_an_unfinished_campaign_of_a_later_commit_hides_no_verdict() -> None:
    whole = [result("repave-listing", 2.0), result("delta", 10.0)]
    later = result("repave-listing", 2.0, git_sha="def")
    assert outcome(TARGET, *whole, later) == "reached"


def test_overhead_is_the_commit_beside_completing_files() -> None:
    run = result("repave-listing", 5.0)
    assert run.figures
    millis = {"reserve": 100, "complete-uploads": 900, "retire": 550}
    told = replace(run, figures=replace(run.figures, commit_millis=millis))
    target = replace(TARGET, figure="overhead_seconds", of=(), at_most=0.6)
    assert outcome(target, told) == "missed"
    assert outcome(replace(target, at_most=0.65), told) == "reached"
    assert outcome(target, run) == "not measured"


def test_the_shipped_targets_speak_of_what_exists() -> None:
    targets = read_targets()
    assert targets
    for one in targets:
        there = names_for(load_workload(one.workload)[0])
        assert {one.system, *one.of} <= set(there), one
    assert {one.workload for one in targets} <= set(workload_names())
