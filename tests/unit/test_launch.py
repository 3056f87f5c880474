"""A properties file in PYSPARK_SUBMIT_ARGS is the one that PySpark's spark-submit will read."""

from pathlib import Path

import pytest

from repave import UsageError
from repave._conf import FALLBACK_KEY, PROTOCOL, PROTOCOL_KEY
from unit.fake_builder import FakeBuilder, configure
from unit.test_session import launched_jars

READERS = "spark.hadoop.repave.readers"


@pytest.fixture(autouse=True)
def _site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site's defaults, and a file of its own in the working directory."""
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /site.jar\nspark.x 1\n", "utf-8")
    own = f"spark.jars /opt/own.jar\n{PROTOCOL_KEY} com.example.Own\n{READERS} snapshot\n"
    (tmp_path / "own.conf").write_text(own, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for name in ("PYSPARK_GATEWAY_PORT", "SPARK_HOME", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)


def use(monkeypatch: pytest.MonkeyPatch, options: str) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{options} pyspark-shell")


def test_the_keys_of_the_file_are_kept_joined_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "--properties-file own.conf")
    conf = configure(FakeBuilder())
    assert launched_jars() == "/opt/own.jar,/j/repave.jar"
    assert (conf[PROTOCOL_KEY], conf[FALLBACK_KEY]) == (PROTOCOL, "com.example.Own")
    with pytest.raises(UsageError, match=f"{READERS} is set to snapshot, but listing is needed"):
        configure(FakeBuilder(), readers="listing")


def test_the_file_takes_the_place_of_the_defaults_unless_both_are_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("own.conf").write_text("spark.y 2\n", "utf-8")
    use(monkeypatch, "--properties-file=own.conf")
    configure(FakeBuilder())
    assert launched_jars() == "/j/repave.jar"
    use(monkeypatch, "--load-spark-defaults --properties-file own.conf")
    configure(FakeBuilder())
    assert launched_jars() == "/site.jar,/j/repave.jar"


def test_a_file_that_is_absent_is_told_with_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "--conf spark.hadoop.fs.s3a.secret.key=s3cr3t --properties-file none.conf")
    told = r"^PYSPARK_SUBMIT_ARGS cannot be used\. The properties file none\.conf does not exist"
    with pytest.raises(UsageError, match=told) as raised:
        configure(FakeBuilder())
    assert "s3cr3t" not in str(raised.value)
