"""`repave submit` and `repave conf`: the user's lists and ours end up in one."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from repave._conf import FALLBACK_KEY, PROTOCOL, PROTOCOL_KEY
from repave._defaults import read_properties
from repave._jar_command import prepare
from repave._spark_submit import Submission
from repave.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Spark without a connector, and a jar."""
    for folder, file in (("jars", "hadoop-client-api-3.3.4.jar"), ("conf", "x"), (".", "r.jar")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / file).touch()
    for name in ("SPARK_CONF_DIR", "SPARK_DIST_CLASSPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setenv("REPAVE_JAR", str(tmp_path / "r.jar"))
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def submitted(*words: str) -> Submission:
    """Return what spark-submit would get."""
    result = run("submit", "--dry-run", *words)
    assert result.exit_code == 0, result.output
    program, *line = shlex.split(result.stdout)
    assert program.endswith("/bin/spark-submit")
    return Submission.of(line)


def of_a_command(**own: str) -> dict[str, str]:
    """Return the conf of a command in the JVM; `own` is what its --conf sets."""
    conf = {key.replace("__", "."): value for key, value in own.items()}
    line = prepare("lake", None, None, {}, conf).line(Path("answer.json"), "recover")
    return Submission.of(line[1:]).conf()


@pytest.fixture
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


def test_lists_of_every_kind_are_joined(home: Path) -> None:
    extensions = ("--conf", "spark.sql.extensions=A", "-c", "spark.sql.extensions=B,A")
    lists = ("--jars", "x.jar", "--jars=y.jar", "--conf", "spark.jars=z.jar", "--packages", "g:a:1")
    found = submitted("--connector", "none", *lists, *extensions, "job.py")
    assert found.conf()["spark.jars"] == f"x.jar,y.jar,z.jar,{home}/r.jar"
    assert found.conf()["spark.jars.packages"] == "g:a:1"
    ours = "io.repave.spark.plan.RepaveExtensions"
    assert found.conf()["spark.sql.extensions"] == f"A,B,{ours}"
    assert {option[0] for option in found.options} == {"--conf"}, "a flag would hide a list"
    keys = [option[1].partition("=")[0] for option in found.options]
    assert len(keys) == len(set(keys)), "of two settings one is hidden"


def test_the_connector_comes_beside_the_users_packages() -> None:
    packages = submitted("--packages", "g:a:1", "job.py").conf()["spark.jars.packages"].split(",")
    assert packages[0] == "g:a:1"
    assert "org.apache.hadoop:hadoop-aws:3.3.4" in packages


def test_the_sites_lists_are_kept(home: Path) -> None:
    (home / "conf" / "spark-defaults.conf").write_text("spark.jars /site.jar,\\\n  /b.jar\n")
    assert submitted("job.py").conf()["spark.jars"] == f"/site.jar,/b.jar,{home}/r.jar"
    own = home / "own.conf"
    own.write_text("spark.jars /own.jar\n", "utf-8")
    named = submitted("--properties-file", str(own), "job.py")
    assert named.conf()["spark.jars"] == f"/own.jar,{home}/r.jar"
    assert ("--properties-file", str(own)) in named.options


@pytest.mark.usefixtures("_credentials")
def test_a_command_keeps_the_sites_packages_and_the_users(home: Path) -> None:
    lists = "spark.jars.packages com.site:x:1\nspark.jars.excludes com.site:y\n"
    (home / "conf" / "spark-defaults.conf").write_text(lists, "utf-8")
    for conf in (of_a_command(), submitted("job.py").conf()):
        packages = conf["spark.jars.packages"].split(",")
        assert packages[0] == "com.site:x:1"
        assert "org.apache.hadoop:hadoop-aws:3.3.4" in packages
        assert conf["spark.jars.excludes"].startswith("com.site:y,software.amazon.awssdk:bundle,")
    # As for spark-submit, a command's own list replaces the site's.
    packages = of_a_command(spark__jars__packages="com.own:x:1")["spark.jars.packages"].split(",")
    assert packages[0] == "com.own:x:1"
    assert "org.apache.hadoop:hadoop-aws:3.3.4" in packages
    assert "com.site:x:1" not in packages


@pytest.mark.usefixtures("_credentials")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PYSPARK_SUBMIT_ARGS", "--jars /opt/hadoop-aws-3.3.4.jar pyspark-shell"),
        ("HADOOP_CLASSPATH", "/opt/hadoop-aws-3.3.4.jar"),
    ],
)
def test_a_connector_in_a_variable_that_spark_submit_never_reads_is_not_there(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    for conf in (of_a_command(), submitted("job.py").conf()):
        assert "org.apache.hadoop:hadoop-aws:3.3.4" in conf["spark.jars.packages"].split(",")


@pytest.mark.usefixtures("_credentials")
def test_a_connector_on_the_class_path_of_every_spark_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", "/opt/hadoop-aws-3.3.4.jar")
    for conf in (of_a_command(), submitted("job.py").conf()):
        assert "spark.jars.packages" not in conf


@pytest.mark.parametrize(
    "words",
    [
        ("--driver-class-path", "/opt/hadoop-aws-3.3.4.jar"),
        ("--driver-class-path=/opt/hadoop-aws-3.3.4.jar",),
        ("--conf", "spark.driver.extraClassPath=/opt/hadoop-aws-3.3.4.jar"),
    ],
)
def test_a_connector_on_the_drivers_class_path_is_there(words: tuple[str, ...]) -> None:
    found = submitted(*words, "job.py")
    assert "spark.jars.packages" not in found.conf()
    assert any("hadoop-aws" in option[-1] for option in found.options)


def test_the_applications_words_stay_its_own() -> None:
    found = submitted("--master", "local[2]", "-v", "job.py", "--conf", "x=1", "--token", "7")
    assert found.application == ("job.py", "--conf", "x=1", "--token", "7")
    assert ("--master", "local[2]") in found.options
    assert ("-v",) in found.options
    own = run("submit", "--dry-run", "job.py", "a", "--", "--jars", "b")
    assert own.stdout.endswith(" job.py a --jars b\n")


def test_jars_may_follow_the_application(home: Path) -> None:
    found = submitted("job.py", "--jars", "x.jar", "7")
    assert found.conf()["spark.jars"] == f"x.jar,{home}/r.jar"
    assert found.application == ("job.py", "7")


def test_options_of_repave_come_first() -> None:
    assert submitted("--run", "run 7", "job.py").conf()["spark.hadoop.repave.run"] == "run 7"
    result = run("submit", "--dry-run", "--master", "local", "--run", "7", "job.py")
    assert result.exit_code == 2
    assert "--run is an option of Repave's: write it before those" in result.stderr


@pytest.mark.parametrize("flag", ["--conf", "-c"])
def test_a_setting_that_spark_submit_would_drop_is_refused(flag: str) -> None:
    refused = run("submit", "--dry-run", flag, "repave.run=nightly", "job.py")
    assert refused.exit_code == 2
    assert "Write --conf spark.hadoop.repave.run=… instead." in refused.stderr
    assert submitted(flag, "example.key=1", "job.py").conf()["example.key"] == "1"


def test_a_setting_of_a_file_that_spark_submit_would_drop_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.conf"
    own.write_text("repave.run nightly\n", "utf-8")
    refused = run("submit", "--dry-run", "--properties-file", str(own), "job.py")
    assert refused.exit_code == 2
    assert "Write it as spark.hadoop.repave.run." in refused.stderr


@pytest.mark.parametrize("key", ["repave.retention", "fs.s3a.endpoint"])
@pytest.mark.parametrize("command", [["vacuum"], ["recover", "--all"]])
def test_a_command_refuses_any_key_that_spark_submit_would_drop(
    key: str, command: list[str]
) -> None:
    refused = run(*command, "s3://lake/sales", "--conf", f"{key}=30d")
    assert refused.exit_code == 2
    assert f"--conf {key} would have no effect" in refused.stderr
    assert f"Write --conf spark.hadoop.{key}=… instead." in refused.stderr


def test_another_protocol_becomes_the_fallback(home: Path) -> None:
    conf = submitted("--conf", f"{PROTOCOL_KEY}=a.B", "job.py").conf()
    assert (conf[PROTOCOL_KEY], conf[FALLBACK_KEY]) == (PROTOCOL, "a.B")
    (home / "conf" / "spark-defaults.conf").write_text(f"{PROTOCOL_KEY} a.B\n", "utf-8")
    assert f"{FALLBACK_KEY} a.B\n" in run("conf", "--format", "properties").stdout


def test_conf_joins_the_users_lists_and_the_sites(home: Path) -> None:
    defaults = home / "conf" / "spark-defaults.conf"
    defaults.write_text("spark.jars /site.jar\n", "utf-8")
    assert f"spark.jars=x.jar,{home}/r.jar" in run("conf", "--jars", "x.jar").stdout
    assert "--conf spark.jars.packages=g:a:1" in run("conf", "--packages", "g:a:1").stdout
    for _ in range(2):
        with defaults.open("a") as file:
            file.write(run("conf", "--format", "properties").stdout)
    assert defaults.read_text("utf-8").count(f"spark.jars /site.jar,{home}/r.jar\n") == 2


def test_python_lines_bring_no_packages(home: Path) -> None:
    """The builder's jars would replace the list to which Spark adds what it fetches."""
    told = "Call repave.configure_session(SparkSession.builder) instead"
    for own in (("--connector", "4.3"), ("--packages", "g:a:1")):
        refused = run("conf", "--format", "python", *own)
        assert (refused.exit_code, refused.stdout, told in refused.stderr) == (2, "", True)
    alone = run("conf", "--format", "python")
    assert f".config('spark.jars', '{home}/r.jar')" in alone.stdout
    (home / "conf" / "spark-defaults.conf").write_text("spark.jars.packages g:a:1\n", "utf-8")
    assert run("conf", "--format", "python").exit_code == 2


def test_conf_is_appended_to_a_file_whose_last_line_has_no_end(home: Path) -> None:
    defaults = home / "conf" / "spark-defaults.conf"
    defaults.write_text("spark.app.name nightly", "utf-8")
    with defaults.open("a") as file:
        file.write(run("conf", "--format", "properties").stdout)
    found = read_properties(defaults)
    assert (found["spark.app.name"], found[PROTOCOL_KEY]) == ("nightly", PROTOCOL)


def test_conf_replaces_no_key_of_the_site(home: Path) -> None:
    defaults = home / "conf" / "spark-defaults.conf"
    listing = "spark.sql.sources.useListFilesFileSystemList"
    readers = "spark.hadoop.repave.readers"
    assert listing in run("conf", "--format", "properties").stdout
    defaults.write_text(f"{listing} s3a,gs\n{readers} snapshot\n", "utf-8")
    same = run("conf", "--format", "properties", "--readers", "snapshot")
    assert (same.exit_code, listing in same.stdout) == (0, False)
    for command in (["conf", "--readers", "listing"], ["submit", "--readers", "listing", "job.py"]):
        other = run(*command)
        assert (other.exit_code, "--conf " in other.stdout) == (2, False)
        assert f"{readers} is set to snapshot, but listing is needed" in other.stderr
    defaults.write_text("spark.plugins com.example.Own\n", "utf-8")
    plugins = "spark.plugins com.example.Own,io.repave.spark.RepavePlugin\n"
    assert plugins in run("conf", "--format", "properties", "--rdd-saves").stdout
    assert "spark.plugins" not in run("conf", "--format", "properties").stdout


def test_conf_warns_if_it_does_not_know_the_sites_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise what it prints would hide the lists of that file."""
    result = run("conf", "--format", "properties")
    assert f"There is no {tmp_path}/conf/spark-defaults.conf" in result.stderr
    assert "set SPARK_CONF_DIR" in result.stderr
    # Where Spark has no such file, there is nothing to hide.
    assert run("conf").stderr == ""

    monkeypatch.delenv("SPARK_HOME")
    monkeypatch.setattr("repave._spark_home.find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", "")
    result = run("conf")
    assert (result.exit_code, "spark.jars=" in result.stdout) == (0, True)
    assert "Spark was not found here, so its spark-defaults.conf was not read" in result.stderr
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.jars /site.jar\n", "utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
    result = run("conf", "--format", "properties")
    assert ("/site.jar," in result.stdout, result.stderr) == (True, "")
