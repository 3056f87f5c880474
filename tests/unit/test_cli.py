"""The command line against a local S3 server: what it prints and what it exits with."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner, Result

from repave import cli
from repave._errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidRecordError,
    RepaveError,
    UsageError,
)
from repave._location import Location
from repave._store_errors import store_errors
from repave.cli import COMMANDS, exit_code, main
from repave_lab.servers import S3Server
from unit.record_files import FIRST, SECOND, MemoryObjects, active, head, logged, manifest

# ruff: noqa: ANN401 - boto3 has no types

TABLE = "s3://lake/sales"
NO_TABLE = "there is no Repave table here: the folder has no records in _repave/."
CHECK_THE_PATH = (
    "Check the path: `repave status --recursive` lists the tables below a folder. A table has "
    "records from its first commit on."
)


pytestmark = pytest.mark.usefixtures("credentials")


@pytest.fixture
def bucket(server: S3Server) -> Iterator[Any]:
    """A bucket with a table of two versions."""
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    records = MemoryObjects()
    records.put("head.json", head(version=2, log=[logged(FIRST, 1), logged(SECOND, 2, "run 2")]))
    for commit in (FIRST, SECOND):
        records.put(f"commits/{commit}/manifest.json.gz", manifest(commit))
    for key, content in records.contents.items():
        s3.put_object(Bucket="lake", Key=key, Body=content)
    yield s3
    for item in s3.list_objects_v2(Bucket="lake").get("Contents", ()):
        s3.delete_object(Bucket="lake", Key=item["Key"])
    s3.delete_bucket(Bucket="lake")


def put_head(s3: Any, **members: Any) -> None:
    records = MemoryObjects()
    records.put("head.json", head(**members))
    ((key, content),) = records.contents.items()
    s3.put_object(Bucket="lake", Key=key, Body=content)


def repave(server: S3Server, command: str, *words: str, table: str = TABLE) -> Result:
    line = [command, table, "--endpoint-url", server.endpoint, *words]
    return CliRunner().invoke(main, line, catch_exceptions=False)


@pytest.mark.usefixtures("bucket")
def test_history_lists_versions_newest_first(server: S3Server) -> None:
    result = repave(server, "history")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0][0] == "version"
    assert [row[0] for row in rows[1:]] == ["2", "1"]
    assert rows[1][1:5] == [SECOND, "–", "dynamic", "published"]


@pytest.mark.usefixtures("bucket")
def test_history_for_a_script_is_json(server: S3Server) -> None:
    entries = json.loads(repave(server, "history", "--json", "--limit", "1").stdout)
    assert [(one["version"], one["token"], one["files-in"]) for one in entries] == [(2, "run 2", 1)]


@pytest.mark.usefixtures("bucket")
def test_history_has_no_more_than_there_is_whatever_the_limit(server: S3Server) -> None:
    entries = json.loads(repave(server, "history", "--json", "--limit", str(10**20)).stdout)
    assert [one["version"] for one in entries] == [2, 1]


@pytest.mark.usefixtures("bucket")
def test_manifest_names_partitions_and_files(server: S3Server) -> None:
    told = repave(server, "manifest").stdout
    assert "dt=1" in told
    assert ": 1 file in (10 B), 1 out (9 B), 0 adopted." in told
    files = repave(server, "manifest", "--version", "1", "--files").stdout
    assert "+ dt=1/part-new.parquet  10 B" in files
    assert "- dt=1/part-old.parquet  9 B" in files


@pytest.mark.usefixtures("bucket")
def test_a_settled_table_exits_with_0(server: S3Server) -> None:
    result = repave(server, "status")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "s3://lake/sales: version 2, readers=listing.",
    )


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_unfinished_commit_exits_with_3(
    server: S3Server, bucket: Any, words: tuple[str, ...]
) -> None:
    put_head(bucket, version=1, active=[active(SECOND, "pending")])
    result = repave(server, "status", *words)
    assert result.exit_code == 3
    assert SECOND in result.stdout


@pytest.mark.parametrize("command", ["status", "history"])
def test_a_table_whose_first_write_failed_is_a_table(
    server: S3Server, bucket: Any, command: str
) -> None:
    put_head(bucket, version=0, readers="snapshot")
    found = repave(server, command)
    assert found.exit_code == 0
    assert NO_TABLE not in found.stdout
    assert repave(server, command, "--json").exit_code == 0


@pytest.mark.parametrize("command", ["status", "history"])
def test_a_folder_of_a_table_is_sent_to_its_table(
    server: S3Server, bucket: Any, command: str
) -> None:
    assert bucket
    inside = repave(server, command, table=f"{TABLE}/dt=1/hour=2")
    assert inside.stdout.splitlines() == [
        f"{TABLE}/dt=1/hour=2: {NO_TABLE}",
        f"It is inside the table {TABLE}, which Repave writes: use that table.",
    ]
    alone = repave(server, command, table="s3://lake/other")
    assert alone.stdout.splitlines() == [f"s3://lake/other: {NO_TABLE}", CHECK_THE_PATH]
    assert (inside.exit_code, alone.exit_code) == (1, 1)
    for where in (f"{TABLE}/dt=1", "s3://lake/other"):
        assert repave(server, command, "--json", table=where).exit_code == 1


@pytest.mark.usefixtures("bucket")
def test_a_history_that_is_cut_says_so(server: S3Server) -> None:
    said = "Older commits are not shown"
    assert said in repave(server, "history", "--limit", "1").stdout
    assert said not in repave(server, "history", "--limit", "2").stdout
    assert len(json.loads(repave(server, "history", "--json", "--limit", "1").stdout)) == 1


@pytest.mark.usefixtures("bucket")
def test_a_manifest_of_no_table_is_refused_in_a_sentence(server: S3Server) -> None:
    result = repave(server, "manifest", table="s3://lake/other")
    told = "Repave has not committed to s3://lake/other: it has no versions. Check the path."
    assert (result.exit_code, result.stderr) == (2, f"repave: {told}\n")


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize("words", [["manifest"], ["report", "-o", "-"], ["files"], ["order"]])
def test_the_path_of_a_partition_is_told_which_table_it_is_in(
    server: S3Server, words: list[str]
) -> None:
    result = repave(server, *words, table=f"{TABLE}/dt=1")
    assert result.exit_code == 2
    assert f"{TABLE}/dt=1 is inside the table {TABLE}" in result.stderr


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        ("ExpiredToken", "log in again"),
        ("PermanentRedirect", "set AWS_DEFAULT_REGION"),
        ("RequestTimeTooSkewed", "set the clock of this machine"),
    ],
)
def test_a_refusal_of_the_store_says_what_to_do(code: str, fix: str) -> None:
    answer: Any = {"Error": {"Code": code}}
    with (
        pytest.raises(RepaveError, match=rf"{code}\. To fix this, {fix}"),
        store_errors(Location.of(TABLE)),
    ):
        raise ClientError(answer, "GetObject")


def test_the_command_can_be_run_as_a_module() -> None:
    line = [sys.executable, "-m", "repave", "status", "sales"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("repave: sales ")


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    result = CliRunner().invoke(main, ["recovr", TABLE])
    assert result.exit_code == 2
    assert "There is no command recovr. Did you mean recover?" in result.stderr


@pytest.mark.parametrize("command", ["status", "recover"])
def test_an_endpoint_without_its_scheme_is_refused(command: str) -> None:
    result = CliRunner().invoke(main, [command, TABLE, "--endpoint-url", "127.0.0.1:9000"])
    assert result.exit_code == 2
    assert result.stderr.startswith("repave: The endpoint 127.0.0.1:9000 is not a URL")


def test_control_characters_of_a_record_do_not_reach_the_terminal(
    server: S3Server, bucket: Any
) -> None:
    evil = {**active(SECOND, "pending"), "token": "\x1b[2J[red]run"}
    put_head(bucket, version=1, active=[evil])
    shown = repave(server, "status").stdout
    assert "\x1b" not in shown
    assert "\\x1b[2J[red]run" in shown


def test_names_like_those_of_emojis_are_shown_as_they_are(server: S3Server, bucket: Any) -> None:
    put_head(bucket, version=1, active=[{**active(SECOND, "pending"), "token": "load:100:x"}])
    assert "load:100:x" in repave(server, "status").stdout
    assert "load:100:x" in repave(server, "history").stdout


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_path_that_is_not_utf_8_is_told(server: S3Server, words: tuple[str, ...]) -> None:
    result = repave(server, "status", *words, table="s3://lake/\udcff")
    assert result.exit_code == 2
    assert r"s3://lake/\udcff is not a table on S3" in result.output.replace(r"\\", "\\")


@pytest.mark.usefixtures("bucket")
def test_a_version_that_is_not_there_is_a_usage_error(server: S3Server) -> None:
    result = repave(server, "manifest", "--version", "9")
    assert result.exit_code == 2
    assert result.stderr == "repave: s3://lake/sales has no version 9; its newest is 2.\n"


@pytest.mark.usefixtures("bucket")
def test_an_error_for_a_script_is_json(server: S3Server) -> None:
    result = repave(server, "manifest", "--version", "9", "--json")
    assert json.loads(result.stdout)["error"] == "Usage"
    assert result.exit_code == 2


def test_a_missing_bucket_is_told_in_one_sentence(server: S3Server) -> None:
    result = repave(server, "history", table="s3://nowhere/sales")
    assert result.exit_code == 1
    assert result.stderr.startswith("repave: There is no bucket nowhere")
    assert len(result.stderr.splitlines()) == 1


def test_a_server_that_is_not_there_is_told_in_one_sentence() -> None:
    line = ["status", TABLE, "--endpoint-url", "http://127.0.0.1:1"]
    result = CliRunner().invoke(main, line)
    assert result.exit_code == 1
    assert result.stderr.startswith("repave: S3 cannot be reached")


@pytest.mark.parametrize("command", ["history", "status", "manifest", "doctor", "recover", "adopt"])
def test_a_path_that_is_not_on_s3_is_a_usage_error(command: str) -> None:
    result = CliRunner().invoke(main, [command, "/data/sales"])
    assert result.exit_code == 2
    assert "is not a table on S3" in result.stderr


@pytest.mark.usefixtures("bucket")
def test_the_doctor_finds_a_good_store_good_and_leaves_nothing(
    server: S3Server, bucket: Any
) -> None:
    before = [item["Key"] for item in bucket.list_objects_v2(Bucket="lake")["Contents"]]
    result = repave(server, "doctor", "--json")
    findings = json.loads(result.stdout)
    assert [one for one in findings if one["level"] == "problem"] == []
    assert "Conditional writes are kept" in result.stdout
    assert result.exit_code == 0
    after = [item["Key"] for item in bucket.list_objects_v2(Bucket="lake")["Contents"]]
    assert before == after
    assert bucket.list_multipart_uploads(Bucket="lake").get("Uploads", []) == []


def test_the_doctor_exits_with_1_if_there_is_a_problem(server: S3Server) -> None:
    result = repave(server, "doctor", table="s3://nowhere/sales")
    assert result.exit_code == 1
    assert "There is no bucket nowhere." in result.stdout
    assert "-> check the name and --endpoint-url" in result.stdout


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("spark-submit", "--conf spark.hadoop.repave.part.size=16m"),
        ("properties", "spark.hadoop.repave.part.size 16m"),
        ("python", ".config('spark.hadoop.repave.part.size', '16m')"),
    ],
)
def test_conf_is_printed_for_where_it_goes(form: str, line: str) -> None:
    words = ["conf", "--format", form, "--jar", "s3://jars/repave.jar", "--part-size", "16m"]
    result = CliRunner().invoke(main, words)
    assert line in result.stdout
    assert result.exit_code == 0


def test_a_backslash_stays_one_in_a_file_of_properties() -> None:
    result = CliRunner().invoke(main, ["conf", "--format", "properties", "--run", r"a\b"])
    assert result.stdout.endswith("spark.hadoop.repave.run a\\\\b\n")


def test_a_wrong_option_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["conf", "--jar", "r.jar", "--part-size", "much"])
    assert result.exit_code == 2
    assert result.stderr.startswith("repave: repave.part.size=much is not possible")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (("--only", "dt"), "repave: repave.only is 'dt', in which 'dt' is not like dt=2026-11-20"),
        (("--exclude", "raw"), "repave: repave.exclude names 'raw', which is not like s3://bucket"),
        (("--followers", "hive"), "repave: repave.followers names 'hive'. The followers are delta"),
        (("--order", "id descending"), "repave: repave.order is 'id descending', which is not"),
        (("--token", "load/1"), "repave: repave.token names one write"),
    ],
)
@pytest.mark.parametrize("command", [("conf",), ("submit", "--dry-run")])
def test_a_value_that_every_write_refuses_is_a_usage_error(
    command: tuple[str, ...], option: tuple[str, str], told: str
) -> None:
    result = CliRunner().invoke(main, [*command, "--jar", "r.jar", *option])
    assert result.exit_code == 2
    assert result.stderr.startswith(told)
    assert "--conf" not in result.stdout


@pytest.mark.parametrize("words", [("conf",), ("submit", "--dry-run")])
@pytest.mark.parametrize(
    ("option", "told"),
    [("--jar", "jar (--jar) is empty"), ("--connector", "No connector is known for Spark ''")],
)
def test_an_empty_option_is_not_a_missing_one(
    words: tuple[str, ...], option: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes from a variable that is not set."""
    monkeypatch.setattr("repave.cli.submit.find_java", lambda _environment: "java")
    rest = ("job.py",) if words[0] == "submit" else ()
    result = CliRunner().invoke(main, [*words, option, "", *rest])
    assert result.exit_code == 2
    assert told in result.stderr


def test_errors_have_their_exit_codes() -> None:
    codes = {
        UsageError: 2,
        CommitStateUnknownError: 3,
        CommitConflictError: 1,
        InvalidRecordError: 1,
        FileNotFoundError: 1,
    }
    assert {kind: exit_code(kind("x")) for kind in codes} == codes


def test_without_the_lab_there_is_neither_demo_nor_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    with_lab = CliRunner().invoke(main, ["--help"]).stdout
    monkeypatch.setattr(cli, "find_spec", lambda _name: None)
    without = CliRunner().invoke(main, ["--help"]).stdout
    for command in ("bench", "demo"):
        assert f"\n  {command} " in with_lab
        assert f"\n  {command} " not in without
        assert CliRunner().invoke(main, [command]).exit_code == 2
    assert "\n  doctor " in without


@pytest.mark.parametrize("command", [*sorted(COMMANDS), "demo"])
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--help"])
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) > 4
