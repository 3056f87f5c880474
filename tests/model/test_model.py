"""The model in small: the protocol holds in the quick configurations, and every mutant dies."""

import pytest

from .__main__ import main
from .configurations import (
    CANCEL,
    CONTRASTS,
    FIRST_TWELVE,
    FOLLOW,
    FULL,
    HEARTBEAT,
    MORE,
    QUICK,
    Broken,
)
from .explorer import explore
from .invariants import Invariants
from .space import Space
from .world import Configuration, Mutant

MOST_STATES = 2_000_000


def name(of: Configuration | Broken) -> str:
    return (of if isinstance(of, Configuration) else of.configuration()).name


@pytest.mark.parametrize("configuration", QUICK, ids=name)
def test_no_crash_and_no_late_request_breaks_an_invariant(
    configuration: Configuration, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = explore(configuration, MOST_STATES)
    with capsys.disabled():
        print(f"\n{outcome.states:,} states, {outcome.transitions:,} transitions", end=" ")
    assert (outcome.result, outcome.broken, outcome.trace) == ("ok", "", ())


@pytest.mark.parametrize("mutant", [*FIRST_TWELVE, *MORE, *HEARTBEAT, *CANCEL, *FOLLOW], ids=name)
def test_a_broken_rule_is_caught_by_the_invariant_it_breaks(mutant: Broken) -> None:
    outcome = explore(mutant.configuration(), MOST_STATES)
    assert outcome.broken.startswith(f"{mutant.invariant} "), outcome
    assert outcome.trace


@pytest.mark.parametrize("mutant", CONTRASTS, ids=range(len(CONTRASTS)))
def test_another_rule_or_a_stricter_store_forgives_the_broken_rule(mutant: Broken) -> None:
    assert explore(mutant.configuration(), MOST_STATES).result == "ok"


def test_every_mutant_is_tried() -> None:
    assert [broken.mutant for broken in FIRST_TWELVE] == list(Mutant)[:12]
    later = {broken.mutant for broken in (*MORE, *HEARTBEAT, *CANCEL, *FOLLOW)}
    forgiven = {Mutant.CANCELS_WITH_MANIFEST}
    assert later == set(list(Mutant)[12:]) - forgiven
    assert forgiven < {broken.mutant for broken in CONTRASTS}


def test_every_invariant_is_broken_by_some_mutant() -> None:
    broken = {mutant.invariant for mutant in (*FIRST_TWELVE, *MORE, *HEARTBEAT, *FOLLOW)}
    assert broken == {f"I{n}" for n in range(1, 16)}


def test_a_search_cut_short_is_not_called_good() -> None:
    outcome = explore(FULL[0], 1_000)
    assert (outcome.result, outcome.broken) == ("limit", "not explored to its end")


def test_a_trace_tells_the_steps_from_the_start_to_the_fault() -> None:
    outcome = explore(FIRST_TWELVE[0].configuration(), MOST_STATES)
    assert outcome.broken == "I6 HOLE: partition p has rows and no file"
    assert outcome.trace == (
        "driver B: put ledger of B",
        "driver B: reserve of B",
        "driver B: lists {p/old}",
        "driver B: put plan of B {p/old}",
        "driver B: reads that B is pending, and its plan",
        "driver B: delete of B {p/old}",
    )


def test_the_table_is_at_rest_and_whole_before_anything_happens() -> None:
    for configuration in FULL:
        first = Space(configuration).shared.things[0]
        assert Invariants(configuration).broken(first) == ""


def test_a_name_that_nothing_has_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "no such name"]) == 2
    assert "nothing is called 'no such name'" in capsys.readouterr().out


def test_a_name_picks_what_is_run_and_shows_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "before the new ones"]) == 0
    printed = capsys.readouterr().out
    assert "  1 driver B: put ledger of B\n" in printed
    assert "mutants caught 1/1, further mutants 0/0" in printed
