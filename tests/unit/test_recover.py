"""`repave recover` where there is nothing to recover."""

import json

import pytest
from click.testing import CliRunner, Result

from repave.cli import change, main
from unit.fake_s3 import FakeS3
from unit.golden import GoldenS3

NOTHING = {"version": 0, "commits": []}


def recover(monkeypatch: pytest.MonkeyPatch, store: FakeS3, table: str, *words: str) -> Result:
    monkeypatch.setattr("repave.cli.store.client", lambda *_: store)
    monkeypatch.setattr(change, "run_in_jvm", lambda *_: NOTHING)
    return CliRunner().invoke(main, ["recover", table, *words])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "s3://lake/sales: there is no Repave table here"),
        (("--json",), json.dumps(NOTHING, indent=2)),
    ],
)
def test_a_folder_that_is_no_table_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    """A misspelled path must not look like a table that is recovered."""
    result = recover(monkeypatch, FakeS3(), "s3://lake/sales", *words)
    assert told in result.stdout
    assert result.exit_code == 1


def test_a_table_without_a_version_exits_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    state = "first-commit-pending"
    result = recover(monkeypatch, GoldenS3(state), f"s3://lake/{state}")
    assert result.stdout.splitlines() == [
        "There was nothing to recover.",
        f"Repave has published nothing in s3://lake/{state}.",
    ]
    assert result.exit_code == 0
