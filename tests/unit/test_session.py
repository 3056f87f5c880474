"""How a builder is configured: what is added, what is kept, what is refused."""

import os
import shlex
from pathlib import Path
from typing import Any, cast

import pytest

import repave
from repave import UsageError
from repave._conf import FALLBACK_KEY, PLUGIN, PROTOCOL, PROTOCOL_KEY, RDD_SAVES
from unit.fake_builder import FakeBuilder, bare_environment, configure, spark_home
from unit.fake_spark import FakeSpark

SECRET = "--conf spark.hadoop.fs.s3a.secret.key=s3cr3t"


def launched_jars() -> str:
    """Return the list of jars that spark-submit will be started with."""
    words = shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])
    assert words[-1] == "pyspark-shell"
    (found,) = [word for word in words if word.startswith("spark.jars=")]
    assert words[words.index(found) - 1] == "--conf"
    return found.removeprefix("spark.jars=")


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    bare_environment(monkeypatch)


def test_the_jar_is_appended_to_the_users_own() -> None:
    configure(FakeBuilder(spark__jars="a.jar, b.jar"))
    assert launched_jars() == "a.jar,b.jar,/j/repave.jar"


def test_an_empty_jar_is_refused() -> None:
    with pytest.raises(UsageError, match=r"jar \(--jar\) is empty"):
        configure(FakeBuilder(), jar="")


@pytest.mark.parametrize("wrong", [None, "local[2]", FakeSpark()])
def test_what_is_no_builder_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"takes a builder, such as SparkSession\.builder, not"):
        repave.configure_session(cast("Any", wrong))


def test_rdd_saves_are_switched_on_apart_and_keep_the_sites_plugins() -> None:
    plain = configure(FakeBuilder(spark__plugins="com.example.Own"))
    assert plain["spark.plugins"] == "com.example.Own"
    assert not [key for key in plain if "mapred" in key]
    saves = configure(FakeBuilder(spark__plugins="com.example.Own"), rdd_saves=True)
    assert saves["spark.plugins"] == f"com.example.Own,{PLUGIN}"
    assert {key: saves[key] for key in RDD_SAVES} == RDD_SAVES
    key = "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a"
    with pytest.raises(UsageError, match=f"{key} is set to com.example.Factory, but"):
        configure(FakeBuilder(**{key.replace(".", "__"): "com.example.Factory"}), rdd_saves=True)


def test_repave_paths_are_listed_by_one_call_unless_the_site_has_its_own_list() -> None:
    key = "spark.sql.sources.useListFilesFileSystemList"
    assert configure(FakeBuilder())[key] == "s3a,repave"
    assert configure(FakeBuilder(**{key.replace(".", "__"): "s3a,gs"}))[key] == "s3a,gs"


def test_the_rules_join_extensions_that_are_set_before_or_afterwards() -> None:
    key, ours = "spark.sql.extensions", "io.repave.spark.plan.RepaveExtensions"
    assert configure(FakeBuilder())[key] == ours
    assert configure(FakeBuilder(**{key.replace(".", "__"): "A"}))[key] == f"A,{ours}"
    after = FakeBuilder()
    configure(after)
    after.config(key, "B")
    assert after._options[key] == f"B,{ours}"


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


def test_a_value_that_looks_like_an_option_stays_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    java = "--add-opens=java.base/java.lang=ALL-UNNAMED -Dx=1"
    own = ["--driver-java-options", java, "--name", "--conf=x", "--verbose", "pyspark-shell"]
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", shlex.join(own))
    configure(FakeBuilder())
    assert launched_jars() == "/j/repave.jar"
    assert shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])[2:] == own


def test_a_submit_argument_without_its_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{SECRET} --jars")
    told = r"^PYSPARK_SUBMIT_ARGS cannot be used\. The option --jars of spark-submit needs a value"
    with pytest.raises(UsageError, match=told) as raised:
        configure(FakeBuilder())
    assert "s3cr3t" not in str(raised.value)


def test_an_option_that_spark_does_not_know_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "-Dfs.s3a.secret.key=s3cr3t")
    told = r"The option -Dfs\.s3a\.secret\.key of spark-submit needs a value, and none follows"
    with pytest.raises(UsageError, match=told):
        configure(FakeBuilder())


@pytest.mark.parametrize("open_end", ["'job", '"job', "\\"])
def test_submit_arguments_with_an_open_quote_are_refused(
    monkeypatch: pytest.MonkeyPatch, open_end: str
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{SECRET} --name {open_end}")
    told = r"^PYSPARK_SUBMIT_ARGS cannot be split into words \(No .*\): correct its quotes\.$"
    with pytest.raises(UsageError, match=told):
        configure(FakeBuilder())


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


def test_the_sites_own_commit_protocol_becomes_the_fallback() -> None:
    builder = FakeBuilder()
    builder.config(PROTOCOL_KEY, "com.example.Other")
    expected = {PROTOCOL_KEY: PROTOCOL, FALLBACK_KEY: "com.example.Other"}
    for _ in range(2):
        assert expected.items() <= configure(builder).items()
    again = FakeBuilder()
    again.config(PROTOCOL_KEY, "com.example.Other")
    with pytest.raises(UsageError, match=r"set to com\.example\.Mine, but com.* is needed"):
        configure(again.config(FALLBACK_KEY, "com.example.Mine"), fallback_protocol="com.example.X")


def test_an_option_set_twice_is_refused() -> None:
    builder = FakeBuilder(spark__hadoop__repave__run="run 1")
    with pytest.raises(UsageError, match="is set to run 1, but run 2 is needed"):
        configure(builder, run="run 2")


def test_what_is_set_on_the_builder_afterwards_is_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")
    monkeypatch.setenv("SPARK_HOME", str(home))
    before = FakeBuilder(spark__jars="a.jar", spark__jars__packages="g:a:1")
    wanted = configure(before, connector="auto"), launched_jars()
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "")
    after = FakeBuilder()
    configure(after, connector="auto")
    after.config("spark.jars.packages", "g:a:1").config("spark.jars", "a.jar")
    assert after._options == wanted[0]
    assert sorted(launched_jars().split(",")) == sorted(wanted[1].split(","))


def test_a_connector_named_afterwards_takes_the_place_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")))
    builder = FakeBuilder()
    configure(builder, connector="auto")
    builder.config("spark.jars.packages", "org.apache.hadoop:hadoop-aws:3.3.4")
    assert builder._options["spark.jars.packages"] == "org.apache.hadoop:hadoop-aws:3.3.4"
    assert "spark.jars.excludes" not in builder._options


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


def test_a_connector_is_there_if_pyspark_starts_its_jvm_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(spark_home(tmp_path, "hadoop-client-api-3.3.4.jar")))
    arguments = "--driver-class-path /opt/hadoop-aws-3.3.4.jar pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    assert "spark.jars.packages" not in configure(FakeBuilder(), connector="auto")


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
    with pytest.raises(
        UsageError, match=r"No connector is known for Hadoop 9\.9\.9 .*--connector none"
    ):
        configure(FakeBuilder(), connector="auto")
