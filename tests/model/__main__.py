"""Explore every configuration, break every rule, print what was found.

`python -m model` runs everything; `--quick` the part that the tests run; a word in quotes runs the
configurations and mutants whose name holds it and prints the steps that lead to what broke.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from .configurations import CANCEL, FIRST_TWELVE, FOLLOW, FULL, HEARTBEAT, MORE, QUICK, Broken
from .explorer import Outcome, explore
from .history import lifetimes
from .history.table import Lifetime
from .lifetime_explorer import explore as explore_history
from .symlink_explorer import explore as explore_manifests
from .symlinks import stories

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .symlinks.folder import Story
    from .world import Configuration

# About 110 bytes a state: a configuration that outgrows this is an error, not a slow run.
MOST_STATES: Final = 20_000_000
# States of a history, or of a folder, are not packed: about 1 KB each.
MOST_LIVES: Final = 3_000_000
ROW: Final = "{:<88} {:<8} {:>12,} {:>13,} {:>7.1f}"
HEADING: Final = ROW.replace(",", "").replace(".1f", "")


def main(arguments: list[str]) -> int:
    """Run what was asked for; answer 1 if an invariant broke, or a mutant lived."""
    parser = argparse.ArgumentParser(prog="model", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the part that the tests run")
    parser.add_argument("word", nargs="?", default="", help="only names that hold this word")
    asked = parser.parse_args(arguments)
    print(HEADING.format("configuration", "result", "states", "transitions", "seconds"))
    outcomes = explore_all(QUICK if asked.quick else FULL, asked.word)
    lives = lifetimes.QUICK if asked.quick else lifetimes.FULL
    outcomes += explore_small(lives, asked.word)
    outcomes += explore_small(stories.QUICK if asked.quick else stories.FULL, asked.word)
    first = break_all(FIRST_TWELVE, asked.word)
    more = break_all((*MORE, *HEARTBEAT, *CANCEL, *FOLLOW), asked.word)
    more += break_small([(it.claim, it.lifetime()) for it in lifetimes.MUTANTS], asked.word)
    more += break_small([(it.claim, it.story()) for it in stories.MUTANTS], asked.word)
    if not outcomes and not first + more:
        print(f"error: nothing is called {asked.word!r}; run without a word to see all names")
        return 2
    states = sum(outcome.states for outcome in outcomes)
    transitions = sum(outcome.transitions for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    wrong = sum(outcome.result != "ok" for outcome in outcomes)
    print(f"{len(outcomes)} configurations, {wrong} wrong, {seconds:.0f} seconds of one core")
    print(f"{states:,} states, {transitions:,} transitions")
    print(f"mutants caught {sum(first)}/{len(first)}, further mutants {sum(more)}/{len(more)}")
    return int(bool(wrong) or not all(first + more))


def explore_all(configurations: Iterable[Configuration], word: str) -> list[Outcome]:
    """Explore the configurations whose name holds the word."""
    outcomes = []
    for configuration in configurations:
        if word in configuration.name:
            outcomes.append(explore(configuration, MOST_STATES))
            print_row(configuration.name, outcomes[-1])
            print_trace(outcomes[-1])
    return outcomes


def break_all(mutants: Iterable[Broken], word: str) -> list[bool]:
    """Explore mutants; tell for each whether the invariant it breaks was seen to break."""
    caught = []
    for mutant in mutants:
        configuration = mutant.configuration()
        if word in configuration.name:
            outcome = explore(configuration, MOST_STATES)
            caught.append(outcome.broken.startswith(f"{mutant.invariant} "))
            print_row(f"{configuration.name}: {outcome.broken.partition(':')[0]}", outcome)
            if word or not caught[-1]:
                print_trace(outcome)
    return caught


def explore_space(space: Lifetime | Story) -> Outcome:
    if isinstance(space, Lifetime):
        return explore_history(space, MOST_LIVES)
    return explore_manifests(space, MOST_LIVES)


def explore_small(spaces: Iterable[Lifetime | Story], word: str) -> list[Outcome]:
    """Explore the histories, or folders of manifests, whose name holds the word."""
    outcomes = []
    for space in spaces:
        if word in space.name:
            outcomes.append(explore_space(space))
            print_row(space.name, outcomes[-1])
            print_trace(outcomes[-1])
    return outcomes


def break_small(mutants: Iterable[tuple[str, Lifetime | Story]], word: str) -> list[bool]:
    """Explore mutants of these, each with the claim that it breaks."""
    caught = []
    for claim, space in mutants:
        if word in space.name:
            outcome = explore_space(space)
            caught.append(outcome.broken.startswith(f"{claim} "))
            print_row(f"{space.name}: {outcome.broken.partition(':')[0]}", outcome)
            if word or not caught[-1]:
                print_trace(outcome)
    return caught


def print_row(name: str, outcome: Outcome) -> None:
    result = outcome.result
    row = ROW.format(name, result, outcome.states, outcome.transitions, outcome.seconds)
    print(row, flush=True)


def print_trace(outcome: Outcome) -> None:
    if outcome.broken:
        print(f"    {outcome.broken}")
    for number, words in enumerate(outcome.trace, 1):
        print(f"    {number:>3} {words}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
