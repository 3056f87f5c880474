from benchmarks.summary import rows
from unit.bench.samples import result


def test_repeats_become_a_median_and_a_spread() -> None:
    runs = [result("delta", seconds, repeat=n) for n, seconds in enumerate((9.0, 7.0, 20.0))]
    ((row,),) = rows(runs, ["delta"]).values()
    assert (row.seconds, row.spread, row.outcome) == (9.0, (7.0, 20.0), "3 right")
    assert row.requests_a_file == 3.0


def test_a_wrong_run_is_shown_and_its_figures_do_not_count() -> None:
    runs = [result("delta", 9.0), result("delta", 1.0, repeat=1, checked="wrong")]
    ((row,),) = rows(runs, ["delta"]).values()
    assert (row.seconds, row.outcome, row.is_right) == (9.0, "1 right, 1 wrong", False)


def test_systems_stand_in_the_given_order_and_unknown_ones_last() -> None:
    runs = [result(name, 1.0) for name in ("zzz", "delta", "plain-puts")]
    (found,) = rows(runs, ["plain-puts", "delta"]).values()
    assert [row.system for row in found] == ["plain-puts", "delta", "zzz"]


def test_commits_and_sizes_are_not_mixed() -> None:
    runs = [
        result("delta", 1.0),
        result("delta", 2.0, git_sha="def"),
        result("delta", 3.0, partitions=1000),
    ]
    assert sorted(row.seconds or 0 for (row,) in rows(runs, []).values()) == [1.0, 2.0, 3.0]


def test_a_phase_that_nobody_saw_stays_unknown() -> None:
    ((row,),) = rows([result("plain-puts", 1.0, commit=None)], []).values()
    assert row.median(lambda one: one.commit_seconds) is None
