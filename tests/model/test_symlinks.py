"""The folder of a symlink manifest in small: no late write is seen, and every mutant dies."""

import pytest

from .symlink_explorer import explore
from .symlinks.folder import Mutant, Story
from .symlinks.stories import FULL, MUTANTS, QUICK, Broken

MOST_STATES = 500_000


def name(of: Story | Broken) -> str:
    return (of if isinstance(of, Story) else of.story()).name


@pytest.mark.parametrize("story", QUICK, ids=name)
def test_readers_of_a_followed_version_see_its_list_whoever_wakes_up(story: Story) -> None:
    outcome = explore(story, MOST_STATES)
    assert (outcome.result, outcome.broken, outcome.trace) == ("ok", "", ())


@pytest.mark.parametrize("mutant", MUTANTS, ids=name)
def test_a_broken_rule_is_caught_by_the_claim_it_breaks(mutant: Broken) -> None:
    outcome = explore(mutant.story(), MOST_STATES)
    assert outcome.broken.startswith(f"{mutant.claim} "), outcome
    assert outcome.trace


def test_every_mutant_of_symlink_manifests_is_tried() -> None:
    assert {broken.mutant for broken in MUTANTS} == set(Mutant)


def test_a_search_of_manifests_that_is_cut_short_is_not_called_good() -> None:
    assert explore(FULL[-1], 100).result == "limit"
