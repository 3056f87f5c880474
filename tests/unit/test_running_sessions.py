"""How a builder is configured where Spark runs already: in a cell, or in a script."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from repave import UsageError
from repave._conf import FALLBACK_KEY, PLUGIN, PROTOCOL, PROTOCOL_KEY, RDD_SAVES
from repave._running import remember_given
from unit.fake_builder import FakeBuilder, bare_environment, configure, spark_home
from unit.fake_spark import FakeSpark


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare_environment(monkeypatch)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))


class RunningContext:
    """A SparkContext, or its class: what its JVM holds and how it was configured."""

    def __init__(self, *classes: str, **conf: str) -> None:
        jars = dict.fromkeys(classes, "repave.jar")
        self._jvm = FakeSpark(jars=jars)._jvm
        self._conf = {key.replace("__", "."): value for key, value in conf.items()}
        self._gateway = object()
        self._active_spark_context: RunningContext | None = None

    def getConf(self) -> "RunningContext":  # noqa: N802 - PySpark's name
        return self

    def getAll(self) -> list[tuple[str, str]]:  # noqa: N802 - PySpark's name
        return list(self._conf.items())

    def _ensure_initialized(self) -> None:
        pass


def run_pyspark(
    monkeypatch: pytest.MonkeyPatch, jvm: RunningContext, context: RunningContext | None = None
) -> None:
    jvm._active_spark_context = context
    pyspark = SimpleNamespace(SparkContext=jvm, SparkConf=lambda: jvm)
    monkeypatch.setitem(sys.modules, "pyspark", cast("Any", pyspark))


STARTED = {"spark__hadoop__fs__repave__impl": "io.repave.hadoop.RepaveFileSystem"}


def test_a_cell_that_runs_again_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    context = RunningContext(PROTOCOL, **STARTED, spark__hadoop__repave__lease="5s")
    run_pyspark(monkeypatch, context, context)
    assert set(configure(FakeBuilder(spark__app__name="x"), lease="5s")) == {
        "spark.app.name",
        PROTOCOL_KEY,
    }
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == ""


def test_a_cell_that_asks_for_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    context = RunningContext(PROTOCOL, **STARTED, spark__hadoop__repave__lease="5s")
    run_pyspark(monkeypatch, context, context)
    sentence = r"running already.*repave\.lease is 5s, but 9s is needed.*Stop it first"
    with pytest.raises(UsageError, match=sentence):
        configure(FakeBuilder(), lease="9s")
    with pytest.raises(UsageError, match=r"repave\.conflict is not set, but fail is needed"):
        configure(FakeBuilder(), conflict="fail")


def test_an_option_that_the_cell_no_longer_has_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = RunningContext(PROTOCOL, **STARTED, spark__hadoop__repave__lease="5s")
    run_pyspark(monkeypatch, context, context)
    configure(FakeBuilder(), lease="5s")
    told = r"JVM keeps spark\.hadoop\.repave\.lease=5s, .* Restart the process"
    with pytest.raises(UsageError, match=told):
        configure(FakeBuilder())
    # spark.stop() does not help: a context that starts in this JVM has the setting again.
    run_pyspark(monkeypatch, context)
    with pytest.raises(UsageError, match=told):
        configure(FakeBuilder())


def test_an_option_that_a_jvm_keeps_is_refused_after_a_second_value_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jvm = RunningContext(PROTOCOL, **STARTED, spark__hadoop__repave__lease="5s")
    run_pyspark(monkeypatch, jvm)
    configure(FakeBuilder(), lease="5s")
    # The next context has this value, and its JVM still the first one.
    configure(FakeBuilder(), lease="9s")
    with pytest.raises(UsageError, match=r"JVM keeps spark\.hadoop\.repave\.lease=5s, "):
        configure(FakeBuilder())


def test_rdd_saves_that_the_cell_no_longer_has_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saves = {key.replace(".", "__"): value for key, value in RDD_SAVES.items()}
    context = RunningContext(PROTOCOL, **STARTED, **saves)
    run_pyspark(monkeypatch, context, context)
    configure(FakeBuilder(), rdd_saves=True)
    with pytest.raises(UsageError, match=r"keeps spark\.hadoop\.mapred\.output\.committer\.class="):
        configure(FakeBuilder())
    configure(FakeBuilder(), rdd_saves=True)
    own = RunningContext(PROTOCOL, **STARTED, spark__hadoop__mapred__output__committer__class="Own")
    run_pyspark(monkeypatch, own, own)
    configure(FakeBuilder())


@pytest.mark.parametrize("running", [True, False])
def test_what_a_cell_sets_on_the_configured_builder_is_its_own_affair(
    monkeypatch: pytest.MonkeyPatch, *, running: bool
) -> None:
    conf = {"spark__hadoop__repave__readers": "snapshot", "spark__hadoop__repave__lease": "5s"}
    context = RunningContext(PROTOCOL, **STARTED, **conf)
    run_pyspark(monkeypatch, context, context if running else None)
    for _ in range(2):
        configure(FakeBuilder(), lease="5s")


@pytest.mark.parametrize("running", [True, False])
def test_what_the_site_or_the_builder_sets_is_no_option_that_was_taken_out(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    running: bool,
) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.hadoop.repave.lease 5s", "utf-8")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.hadoop.repave.drain=9s pyspark-shell")
    conf = {
        "spark__hadoop__repave__lease": "5s",
        "spark__hadoop__repave__drain": "9s",
        "spark__hadoop__repave__run": "run 1",
        # Made from the site's own protocol.
        FALLBACK_KEY.replace(".", "__"): "com.example.Own",
    }
    context = RunningContext(PROTOCOL, **STARTED, **conf)
    run_pyspark(monkeypatch, context, context if running else None)
    options = {"lease": "5s", "drain": "9s", "run": "run 1"}
    remember_given({f"spark.hadoop.repave.{name}": value for name, value in options.items()})
    configure(FakeBuilder(spark__hadoop__repave__run="run 1"))


def test_a_running_session_with_another_protocol_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = {"spark__sql__sources__commitProtocolClass": "com.example.Other"}
    context = RunningContext(PROTOCOL, **STARTED, **other)
    run_pyspark(monkeypatch, context, context)
    with pytest.raises(UsageError, match=r"commitProtocolClass is com\.example\.Other"):
        configure(FakeBuilder())


def test_a_running_context_without_the_jar_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    context = RunningContext()
    run_pyspark(monkeypatch, context, context)
    with pytest.raises(UsageError, match="started without Repave's jar"):
        configure(FakeBuilder())


def test_a_jvm_that_a_stopped_session_left_needs_the_jar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_pyspark(monkeypatch, RunningContext())
    with pytest.raises(UsageError, match="started without Repave's jar"):
        configure(FakeBuilder())
    run_pyspark(monkeypatch, RunningContext(PROTOCOL))
    assert configure(FakeBuilder())[PROTOCOL_KEY] == PROTOCOL


def test_a_script_of_spark_submit_needs_no_home_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a node of YARN, pyspark is in an archive, and nothing names the folder of Spark."""

    def nowhere(_environment: object) -> Path:
        message = "Spark was not found."
        raise UsageError(message)

    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    run_pyspark(monkeypatch, RunningContext(PROTOCOL))
    monkeypatch.setattr("repave._session.find_spark", nowhere)
    assert configure(FakeBuilder())[PROTOCOL_KEY] == PROTOCOL


def test_a_script_keeps_the_rules_beside_extensions_that_it_names_afterwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    run_pyspark(monkeypatch, RunningContext(PROTOCOL))
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path)))
    builder = FakeBuilder(spark__jars="a.jar")
    configure(builder)
    builder.config("spark.sql.extensions", "B")
    assert builder._options["spark.sql.extensions"] == "B,io.repave.spark.plan.RepaveExtensions"
    assert builder._options["spark.jars"] == "a.jar"


def test_a_script_whose_spark_submit_has_no_jar_is_told_before_its_session_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    run_pyspark(monkeypatch, RunningContext())
    with pytest.raises(
        UsageError, match=r"spark-submit started does not have Repave.*`spark-submit"
    ):
        configure(FakeBuilder())


def test_what_spark_submit_was_given_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    home = spark_home(tmp_path)
    # spark-submit has not read it, because it was given a --properties-file.
    (home / "conf").mkdir(exist_ok=True)
    (home / "conf" / "spark-defaults.conf").write_text("spark.plugins com.example.Other", "utf-8")
    monkeypatch.setenv("SPARK_HOME", str(home))
    given = {
        "spark__plugins": "com.example.Own",
        "spark__sql__sources__commitProtocolClass": "com.example.Protocol",
        "spark__sql__sources__useListFilesFileSystemList": "s3a,gs",
        "spark__hadoop__repave__run": "run 1",
    }
    run_pyspark(monkeypatch, RunningContext(PROTOCOL, **given))
    conf = configure(FakeBuilder(), rdd_saves=True)
    assert conf["spark.plugins"] == f"com.example.Own,{PLUGIN}"
    assert (conf[PROTOCOL_KEY], conf[FALLBACK_KEY]) == (PROTOCOL, "com.example.Protocol")
    assert "spark.sql.sources.useListFilesFileSystemList" not in conf
    with pytest.raises(UsageError, match="is set to run 1, but run 2 is needed"):
        configure(FakeBuilder(), run="run 2")


def test_a_script_under_spark_submit_leaves_the_jars_to_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    run_pyspark(monkeypatch, RunningContext(PROTOCOL))
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")))
    conf = configure(FakeBuilder(spark__jars="a.jar"), connector="auto")
    assert conf[PROTOCOL_KEY] == "io.repave.spark.RepaveCommitProtocol"
    assert conf["spark.jars"] == "a.jar"
    assert "spark.jars.packages" not in conf
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == ""
