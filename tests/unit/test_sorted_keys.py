"""Keys are sorted in temporary files, of which there are never many."""

from contextlib import closing
from random import Random

from repave._sorted_keys import RUNS_MAX, SortedKeys


def test_many_runs_become_one_and_the_smallest_number_of_a_key_counts() -> None:
    random = Random(7)  # noqa: S311 - no secret
    added = [(f"part={random.randrange(900)}\n", random.randrange(9)) for _ in range(3_000)]
    expected = {key: min(n for one, n in added if one == key) for key, _ in added}
    with closing(SortedKeys(in_memory=10)) as keys:
        most = 0
        for key, number in added:
            keys.add(key, number)
            most = max(most, len(keys._runs))
        assert list(keys) == sorted(expected.items())
        assert list(keys) == sorted(expected.items())
    assert most == RUNS_MAX - 1
