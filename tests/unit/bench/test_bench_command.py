import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave.cli import main
from repave.lab import bench_command

COMMAND = "from repave.cli import main; main()"


def test_the_command_runs_the_clones_benchmark_from_anywhere(tmp_path: Path) -> None:
    arguments = ["bench", "report", "--results", "none.jsonl"]
    told = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=tmp_path,
        env={"PYTHONPATH": str(bench_command.CLONE / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (
        1,
        "There is no none.jsonl: nothing was measured yet.\n",
    )


def test_without_a_clone_it_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench_command, "CLONE", tmp_path)
    result = CliRunner().invoke(main, ["bench", "--repeats", "3"])
    assert result.exit_code == 2
    assert "needs a clone of the project" in result.stderr
