"""The command line in the hands of a newcomer: wrong words, odd terminals, scripts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave.cli import main
from repave.cli.answer import print_table, table
from repave_lab import servers


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "repave", *words],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["status", "--json"], "Missing argument 's3://BUCKET/TABLE'."),
        (["history", "s3://lake/sales", "--limit", "x", "--json"], "'x' is not a valid integer"),
        (["files", "s3://lake/sales", "--versionn", "3", "--json"], "No such option"),
        (["statuss", "s3://lake/sales", "--json"], "Did you mean status?"),
    ],
)
def test_a_wrong_word_is_a_document_too(words: list[str], told: str) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    answer = json.loads(result.stdout)
    assert answer["error"] == "Usage"
    assert told in answer["message"]


def test_a_wrong_word_without_json_is_told_on_standard_error() -> None:
    result = CliRunner().invoke(main, ["status"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Missing argument" in result.stderr


def test_without_a_command_the_commands_are_listed() -> None:
    result = CliRunner().invoke(main, [])
    assert "recover" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_a_terminal_without_a_character_gets_its_number(encoding: str) -> None:
    words = ("conf", "--jar", "s3://jars/é–.jar", "--format", "properties")
    done = run(*words, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    dash = "–" if encoding == "utf-8" else r"\u2013"
    assert dash in done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_in_every_encoding(encoding: str) -> None:
    words = ("conf", "--jar", "s3://jars/é–.jar", "--json")
    done = run(*words, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode(encoding))["spark.jars"] == "s3://jars/é–.jar"


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_full_disk_is_told_in_one_sentence(as_json: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        words = (sys.executable, "-m", "repave", "conf", "--jar", "s3://jars/x.jar", *as_json)
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"repave: [Errno 28] No space left on device\n"


def test_an_answer_without_standard_output_is_no_traceback() -> None:
    program = f"exec {sys.executable} -m repave conf --jar s3://jars/x.jar --json >&-"
    done = subprocess.run(("sh", "-c", program), stderr=subprocess.PIPE, check=False)
    assert done.stderr == b""
    assert done.returncode == 0


def test_a_pipe_whose_reader_has_ended_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = (sys.executable, "-m", "repave", "conf", "--jar", "s3://jars/x.jar")
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""


def test_a_demo_on_a_server_that_is_not_there_says_which_there_are() -> None:
    result = CliRunner().invoke(main, ["demo", "--server", "azure"])
    assert result.exit_code == 2
    assert "'localstack', 'ministack', 'moto'" in result.stderr


def test_a_demo_on_a_server_that_is_not_installed_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(servers, "is_installed", lambda _name: False)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert "pip install -e . -e 'lab[servers]'" in result.stderr
    assert "Traceback" not in result.output


def test_a_table_is_not_shortened_for_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`repave cancel` takes the id of a commit, so the terminal has to show all of it."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    commit = "20261121T000002.000Z-636f6d6d-6974-2d30-3030-303032000000"
    grid = table("commit", "state", "token")
    grid.add_row(commit, "pending", "dag/task/run")
    grid.add_row(commit, "pending", "")
    print_table(grid)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [f"{commit}  pending  dag/task/run", f"{commit}  pending"]
