"""What `repave conf` prints for spark-submit, as a shell passes it on."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import repave
from repave.cli import main, setup

JAR = ("--jar", "s3://jars/repave.jar")
FAILED = "--repave-conf-failed"


def submitted(folder: Path, *words: str) -> tuple[list[str], str]:
    """Run a script of bash; return what its spark-submit is given, and standard error."""
    submit = folder / "spark-submit"
    submit.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', "utf-8")
    submit.chmod(0o755)
    conf = shlex.join([sys.executable, "-m", "repave", "conf", *words])
    done = subprocess.run(
        ["bash", "-c", f"set -e; spark-submit $({conf}) job.py"],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(), done.stderr


def test_spark_submit_is_given_each_key_with_its_value(tmp_path: Path) -> None:
    words, _ = submitted(tmp_path, *JAR, "--connector", "4.3", "--part-size", "16m")
    assert words.pop() == "job.py"
    assert words[0::2] == ["--conf"] * (len(words) // 2)
    keys = repave.spark_conf(jar=JAR[1], connector="4.3", part_size="16m")
    assert dict(pair.split("=", 1) for pair in words[1::2]) == keys


@pytest.mark.parametrize("run", ["dag/x#1", "it's;$HOME", "a\\b", "{x}&(y)|~"])
def test_a_value_reaches_spark_submit_without_quotes(tmp_path: Path, run: str) -> None:
    words, _ = submitted(tmp_path, *JAR, "--run", run)
    assert words[-2:] == [f"spark.hadoop.repave.run={run}", "job.py"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--connector", "5.0"), "No connector is known for Spark 5.0"),
        (("--bogus",), "No such option '--bogus'"),
        (("--part-size", "much"), "repave.part.size=much is not possible"),
        (("--format", "spark-submit", "--jar", ""), "jar (--jar) is empty"),
        (("--run", "run 7"), "cannot pass it to spark-submit: 'run 7'. Use `repave submit`"),
        (("--run", "dt=*"), "cannot pass it to spark-submit: 'dt=*'. Use `repave submit`"),
    ],
)
def test_a_conf_that_fails_gives_spark_submit_a_word_that_it_refuses(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    given, errors = submitted(tmp_path, *JAR, *words)
    assert given == [FAILED, "job.py"]
    assert told in errors


@pytest.mark.parametrize(
    "form",
    [("--format", "properties"), ("--format=properties",), ("--format", "python"), ("--json",)],
)
@pytest.mark.parametrize("wrong", [("--bogus",), ("--part-size", "much")])
def test_a_conf_that_fails_in_another_format_prints_no_such_word(
    form: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(main, ["conf", *JAR, *form, *wrong])
    assert result.exit_code == 2
    assert FAILED not in result.output


def test_help_is_no_failure() -> None:
    assert FAILED not in CliRunner().invoke(main, ["conf", "--help"]).output


def test_a_terminal_shows_no_word_and_quotes_values_to_paste(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(setup, "on_terminal", lambda: True)
    shown = CliRunner().invoke(main, ["conf", *JAR, "--run", "run 7"])
    assert "spark.hadoop.repave.run=run 7" in shlex.split(shown.stdout)
    failed = CliRunner().invoke(main, ["conf", *JAR, "--bogus"])
    assert (failed.exit_code, failed.stdout) == (2, "")


def test_a_conf_that_is_interrupted_fails_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_keys: object) -> dict[str, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(setup, "spark_conf", interrupted)
    assert CliRunner().invoke(main, ["conf", *JAR]).stdout.splitlines()[0] == FAILED
