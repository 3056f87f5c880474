"""The history in small: it holds with checkpoints, vacuum and old jobs, and every mutant dies."""

import pytest

from .history.lifetimes import FULL, MUTANTS, QUICK, Broken
from .history.table import Lifetime, Mutant
from .lifetime_explorer import explore

MOST_STATES = 500_000


def name(of: Lifetime | Broken) -> str:
    return (of if isinstance(of, Lifetime) else of.lifetime()).name


@pytest.mark.parametrize("life", QUICK, ids=name)
def test_the_history_can_be_followed_whatever_vacuum_and_writers_do(life: Lifetime) -> None:
    outcome = explore(life, MOST_STATES)
    assert (outcome.result, outcome.broken, outcome.trace) == ("ok", "", ())


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_a_broken_rule_is_caught_by_the_claim_it_breaks(mutant: Broken) -> None:
    outcome = explore(mutant.lifetime(), MOST_STATES)
    assert outcome.broken.startswith(f"{mutant.claim} "), outcome
    assert outcome.trace


def test_every_mutant_of_the_history_is_tried() -> None:
    assert {broken.mutant for broken in MUTANTS} == set(Mutant)


def test_every_claim_is_broken_by_some_mutant() -> None:
    assert {broken.claim for broken in MUTANTS} == {f"H{n}" for n in range(1, 9)}


def test_a_search_of_the_history_that_is_cut_short_is_not_called_good() -> None:
    assert explore(FULL[-1], 100).result == "limit"


def test_a_token_goes_with_its_commit_and_stands_for_nothing_then() -> None:
    known_for_ever = next(m for m in MUTANTS if m.mutant is Mutant.TOKEN_FOR_EVER)
    trace = explore(known_for_ever.lifetime(), MOST_STATES).trace
    assert "vacuum: deletes the token of version 1" in trace
    assert trace[-1] == "driver T again: reserves"
