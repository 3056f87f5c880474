"""How a command reaches the JVM: the line, the secrets, and what becomes of each kind of end."""

import json
import os
import signal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from rich.console import Console
from rich.progress import Progress

from repave._errors import CommitStateUnknownError, RepaveError, UsageError
from repave._jar_command import Submit
from repave._location import Location
from repave._spark_home import find_java, find_spark
from repave.cli import change, main
from repave.cli.bars import COLUMNS, Bars
from unit.fake_submit import answering, spark_home, use_spark
from unit.glue_catalog import Catalog, serving
from unit.record_files import FIRST

TABLE = Location.of("s3://lake/sales")
RECOVERED = {
    "version": 4,
    "commits": [{"commit": FIRST, "kind": "append", "outcome": "finished"}],
}

ADOPTION = {
    "table": "s3://lake/sales",
    "version": 6,
    "commit": FIRST,
    "dry-run": False,
    "files": 7,
    "bytes": 1024,
    "gone": 4,
    "partitions": [{"partition": "", "files": 7, "bytes": 1024}],
}


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


def test_the_session_token_of_another_login_does_not_reach_the_jvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile's own keys have no token, and the store refuses them with that of a login."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of the login")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of the login")
    told = "keys = {key: os.environ[key] for key in os.environ if key.startswith('AWS_')}\n"
    home = spark_home(tmp_path, told + "answer.write_text(json.dumps(keys))\n")
    keys = {"AWS_ACCESS_KEY_ID": "of the profile", "AWS_SECRET_ACCESS_KEY": "s3cr3t"}
    found = Submit(home, Path("/j/repave.jar"), {}, keys).run("recover", TABLE)
    assert "AWS_SESSION_TOKEN" not in found
    assert found["AWS_ACCESS_KEY_ID"] == "of the profile"


def test_a_refusal_keeps_its_kind_and_sentence(tmp_path: Path) -> None:
    refusal = {"error": "CommitStateUnknown", "message": "Run recover again."}
    home = spark_home(tmp_path, answering(refusal) + "sys.exit(3)\n")
    with pytest.raises(CommitStateUnknownError, match=r"^Run recover again\.$"):
        submit(home).run("recover", TABLE)


def test_an_end_without_an_answer_is_unknown_and_shows_its_last_lines(tmp_path: Path) -> None:
    home = spark_home(tmp_path, "print('no space left on device')\nsys.exit(137)\n")
    with pytest.raises(RepaveError, match=r"ended with 137.*not known(?s:.*)no space left"):
        submit(home).run("recover", TABLE)


@pytest.mark.parametrize("half", ["", '{"version": 4, "comm', "\x00"])
def test_half_an_answer_is_none(tmp_path: Path, half: str) -> None:
    """The JVM was killed, or its disk was full, while it wrote the answer."""
    program = f"answer.write_text({half!r})\nprint('no space left on device')\nsys.exit(137)\n"
    home = spark_home(tmp_path, program)
    with pytest.raises(RepaveError, match=r"ended with 137.*not known(?s:.*)no space left"):
        submit(home).run("recover", TABLE)


def test_how_far_it_is_is_heard_and_is_no_last_line(tmp_path: Path) -> None:
    line = 'repave-progress {"step":"retire","done":250,"total":1000}'
    said = f"print('first')\nprint({line!r})\nprint('a log line of the JVM', flush=True)\n"
    heard: list[tuple[str, int, int]] = []

    def hear(step: str, done: int, total: int) -> None:
        heard.append((step, done, total))

    home = spark_home(tmp_path, said)
    with pytest.raises(RepaveError, match=r"lines:\nfirst\na log line of the JVM$"):
        submit(home).run("recover", TABLE, on_progress=hear)
    assert heard == [("retire", 250, 1000)]


def test_an_older_java_is_named(tmp_path: Path) -> None:
    said = "java.lang.UnsupportedClassVersionError: io/repave/spark/command/TableCommand"
    home = spark_home(tmp_path, f"print({said!r})\nsys.exit(1)\n")
    with pytest.raises(UsageError, match="a Java older than 17"):
        submit(home).run("recover", TABLE)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_says_that_it_may_be_run_again(
    tmp_path: Path, how: signal.Signals
) -> None:
    pid = tmp_path / "pid"
    wait = f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\n"
    wait += 'print(\'repave-progress {"step":"plan","done":0,"total":0}\', flush=True)\n'
    home = spark_home(tmp_path, wait + "import time\ntime.sleep(60)\n")

    def interrupt(step: str, done: int, total: int) -> None:
        assert (step, done, total) == ("plan", 0, 0)
        signal.raise_signal(how)

    with pytest.raises(RepaveError, match=r"Interrupted.*run it again"):
        submit(home).run("recover", TABLE, on_progress=interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text("utf-8")), 0)


def test_spark_is_where_spark_home_says(tmp_path: Path) -> None:
    assert find_spark({"SPARK_HOME": str(tmp_path)}) == tmp_path
    with pytest.raises(UsageError, match="SPARK_HOME is /nowhere, which is not a folder"):
        find_spark({"SPARK_HOME": "/nowhere"})


def test_no_java_is_told_with_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Java was not found.*install Java 17"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(UsageError, match="JAVA_HOME is /nowhere, which has no Java"):
        find_java({"PATH": os.environ["PATH"], "JAVA_HOME": "/nowhere"})
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch(0o755)
    assert find_java({"JAVA_HOME": str(tmp_path)}) == str(java)


def test_no_spark_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repave._spark_home.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="pip install pyspark"):
        find_spark({"PATH": ""})


@pytest.fixture
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_spark(tmp_path, monkeypatch)


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
def test_a_conf_without_a_value_is_refused() -> None:
    result = CliRunner().invoke(main, ["recover", "s3://lake/sales", "--conf", "spark.x"])
    assert (result.exit_code, result.stderr) == (
        2,
        "repave: --conf spark.x is not possible: it takes KEY=VALUE.\n",
    )


@pytest.mark.usefixtures("_environment")
def test_no_bar_is_drawn_where_a_script_reads(tmp_path: Path) -> None:
    line = 'repave-progress {"step":"retire","done":1,"total":9}'
    spark_home(tmp_path, f"print({line!r}, flush=True)\n" + answering(RECOVERED))
    result = CliRunner().invoke(main, ["recover", "s3://lake/sales", "--json"])
    assert json.loads(result.stdout) == RECOVERED
    assert result.stderr == ""


def test_a_bar_is_shown_for_each_step() -> None:
    page = StringIO()
    console = Console(file=page, force_terminal=True, width=80)
    with Progress(*COLUMNS, console=console) as shown:
        bars = Bars(shown)
        bars.at("plan", 0, 0)
        bars.at("complete-uploads", 250, 1000)
    assert "complete uploads" in page.getvalue()
    assert "250 of 1,000" in page.getvalue()
    assert [task.finished for task in shown.tasks] == [True, False]


@pytest.mark.usefixtures("_environment")
def test_recover_exits_with_1_if_a_commit_was_taken_back(tmp_path: Path) -> None:
    commit = {"commit": FIRST, "kind": "append", "outcome": "reverted"}
    spark_home(tmp_path, answering({"version": 4, "commits": [commit]}))
    assert CliRunner().invoke(main, ["recover", "s3://lake/sales", "--json"]).exit_code == 1


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("behind", [0, 2])
def test_sync_names_what_moves_a_table_of_a_metastore(tmp_path: Path, behind: int) -> None:
    one = {"follower": "metastore", "name": "lake.sales", "version": 5 - behind, "behind": behind}
    spark_home(tmp_path, answering({"version": 5, "followers": [one]}))
    result = CliRunner().invoke(main, ["sync", "s3://lake/sales"])
    assert result.stdout == f"metastore lake.sales is at version {5 - behind} of 5.\n"
    call = 'RepaveTable.for_path(spark, "s3a://lake/sales").sync()'
    assert (call in result.stderr) == bool(behind)
    assert result.exit_code == (1 if behind else 0)


@pytest.mark.usefixtures("_environment")
def test_follow_and_sync_ask_the_jar_what_glue_has_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"follower": "glue", "name": "lake.sales", "version": 5, "behind": 0}
    at = {"version": 5, "followers": [one]}
    told = {"version": 5, "follower": "f", "begins": True}
    told = {**told, "partitions": [{"partition": "dt=1", "folder": "dt=1/@c"}]}
    documents = {"sync": at, "follow": at, "moved": at, "locations": told}
    lines = tmp_path / "lines"
    program = (
        "words = line[line.index(str(answer)) + 1:]\n"
        f"pathlib.Path({str(lines)!r}).open('a').write(json.dumps(words) + chr(10))\n"
        f"answer.write_text(json.dumps({documents!r}[words[0]]))\n"
    )
    spark_home(tmp_path, program)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(change, "snapshot", lambda *_, **__: SimpleNamespace(files=()))
    with serving() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", endpoint)
        catalog = Catalog(endpoint, "lake")
        catalog.existing("s3://lake/sales", "dt")
        for words in (["follow", "s3://lake/sales", "--glue", "lake.sales"], ["sync"]):
            line = [*words, "s3://lake/sales"] if words == ["sync"] else words
            result = CliRunner().invoke(main, line)
            assert result.stdout == "glue lake.sales is at version 5 of 5.\n", result.output
            assert catalog.locations() == {"1": "s3://lake/sales/dt=1/@c"}
    place, name = "s3a://lake/sales", "lake.sales"
    rest = [["locations", place, "glue", name], ["moved", place, "glue", name, "f", "5"]]
    assert [json.loads(line) for line in lines.read_text("utf-8").splitlines()] == [
        ["follow", place, "glue", name],
        *rest,
        ["sync", place],
        *rest,
    ]


@pytest.mark.usefixtures("_environment")
def test_a_table_of_a_metastore_is_switched_off_by_its_kind(tmp_path: Path) -> None:
    lines = tmp_path / "line.json"
    told = f"pathlib.Path({str(lines)!r}).write_text(json.dumps(line))\n"
    spark_home(tmp_path, told + answering({"version": 5, "followers": []}))
    result = CliRunner().invoke(main, ["follow", "s3://lake/sales", "--off", "metastore"])
    assert result.stdout == "Nothing follows the table.\n"
    words = json.loads(lines.read_text("utf-8"))[-3:]
    assert words == ["unfollow", "s3a://lake/sales", "metastore"]


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("words", "document", "shown"),
    [
        (
            ["rollback", "s3://lake/sales", "2"],
            {"version": 5, "commit": FIRST, "files-in": 1, "files-out": 2},
            "Version 5 holds what version 2 held: files restored: 1, removed: 2.\n",
        ),
        (
            ["adopt", "s3://lake/sales/dt=1"],
            ADOPTION,
            (
                "s3://lake/sales: version 6 names the files in the table. Added: 7 files "
                "(1.0 KiB). No longer there: 4.\n"
            ),
        ),
        (
            ["adopt", "--dry-run", "s3://lake/sales"],
            {**ADOPTION, "version": 5, "commit": "", "dry-run": True},
            (
                "s3://lake/sales, at version 5. Would add: 7 files (1.0 KiB) in 1 folder. "
                "No longer there: 4.\n  (the table's folder): 7 files (1.0 KiB)\n"
            ),
        ),
        (
            ["repair", "s3://lake/sales"],
            {"version": 6, "files": 7, "bytes": 1024, "lost-commits": 4, "searched": []},
            (
                "Version 6 has new records: 7 files (1.0 KiB).\n"
                "Nothing is known of 4 earlier commits.\n"
            ),
        ),
        (
            ["repair", "s3://lake/sales"],
            {"version": 6, "files": 1, "bytes": 1024, "lost-commits": 0, "searched": []},
            "Version 6 has new records: 1 file (1.0 KiB).\n",
        ),
        (
            ["repair", "s3://lake/sales"],
            {
                "version": 6,
                "files": 7,
                "bytes": 1024,
                "lost-commits": 4,
                "searched": ["s3://cold/a", "s3://cold/b"],
            },
            (
                "Version 6 has new records: 7 files (1.0 KiB).\n"
                "Nothing is known of 4 earlier commits.\n"
                "Lost records may have named partitions outside the table: these were looked for "
                "in s3://cold/a, s3://cold/b only, as repave.locations.allowed says.\n"
            ),
        ),
        (
            ["cancel", "s3://lake/sales", FIRST],
            {
                "version": 6,
                "commits": [{"commit": FIRST, "kind": "static", "outcome": "reverted"}],
            },
            f"reverted: static commit {FIRST}\nThe table is at version 6.\n",
        ),
        (
            ["cancel", "s3://lake/sales", FIRST],
            {
                "version": 6,
                "commits": [{"commit": FIRST, "kind": "static", "outcome": "ended"}],
            },
            (
                f"ended: static commit {FIRST}\n"
                "Its rows are there, next to those that it replaces. Run its job again.\n"
                "The table is at version 6.\n"
            ),
        ),
    ],
)
def test_what_was_published_is_told(
    tmp_path: Path, words: list[str], document: dict[str, object], shown: str
) -> None:
    spark_home(tmp_path, answering(document))
    assert CliRunner().invoke(main, words).stdout == shown
