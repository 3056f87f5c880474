"""A session's builder without PySpark, and where it looks for Spark."""

from pathlib import Path
from typing import Any, cast

import pytest

import repave


class FakeBuilder:
    """Holds options as pyspark's builder does."""

    def __init__(self, **options: str) -> None:
        self._options = {key.replace("__", "."): value for key, value in options.items()}

    def config(self, key: str, value: str) -> "FakeBuilder":
        self._options[key] = value
        return self


def configure(builder: FakeBuilder, **options: Any) -> dict[str, str]:  # noqa: ANN401
    options = {"jar": "/j/repave.jar", "connector": None, **options}
    returned: object = repave.configure_session(cast("Any", builder), **options)
    assert returned is builder
    return builder._options


def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what says where Spark is, and what it starts with."""
    # Set first, so that what a test leaves in it is taken back.
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "")
    for name in (
        "PYSPARK_GATEWAY_PORT",
        "SPARK_CONF_DIR",
        "SPARK_DIST_CLASSPATH",
        "SPARK_HOME",
        "SPARK_REMOTE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("repave._running._GIVEN", set())


def spark_home(folder: Path, *jars: str) -> Path:
    """Make a Spark with these jars."""
    (folder / "jars").mkdir()
    for jar in jars:
        (folder / "jars" / jar).touch()
    return folder
