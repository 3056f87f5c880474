"""The embedded servers answer as declared; the tests that rely on a dialect rely on this."""

import dataclasses
import re
from typing import TYPE_CHECKING

import pytest

from repave._store_checks import store_checks
from repave_lab.dialects import AMAZON, DIALECTS, Dialect
from repave_lab.probe import CHECKS, conditions, differences, observe
from repave_lab.probe.bucket import ProbeBucket
from repave_lab.servers import RECIPES, embedded_s3, is_installed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

RACE = re.compile("race_winners|create-race|swap-race")


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_server_answers_in_its_declared_dialect(name: str) -> None:
    if not is_installed(name):
        pytest.skip(f"{name} is not installed: it is optional")
    with embedded_s3(name) as server:
        found = differences(server.dialect, observe(server.client()))
    # moto has no lock: now and then, on a busy machine, several racers win.
    assert [one for one in found if name != "moto" or not RACE.search(one)] == []


def test_there_is_one_check_for_each_answer() -> None:
    assert set(CHECKS) == {field.name for field in dataclasses.fields(Dialect)}
    assert set(DIALECTS) == set(RECIPES)


def test_a_difference_is_told_in_a_sentence() -> None:
    odd = dataclasses.replace(AMAZON, complete_replay=404, uploads_dated=False)
    assert differences(AMAZON, odd) == [
        "complete_replay is 404, declared as 200",
        "uploads_dated is False, declared as True",
    ]


def test_a_refused_write_that_was_made_all_the_same_counts_as_made(
    direct: "S3Client", bucket: str
) -> None:
    probed = ProbeBucket(direct, bucket)
    probed.put("k", b"old")
    assert conditions.if_unchanged(probed, "k", 412) == 412
    probed.put("k", b"new")
    assert conditions.if_unchanged(probed, "k", 412) == 200


def test_no_server_lets_a_stale_writer_win() -> None:
    # The commit's decision rests on it: a server without it is of no use even to a test.
    for name in ("put_if_none_match", "put_if_match_stale", "create_race_winners"):
        assert {getattr(dialect, name) for dialect in DIALECTS.values()} == {getattr(AMAZON, name)}
    assert {dialect.swap_race_winners for dialect in DIALECTS.values()} == {1}


def test_the_jar_refuses_no_embedded_server() -> None:
    failed = {check for dialect in DIALECTS.values() for check in dialect.failed_checks}
    assert {store_checks()[check].need for check in failed} == {"none"}
