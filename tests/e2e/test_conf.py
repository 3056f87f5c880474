"""What `repave conf` prints, given to Spark as it stands: the table is written through Repave."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest
from click.testing import CliRunner

from e2e import sessions
from e2e.lake import TableFolder
from repave._connector import connector_for_spark
from repave.cli import main, setup

# A value that shells, properties files and Python each read in their own way.
RUN = "run 7 \\ of 'tonight' #1"
WRITE = """
frame = spark.sql("SELECT 1L AS id, 'new' AS note, 1 AS day")
frame.write.mode("overwrite").partitionBy("day").parquet({url!r})
spark.stop()
"""
SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"


SEEN = (
    "find = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader().getResource\n"
    'assert find("own.txt") is not None\n'
)


def own_jar(folder: Path) -> Path:
    """Make a jar as the user's programs need it, which `SEEN` looks for."""
    made = folder / "own.jar"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("own.txt", "own")
    return made


def printed(form: str, *more: str) -> str:
    words = ["conf", "--format", form, "--run", RUN, *more]
    if form != "python":
        words += ["--connector", sessions.line(pyspark.__version__)]
    with pytest.MonkeyPatch.context() as patch:
        # What a person would paste.
        patch.setattr(setup, "on_terminal", lambda: True)
        result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def program(table: TableFolder, folder: Path, beginning: str = SESSION) -> Path:
    path = folder / "job.py"
    path.write_text(beginning + WRITE.format(url=table.url), "utf-8")
    return path


def own_conf(table: TableFolder) -> dict[str, str]:
    """Return what the user's site sets beside Repave."""
    local = {"spark.master": "local[1]", "spark.driver.host": "127.0.0.1"}
    return {
        **local,
        "spark.ui.enabled": "false",
        **sessions.s3a_conf({"": table.lake.proxy.endpoint}),
    }


def run(words: list[str], folder: Path) -> None:
    home = os.environ.get("SPARK_HOME") or pyspark.__path__[0]
    environment = {**os.environ, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable}
    environment["PATH"] = f"{home}/bin{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    # spark-submit prints what a script says on its standard output.
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def assert_written(table: TableFolder) -> None:
    assert list(table.partitions()) == ["day=1"]
    assert [one["token"] for one in table.head()["log"]] == [f"{RUN}/1"]
    table.assert_settled()


@pytest.mark.slow
def test_properties_that_are_appended_twice_keep_the_jars_of_the_site(
    table: TableFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = {**own_conf(table), "spark.jars": str(own_jar(tmp_path))}
    defaults = tmp_path / "spark-defaults.conf"
    defaults.write_text("".join(f"{key} {value}\n" for key, value in conf.items()), "utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    for _ in range(2):
        defaults.write_text(defaults.read_text("utf-8") + printed("properties"), "utf-8")
    job = program(table, tmp_path, SESSION + SEEN)
    run(["spark-submit", str(job)], tmp_path)
    assert_written(table)


@pytest.mark.slow
def test_arguments_of_spark_submit_are_pasted_into_a_shell(
    table: TableFolder, tmp_path: Path
) -> None:
    own = " ".join(f"--conf {key}={value}" for key, value in own_conf(table).items())
    job = program(table, tmp_path, SESSION + SEEN)
    arguments = printed("spark-submit", "--jars", str(own_jar(tmp_path))).strip()
    run(["bash", "-c", f"spark-submit {own} {arguments} {job}"], tmp_path)
    assert_written(table)


@pytest.mark.slow
def test_spark_submit_refuses_the_word_of_a_conf_that_fails(tmp_path: Path) -> None:
    conf = f"{sys.executable} -m repave conf --connector 5.0"
    done = subprocess.run(
        ["bash", "-c", f"{pyspark.__path__[0]}/bin/spark-submit $({conf}) job.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "Unrecognized option: --repave-conf-failed" in done.stderr


@pytest.mark.slow
def test_python_lines_are_put_behind_a_builder(table: TableFolder, tmp_path: Path) -> None:
    # The driver's own class path has what is fetched.
    conf = {**own_conf(table), **connector_for_spark(pyspark.__version__).conf()}
    own = "".join(f".config({key!r}, {value!r})\n" for key, value in conf.items())
    head = "from pyspark.sql import SparkSession\nspark = (SparkSession.builder\n"
    job = program(table, tmp_path, f"{head}{own}{printed('python')}.getOrCreate())\n")
    run([sys.executable, str(job)], tmp_path)
    assert_written(table)


@pytest.mark.slow
def test_repave_submit_joins_the_users_jars_with_its_own(
    table: TableFolder, tmp_path: Path
) -> None:
    own = own_jar(tmp_path)
    settings = [word for pair in own_conf(table).items() for word in ("--conf", "=".join(pair))]
    job = program(table, tmp_path, SESSION + SEEN)
    repave = str(Path(sys.executable).parent / "repave")
    run([repave, "submit", "--run", RUN, *settings, "--jars", str(own), str(job)], tmp_path)
    assert_written(table)
