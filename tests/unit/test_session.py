"""How a builder is configured: what is added, what is kept, what is refused."""

import os
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import repave
from repave import UsageError
from repave._conf import PROTOCOL_KEY


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


def launched_jars() -> str:
    """Return the list of jars that spark-submit will be started with."""
    words = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert words[-1] == "pyspark-shell"
    (found,) = [word for word in words if word.startswith("spark.jars=")]
    assert words[words.index(found) - 1] == "--conf"
    return found.removeprefix("spark.jars=")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set first, so that what a test leaves in it is taken back.
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "")
    for name in (
        "HADOOP_CLASSPATH",
        "PYSPARK_GATEWAY_PORT",
        "SPARK_CONF_DIR",
        "SPARK_DIST_CLASSPATH",
        "SPARK_HOME",
        "SPARK_REMOTE",
    ):
        monkeypatch.delenv(name, raising=False)


def spark_home(folder: Path, *jars: str) -> Path:
    (folder / "jars").mkdir()
    for jar in jars:
        (folder / "jars" / jar).touch()
    return folder


def test_the_jar_is_appended_to_the_users_own() -> None:
    configure(FakeBuilder(spark__jars="a.jar, b.jar"))
    assert launched_jars() == "a.jar,b.jar,/j/repave.jar"


def test_no_list_on_the_builder_hides_what_spark_fetches_for_executors() -> None:
    assert "spark.jars" not in configure(FakeBuilder(spark__jars="a.jar"))


def test_configuring_twice_changes_nothing() -> None:
    builder = FakeBuilder(spark__jars="a.jar")
    once = dict(configure(builder)), launched_jars()
    assert (configure(builder), launched_jars()) == once


def test_other_submit_arguments_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = "--conf spark.jars=c.jar --name 'my job' --packages=g:a:1 pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    configure(FakeBuilder(spark__jars="a.jar"))
    assert launched_jars() == "a.jar,c.jar,/j/repave.jar"
    words = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert words[2:] == ["--name", "my job", "--packages", "g:a:1", "pyspark-shell"]


def test_a_script_under_spark_submit_leaves_the_jars_to_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")))
    conf = configure(FakeBuilder(spark__jars="a.jar"), connector="auto")
    assert conf[PROTOCOL_KEY] == "io.repave.spark.RepaveCommitProtocol"
    assert conf["spark.jars"] == "a.jar"
    assert "spark.jars.packages" not in conf
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == ""


def test_the_sites_defaults_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars /site.jar\n", "utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    configure(FakeBuilder())
    assert launched_jars() == "/site.jar,/j/repave.jar"


def test_the_defaults_of_an_installation_without_a_variable_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.jars=/site.jar", "utf-8")
    monkeypatch.setattr("repave._session.find_spark", lambda _environment: tmp_path)
    configure(FakeBuilder())
    assert launched_jars() == "/site.jar,/j/repave.jar"


def test_another_commit_protocol_is_refused_and_stays() -> None:
    builder = FakeBuilder()
    builder.config(PROTOCOL_KEY, "com.example.Other")
    with pytest.raises(UsageError, match=r"set to com\.example\.Other, so Repave would not run"):
        configure(builder)
    assert builder._options == {PROTOCOL_KEY: "com.example.Other"}


def test_an_option_set_twice_is_refused() -> None:
    builder = FakeBuilder(spark__hadoop__repave__token="run 1")
    with pytest.raises(UsageError, match="is set to run 1, and run 2 is asked for"):
        configure(builder, token="run 2")


def test_a_running_context_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    running = SimpleNamespace(SparkContext=SimpleNamespace(_active_spark_context=object()))
    monkeypatch.setitem(sys.modules, "pyspark", cast("Any", running))
    with pytest.raises(UsageError, match="running already"):
        configure(FakeBuilder())


def test_a_connect_session_is_sent_to_its_server() -> None:
    with pytest.raises(UsageError, match="Spark Connect server"):
        configure(FakeBuilder(spark__remote="sc://host"))


@pytest.mark.parametrize("arguments", ["--jars x.jar pyspark-shell", "--jars=x.jar pyspark-shell"])
def test_submit_arguments_that_would_hide_the_jar_are_named(
    arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    with pytest.raises(UsageError, match=r"hides spark\.jars: add /j/repave\.jar"):
        configure(FakeBuilder())


def test_the_connector_fits_the_hadoop_of_the_installed_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")
    monkeypatch.setenv("SPARK_HOME", str(home))
    conf = configure(FakeBuilder(), connector="auto")
    assert "org.apache.hadoop:hadoop-aws:3.3.4" in conf["spark.jars.packages"].split(",")
    assert "com.amazonaws:aws-java-sdk-bundle" in conf["spark.jars.excludes"].split(",")


def test_a_connector_that_is_there_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = spark_home(tmp_path, "hadoop-client-api-3.3.4.jar", "hadoop-aws-3.3.4.jar")
    monkeypatch.setenv("SPARK_HOME", str(home))
    assert "spark.jars.packages" not in configure(FakeBuilder(), connector="auto")
    assert "spark.jars.packages" in configure(FakeBuilder(), connector="packages")


def test_a_connector_that_the_user_asks_for_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")))
    own = "org.apache.hadoop:hadoop-aws:3.3.4"
    conf = configure(FakeBuilder(spark__jars__packages=own), connector="auto")
    assert conf["spark.jars.packages"] == own


def test_a_spark_without_hadoop_takes_the_clusters_connector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "spark-core_2.13-4.0.5.jar")))
    assert "spark.jars.packages" not in configure(FakeBuilder(), connector="auto")


def test_a_vendors_hadoop_keeps_its_own_connector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor = spark_home(tmp_path, "hadoop-client-api-3.3.6-amzn-1.jar")
    monkeypatch.setenv("SPARK_HOME", str(vendor))
    assert "spark.jars.packages" not in configure(FakeBuilder(), connector="auto")


def test_an_unknown_hadoop_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-9.9.9.jar")))
    with pytest.raises(UsageError, match=r"No connector is known for Hadoop 9\.9\.9"):
        configure(FakeBuilder(), connector="auto")
