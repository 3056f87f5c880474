import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave.cli import main
from repave_lab import commands

COMMAND = "from repave.cli import main; main()"


def test_the_command_runs_the_clones_benchmark_from_anywhere(tmp_path: Path) -> None:
    arguments = ["bench", "report", "--results", "none.jsonl"]
    told = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(str(commands.CLONE / it) for it in ("python", "lab"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (
        1,
        "There is no none.jsonl: nothing was measured yet.\n",
    )


def test_a_command_that_cannot_run_here_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert set(commands.runnable_commands()) == {"bench", "demo"}
    monkeypatch.setattr(commands, "CLONE", tmp_path)
    monkeypatch.setattr(commands, "READERS_OF_THE_DEMO", ("pyspark", "not_there"))
    assert commands.runnable_commands() == {}
    result = CliRunner().invoke(main, ["bench", "--repeats", "3"])
    assert result.exit_code == 2
    assert "No such command 'bench'" in result.stderr
