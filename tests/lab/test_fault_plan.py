"""Which requests a fault hits."""

import re
from typing import Any

import pytest

from repave_lab.proxy.faults import ACTIONS, Fault, FaultPlan


def hits(plan: FaultPlan, count: int, operation: str = "PutObject", key: str = "k") -> list[int]:
    """Return the numbers, from 1, of the requests that are hit."""
    return [n for n in range(1, count + 1) if plan.strike(operation, [key]) is not None]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7]),
        ({"times": 2}, [1, 2]),
        ({"nth": 3}, [3]),
        ({"every": 3}, [3, 6]),
        ({"every": 3, "times": 1}, [3]),
        ({"probability": 0.0}, []),
        ({"probability": 1.0, "times": 4}, [1, 2, 3, 4]),
    ],
)
def test_a_choice_hits_these_requests(choice: dict[str, Any], expected: list[int]) -> None:
    assert hits(FaultPlan([Fault("error", **choice)]), 7) == expected


def test_a_fault_counts_only_the_requests_that_it_is_about() -> None:
    plan = FaultPlan([Fault("error", op="PutObject|UploadPart", key=r"^table/.*\.parquet$", nth=2)])
    requests = [
        ("PutObject", "table/_SUCCESS"),
        ("UploadPart", "table/a.parquet"),
        ("GetObject", "table/a.parquet"),
        ("PutObject", "table/b.parquet"),
    ]
    assert [plan.strike(op, [key]) is not None for op, key in requests] == [0, 0, 0, 1]
    assert (plan.armed[0].matched, plan.armed[0].hit) == (2, 1)


def test_any_key_of_a_bulk_delete_matches() -> None:
    plan = FaultPlan([Fault("error", op="DeleteObjects", key="dt=2/")])
    assert plan.strike("DeleteObjects", ["dt=1/a"]) is None
    assert plan.strike("DeleteObjects", ["t/dt=1/a", "t/dt=2/a"]) is not None


def test_the_first_fault_acts_and_the_others_still_count() -> None:
    plan = FaultPlan([Fault("lost", nth=1), Fault("error", every=2)])
    struck = [plan.strike("PutObject", ["k"]) for _ in range(4)]
    assert [fault.do if fault else None for fault in struck] == ["lost", "error", None, "error"]


def test_a_seed_repeats_its_hits_and_another_seed_does_not() -> None:
    faults = [Fault("error", probability=0.2)]
    first = hits(FaultPlan(faults, seed=5), 500)
    assert first == hits(FaultPlan(faults, seed=5), 500)
    assert first != hits(FaultPlan(faults, seed=6), 500)
    assert 60 < len(first) < 140  # 100 expected, 9 is one sigma


def test_a_fault_draws_its_own_numbers() -> None:
    fault = Fault("error", op="PutObject", probability=0.2)
    alone = hits(FaultPlan([fault], seed=5), 200)
    other = Fault("lost", op="GetObject", probability=0.5)
    plan = FaultPlan([fault, other], seed=5)
    beside = []
    for n in range(1, 201):
        plan.strike("GetObject", ["k"])
        if plan.strike("PutObject", ["k"]):
            beside.append(n)
    assert beside == alone


def test_two_faults_do_not_hit_the_same_requests() -> None:
    plan = FaultPlan([Fault("error", probability=0.5), Fault("lost", probability=0.5)], seed=5)
    for _ in range(200):
        plan.strike("PutObject", ["k"])
    first, second = plan.armed
    # The second acts on what the first leaves: about half of the half.
    assert (first.matched, second.matched) == (200, 200)
    assert 70 < first.hit < 130
    assert 25 < second.hit < 75


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"do": "explode"}, "There is no fault 'explode': choose one of error,"),
        ({"do": "error", "op": "PutObjekt"}, "There is no S3 operation 'PutObjekt'"),
        ({"do": "error", "nth": 1, "every": 2}, "takes one of nth, every and probability"),
        ({"do": "delay"}, "`ms` says how long"),
        ({"do": "error", "ms": 5}, "`ms` says how long"),
        ({"do": "lost", "quotes": "Host"}, "`quotes` is for faults that answer with an error"),
        ({"do": "error", "key": "("}, "The key pattern '(' is not a regular expression"),
    ],
)
def test_a_fault_that_could_never_fire_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Fault(**values)


def test_status_and_code_can_be_chosen() -> None:
    action = Fault("error", status=400, code="ExpiredToken").action()
    assert (action.status, action.code, action.is_applied) == (400, "ExpiredToken", False)
    assert set(ACTIONS) >= {"error", "error_after", "lost", "reset", "ok_error", "hang", "truncate"}
