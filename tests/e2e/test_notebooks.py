"""What people do with a builder: run a cell again, set packages afterwards, forget the jar."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.sql import SparkSession

import repave
from e2e import test_conf
from e2e.driver import driver
from e2e.frames import notes, sales
from e2e.lake import TableFolder
from repave._connector import connector_for_spark
from repave._progress import CellProgress, Html, running_commits
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from pyspark.sql import SparkSession as Session

pytestmark = pytest.mark.oldest

SUBMITTED = """
import repave
from pyspark.sql import SparkSession
spark = repave.configure_session(SparkSession.builder).getOrCreate()
"""


def test_a_cell_that_runs_again_gets_the_running_session(
    spark: "Session", table: TableFolder
) -> None:
    again = repave.configure_session(SparkSession.builder).getOrCreate()
    assert again.sparkContext is spark.sparkContext
    sales(again, [1], "new").write.partitionBy("day").parquet(table.url)
    assert notes(spark.read.parquet(table.url)) == {1: "new"}
    assert table.head()["version"] == 1
    with pytest.raises(repave.UsageError, match=r"repave\.lease is not set, but 9s is needed"):
        repave.configure_session(SparkSession.builder, lease="9s")


class Output:
    """What a cell shows."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, html: Html) -> None:
        self.shown.append(html._repr_html_())

    def show(self, html: Html) -> "Output":
        self.update(html)
        return self


def test_a_cell_shows_how_far_a_slow_commit_is(spark: "Session", table: TableFolder) -> None:
    table.lake.proxy.set_faults([Fault("delay", op="CompleteMultipartUpload", ms=3000)])
    output = Output()
    cell = CellProgress(running_commits, output.show, patience=0.2, pause=0.1)
    try:
        sales(spark, [1, 2, 3], "new").write.partitionBy("day").parquet(table.url)
    finally:
        cell.stop()
    assert f"<b>s3://lake/{table.name}</b>: complete uploads, 0 of 3" in "".join(output.shown)
    assert output.shown[-1] == ""
    assert running_commits() == []


@pytest.mark.slow
def test_packages_that_are_set_afterwards_keep_the_connector(
    spark: "Session", table: TableFolder, tmp_path: Path
) -> None:
    # One that is in every cache: the connector's own.
    package = connector_for_spark(spark.version).packages[-1]
    work = {"endpoint": table.lake.proxy.endpoint, "url": table.url, "note": "new", "days": [1]}
    conf = {"spark.jars.packages": package, "spark.jars": str(repave.jar_path())}
    with driver(tmp_path, {**work, "conf": conf}) as child:
        assert child.wait(300) == 0, (tmp_path / "driver.log").read_text()[-4000:]
    assert table.head()["version"] == 1


@pytest.mark.slow
def test_a_submitted_script_without_the_jar_is_told_so(table: TableFolder, tmp_path: Path) -> None:
    job = test_conf.program(table, tmp_path, SUBMITTED)
    with pytest.raises(
        AssertionError, match="spark-submit started does not have Repave: the jar is not"
    ):
        test_conf.run(["spark-submit", "--master", "local[1]", str(job)], tmp_path)
    assert table.listing() == []


@pytest.mark.slow
def test_a_submitted_script_keeps_what_spark_submit_was_given(
    table: TableFolder, tmp_path: Path
) -> None:
    given = {
        **test_conf.own_conf(table),
        "spark.plugins": "io.repave.spark.RepavePlugin",
        "spark.sql.sources.useListFilesFileSystemList": "s3a,gs",
        "spark.sql.sources.commitProtocolClass": "com.example.Protocol",
        "spark.hadoop.repave.run": "nightly",
    }
    file = tmp_path / "own.conf"
    file.write_text("".join(f"{key} {value}\n" for key, value in given.items()), "utf-8")
    checks = """
conf = dict(spark.sparkContext.getConf().getAll())
assert conf["spark.sql.sources.useListFilesFileSystemList"] == "s3a,gs", conf
assert conf["spark.hadoop.repave.fallback.protocol"] == "com.example.Protocol", conf
assert conf["spark.plugins"].endswith("RepavePlugin"), conf
try:
    repave.configure_session(SparkSession.builder, run="other")
except repave.UsageError as error:
    assert "repave.run is nightly" in str(error), error
else:
    raise AssertionError("two runs")
"""
    beginning = SUBMITTED.replace(
        "session(SparkSession.builder)", "session(SparkSession.builder, rdd_saves=True)"
    )
    job = test_conf.program(table, tmp_path, beginning + checks)
    words = ["--properties-file", str(file), "--jars", str(repave.jar_path())]
    connector = connector_for_spark(pyspark.__version__).conf().items()
    words += [word for pair in connector for word in ("--conf", "=".join(pair))]
    test_conf.run(["spark-submit", *words, str(job)], tmp_path)
    assert [one["token"] for one in table.head()["log"]] == ["nightly/1"]


@pytest.mark.slow
def test_a_package_sent_by_py_files_configures_the_session(
    table: TableFolder, tmp_path: Path
) -> None:
    """Nothing is installed where the script runs, and the jar comes from spark-submit."""
    package = Path(repave.__file__).parent
    shutil.copytree(package, tmp_path / "lib/repave", ignore=shutil.ignore_patterns("jars"))
    sent = shutil.make_archive(str(tmp_path / "repave"), "zip", tmp_path / "lib")
    settings = [f"--conf {key}={value}" for key, value in test_conf.own_conf(table).items()]
    beginning = SUBMITTED + f"assert repave.__file__.startswith({sent!r}), repave.__file__\n"
    job = test_conf.program(table, tmp_path, beginning)
    words = [*settings, test_conf.printed("spark-submit").strip(), "--py-files", sent, str(job)]
    test_conf.run(["bash", "-c", " ".join(["spark-submit", *words])], tmp_path)
    test_conf.assert_written(table)
