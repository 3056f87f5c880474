"""How a command reaches the JVM: the line, the secrets, and what becomes of each kind of end."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave._errors import CommitStateUnknownError, RepaveError, UsageError
from repave._location import Location
from repave._spark_home import find_spark
from repave._submit import Submit
from repave.cli import main
from unit.record_files import FIRST

TABLE = Location.of("s3://lake/sales")
RECOVERED = {
    "version": 4,
    "commits": [{"commit": FIRST, "kind": "append", "outcome": "finished"}],
}


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


def submit(home: Path, conf: dict[str, str] | None = None) -> Submit:
    secrets = {"AWS_SECRET_ACCESS_KEY": "s3cr3t"}
    return Submit(home, Path("/j/repave.jar"), conf or {}, secrets)


def test_the_answer_is_the_jars_document(tmp_path: Path) -> None:
    home = spark_home(tmp_path, answering(RECOVERED))
    assert submit(home).run("recover", TABLE) == RECOVERED


def test_the_line_names_the_jar_the_table_and_the_arguments() -> None:
    line = submit(Path("/spark"), {"spark.x": "1"}).line(
        Path("/t/answer.json"),
        "rollback",
        "s3a://lake/sales",
        "7",
    )
    assert line[0] == "/spark/bin/spark-submit"
    assert line[line.index("--conf") + 1] == "spark.x=1"
    jar = line.index("/j/repave.jar")
    assert line[jar + 1 :] == ["/t/answer.json", "rollback", "s3a://lake/sales", "7"]


def test_credentials_go_by_environment_and_never_by_the_line(tmp_path: Path) -> None:
    told = "answer.write_text(json.dumps([os.environ['AWS_SECRET_ACCESS_KEY'], line]))\n"
    secret, line = submit(spark_home(tmp_path, told)).run("recover", TABLE)
    assert secret == "s3cr3t"
    assert not [word for word in line if secret in word]
    assert "s3a://lake/sales" in line


def test_a_refusal_keeps_its_kind_and_sentence(tmp_path: Path) -> None:
    refusal = {"error": "CommitStateUnknown", "message": "Run recover again."}
    home = spark_home(tmp_path, answering(refusal) + "sys.exit(3)\n")
    with pytest.raises(CommitStateUnknownError, match=r"^Run recover again\.$"):
        submit(home).run("recover", TABLE)


def test_an_end_without_an_answer_is_unknown_and_shows_its_last_lines(tmp_path: Path) -> None:
    home = spark_home(tmp_path, "print('no space left on device')\nsys.exit(137)\n")
    with pytest.raises(RepaveError, match=r"ended with 137.*not known(?s:.*)no space left"):
        submit(home).run("recover", TABLE)


def test_spark_is_where_spark_home_says() -> None:
    assert find_spark({"SPARK_HOME": "/opt/spark"}) == Path("/opt/spark")


def test_no_spark_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repave._spark_home.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"pip install 'repave\[spark\]'"):
        find_spark({"PATH": ""})


@pytest.fixture
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repave.jar").touch()
    monkeypatch.setenv("REPAVE_JAR", str(tmp_path / "repave.jar"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.mark.usefixtures("_environment")
def test_recover_says_what_it_did(tmp_path: Path) -> None:
    spark_home(tmp_path, answering(RECOVERED))
    result = CliRunner().invoke(main, ["recover", "s3://lake/sales"])
    assert result.stdout.splitlines() == [
        f"finished: append commit {FIRST}",
        "The table is at version 4.",
    ]
    assert result.exit_code == 0


@pytest.mark.usefixtures("_environment")
def test_recover_exits_with_1_if_a_commit_was_taken_back(tmp_path: Path) -> None:
    commit = {"commit": FIRST, "kind": "append", "outcome": "reverted"}
    spark_home(tmp_path, answering({"version": 4, "commits": [commit]}))
    assert CliRunner().invoke(main, ["recover", "s3://lake/sales", "--json"]).exit_code == 1


@pytest.mark.usefixtures("_environment")
def test_vacuum_passes_its_options_and_a_connector(tmp_path: Path) -> None:
    counts = {"dry-run": True, "files": 1, "bytes": 2048, "uploads": 3, "records": 4}
    counts["oldest-version"] = 1
    lines = tmp_path / "line.json"
    told = f"pathlib.Path({str(lines)!r}).write_text(json.dumps(line))\n"
    spark_home(tmp_path, told + answering(counts))
    words = ["vacuum", "s3://lake/sales", "--dry-run", "--retention", "3d"]
    own = ["--conf", "spark.hadoop.fs.s3a.endpoint=http://own:1"]
    result = CliRunner().invoke(main, [*words, *own, "--endpoint-url", "http://other:1"])
    assert result.stdout == "Would remove 1 files (2.0 KiB), 3 open uploads, 4 records.\n"
    line = json.loads(lines.read_text("utf-8"))
    assert line[-3:] == ["vacuum", "s3a://lake/sales", "--dry-run"]
    assert "spark.hadoop.repave.retention=3d" in line
    assert "spark.hadoop.fs.s3a.endpoint=http://own:1" in line
    assert any("org.apache.hadoop:hadoop-aws:3.5.0" in word for word in line)


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("words", "document", "shown"),
    [
        (
            ["rollback", "s3://lake/sales", "2"],
            {"version": 5, "commit": FIRST, "files-in": 1, "files-out": 2},
            "Version 5 holds what version 2 held: 1 files came back, 2 went.\n",
        ),
        (
            ["adopt", "s3://lake/sales"],
            {"version": 6, "commit": FIRST, "files": 7, "bytes": 1024},
            "Version 6 has 7 files in its records (1.0 KiB).\n",
        ),
    ],
)
def test_what_was_published_is_told(
    tmp_path: Path, words: list[str], document: dict[str, object], shown: str
) -> None:
    spark_home(tmp_path, answering(document))
    assert CliRunner().invoke(main, words).stdout == shown
