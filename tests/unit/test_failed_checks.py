"""A monitoring command exits with 1 only if a table needs attention, not if its check failed."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from repave._errors import UsageError
from repave._jar_command import Submit
from repave._location import Location
from repave.cli import fleet, main
from unit.record_files import THIRD, head
from unit.test_fleet import unfinished

pytestmark = pytest.mark.usefixtures("credentials")
TABLE = Location.of("s3://lake/sales")


class StubWalk:
    """Finds one table, which has a commit that has been unfinished for an hour."""

    def __init__(self, *_: object) -> None:
        self.requests = Counter({"get": 1})

    def tables(self) -> Iterator[tuple[Location, dict[str, Any]]]:
        known = {"last-commit": THIRD, "missed": {}, "followers": []}
        commit = unfinished(timedelta(hours=1))
        yield TABLE, {**head(version=1), **known, "active": [commit]}


def walked(monkeypatch: pytest.MonkeyPatch, *words: str) -> Result:
    monkeypatch.setattr(fleet, "TableWalk", StubWalk)
    command, *rest = words
    return CliRunner().invoke(main, [command, "s3://lake/", *rest])


@pytest.mark.parametrize("words", [("status", "--recursive"), ("recover", "--all")])
def test_an_age_before_all_commits_leaves_all_of_them_in_order(
    words: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = walked(monkeypatch, *words, "--older-than", "999999d")
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_same_commit_needs_attention_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert walked(monkeypatch, "status", "--recursive").exit_code == 1


def test_a_jvm_that_the_system_does_not_start_exits_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unstarted:
        def run(self, *_: object) -> None:
            raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(fleet, "prepare", lambda *_arguments: Unstarted())
    result = walked(monkeypatch, "recover", "--all")
    assert result.exit_code == 2
    assert "Cannot allocate memory" in result.stderr


@pytest.mark.parametrize("is_there", [False, True])
def test_a_spark_that_cannot_be_started_is_named(tmp_path: Path, *, is_there: bool) -> None:
    if is_there:  # but nobody may run it
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "spark-submit").touch(0o644)
    submit = Submit(tmp_path, Path("/j/repave.jar"), {}, {})
    with pytest.raises(UsageError, match=r"bin/spark-submit cannot be started .* set SPARK_HOME"):
        submit.run("recover", TABLE)
