"""What `spark_conf` returns, and what importing the package costs."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import repave
from repave._options import Option, options
from repave._setting_values import NAMES
from unit.setting_values import POSSIBLE, REFUSED


def test_importing_repave_imports_no_pyspark() -> None:
    check = "import sys, repave, repave.cli; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_the_conf_names_the_protocol_the_file_system_and_the_jar() -> None:
    assert repave.spark_conf(jar="s3://jars/repave.jar") == {
        "spark.sql.sources.commitProtocolClass": "io.repave.spark.RepaveCommitProtocol",
        "spark.hadoop.fs.repave.impl": "io.repave.hadoop.RepaveFileSystem",
        "spark.sql.sources.useListFilesFileSystemList": "s3a,repave",
        "spark.jars": "s3://jars/repave.jar",
    }


def test_spark_is_never_told_that_it_may_rename_partitions_itself() -> None:
    conf = repave.spark_conf(jar="r.jar", connector="4.3.0")
    assert not [key for key in conf if "dynamic.partitioning" in key]


def test_the_jar_is_this_installations_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "own.jar"
    jar.touch()
    monkeypatch.setenv("REPAVE_JAR", str(jar))
    assert repave.spark_conf()["spark.jars"] == str(jar)


def test_an_option_becomes_a_hadoop_key() -> None:
    conf = repave.spark_conf(jar="r.jar", part_size="16M", run="run 7")
    assert conf["spark.hadoop.repave.part.size"] == "16M"
    assert conf["spark.hadoop.repave.run"] == "run 7"


def test_a_token_is_refused_for_a_whole_session() -> None:
    with pytest.raises(repave.UsageError, match=r"repave\.token names one write.* set repave\.run"):
        repave.spark_conf(jar="r.jar", token="run 7")


def test_a_misspelt_option_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(repave.UsageError, match=r"no option partsize\. Did you mean part_size\?"):
        repave.spark_conf(jar="r.jar", partsize=1)  # type: ignore[call-arg]


def test_a_value_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(
        repave.UsageError, match=r"repave\.readers=all .* takes listing or snapshot"
    ):
        repave.spark_conf(jar="r.jar", readers="all")  # type: ignore[arg-type]
    # A variable without a value: every job would be the run "None".
    with pytest.raises(repave.UsageError, match="run=None is not possible"):
        repave.spark_conf(jar="r.jar", run=None)  # type: ignore[arg-type]
    with pytest.raises(repave.UsageError, match=r"part\.size=much .* takes a size such as 16m"):
        repave.spark_conf(jar="r.jar", part_size="much")


def test_a_list_is_joined() -> None:
    conf = repave.spark_conf(jar="r.jar", locations_allowed=["s3://a/x", "s3://b/y"])
    assert conf["spark.hadoop.repave.locations.allowed"] == "s3://a/x,s3://b/y"


@pytest.mark.parametrize(
    ("name", "value"),
    [("commit_threads", 0), ("commit_threads", -1), ("lease", "5"), ("single_writer", "yes")],
)
def test_a_value_that_the_jar_would_refuse_is_refused_here(name: str, value: str | int) -> None:
    with pytest.raises(repave.UsageError, match="is not possible"):
        repave.spark_conf(jar="r.jar", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [
        ("part_size", "1k", "5m to 1g"),
        ("part_size", "5242879", "5m to 1g"),
        ("part_size", "1025MiB", "5m to 1g"),
        ("upload_memory", "9m", "10m or more"),
        ("commit_threads", 0, "1 to 1000"),
        ("lease", "25h", "1ms to 1d"),
        ("heartbeat", "16s", "100ms to 15s"),
    ],
)
def test_a_number_outside_its_range_is_refused_with_the_range(
    name: str, value: str | int, limits: str
) -> None:
    key = f"repave.{name.replace('_', '.')}"
    told = f"^{key}={value} is not possible: it takes {limits}"
    with pytest.raises(repave.UsageError, match=told):
        repave.spark_conf(jar="r.jar", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", options(), ids=lambda option: option.key)
def test_the_ends_of_a_range_are_inside_it(option: Option) -> None:
    for end in (option.least, option.most):
        assert not end or option.text_of(end) == end


@pytest.mark.parametrize("option", options(), ids=lambda option: option.key)
def test_every_option_takes_its_own_default(option: Option) -> None:
    # A name has none: an empty one is refused.
    assert option.key in NAMES or option.text_of(option.default) == option.default
    assert option.text.endswith(".")


@pytest.mark.parametrize(("key", "text"), POSSIBLE)
def test_a_value_that_a_write_takes_is_taken_here(key: str, text: str) -> None:
    assert known(key).text_of(text) == text


@pytest.mark.parametrize(("key", "text"), REFUSED)
def test_a_value_that_every_write_refuses_is_refused_here(key: str, text: str) -> None:
    with pytest.raises(repave.UsageError, match=rf"^{key} (names|is) '?"):
        known(key).text_of(text)


def test_a_value_that_the_cluster_fills_in_is_taken() -> None:
    assert repave.spark_conf(jar="r.jar", exclude="${raw}")["spark.hadoop.repave.exclude"]


def known(key: str) -> Option:
    return next(one for one in options() if one.key == key)


def test_a_duration_may_be_a_timedelta() -> None:
    conf = repave.spark_conf(jar="r.jar", lease=timedelta(seconds=90), retention=timedelta(days=7))
    assert conf["spark.hadoop.repave.lease"] == "90000ms"
    assert conf["spark.hadoop.repave.retention"] == "604800000ms"
    with pytest.raises(repave.UsageError, match=r"repave\.lease=.* takes 1ms to 1d"):
        repave.spark_conf(jar="r.jar", lease=timedelta(days=2))
    with pytest.raises(repave.UsageError, match="takes a duration such as 90s"):
        repave.spark_conf(jar="r.jar", lease=timedelta(seconds=-1))
