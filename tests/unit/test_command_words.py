"""The command line asks the jar in the words of contract/commands.json, which Java replays."""

from typing import Any

import pytest
from click.testing import CliRunner

from repave._errors import RepaveError
from repave._location import Location
from repave.cli import change, main
from unit.golden import COMMANDS

TYPED = [command for command in COMMANDS if "line" in command]


class RecordingSubmit:
    """Notes the words. It has no answer, so the command fails there."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def run(self, command: str, table: Location, *words: str, **_: Any) -> None:  # noqa: ANN401
        self.asked.append([command, str(table.with_scheme("s3a")), *words])
        message = "no JVM"
        raise RepaveError(message)


@pytest.mark.parametrize("command", TYPED, ids=lambda command: " ".join(command["line"]))
def test_a_command_asks_the_jar_in_these_words(
    monkeypatch: pytest.MonkeyPatch, command: dict[str, list[str]]
) -> None:
    submit = RecordingSubmit()
    monkeypatch.setattr(change, "prepare", lambda *_: submit)
    CliRunner().invoke(main, command["line"])
    assert submit.asked[0] == command["words"]
