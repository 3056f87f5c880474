"""A Spark whose spark-submit is a Python program, for the commands that start a JVM."""

import json
import sys
from pathlib import Path

import pytest


def spark_home(folder: Path, program: str) -> Path:
    """Make a Spark whose spark-submit is a Python program; `line` is its command line."""
    submit = folder / "bin" / "spark-submit"
    submit.parent.mkdir()
    (folder / "jars").mkdir()
    (folder / "jars" / "hadoop-client-api-3.5.0.jar").touch()
    head = f"#!{sys.executable}\nimport json, os, pathlib, sys\nline = sys.argv[1:]\n"
    find = "answer = pathlib.Path(next(word for word in line if word.endswith('answer.json')))\n"
    submit.write_text(head + find + program, "utf-8")
    submit.chmod(0o755)
    return folder


def answering(document: object) -> str:
    return f"answer.write_text({json.dumps(document)!r})\n"


def use_spark(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands find a Spark, a jar and credentials in the environment."""
    (home / "repave.jar").touch()
    monkeypatch.setenv("REPAVE_JAR", str(home / "repave.jar"))
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
