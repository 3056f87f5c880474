"""The embedded servers answer as declared; the tests that rely on a dialect rely on this."""

import dataclasses

import pytest

from repave.lab.dialects import AMAZON, DIALECTS, Dialect
from repave.lab.probe import CHECKS, differences, observe
from repave.lab.servers import RECIPES, embedded_s3, is_installed


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_server_answers_in_its_declared_dialect(name: str) -> None:
    if not is_installed(name):
        pytest.skip(f"{name} is not installed: it is optional")
    with embedded_s3(name) as server:
        assert differences(server.dialect, observe(server.client())) == []


def test_there_is_one_check_for_each_answer() -> None:
    assert set(CHECKS) == {field.name for field in dataclasses.fields(Dialect)}
    assert set(DIALECTS) == set(RECIPES)


def test_a_difference_is_told_in_a_sentence() -> None:
    odd = dataclasses.replace(AMAZON, complete_replay=404, uploads_dated=False)
    assert differences(AMAZON, odd) == [
        "complete_replay is 404, declared as 200",
        "uploads_dated is False, declared as True",
    ]


def test_no_server_lets_a_stale_writer_win() -> None:
    # The commit's decision rests on it: a server without it is of no use even to a test.
    for name in ("put_if_none_match", "put_if_match_stale", "create_race_winners"):
        assert {getattr(dialect, name) for dialect in DIALECTS.values()} == {getattr(AMAZON, name)}
    assert {dialect.swap_race_winners for dialect in DIALECTS.values()} == {1}
