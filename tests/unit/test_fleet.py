"""Many tables at once: what is shown, what is recovered, what a monitor gets as its exit code."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from repave._errors import RepaveError
from repave._fleet import Limits, TableHealth
from repave._location import Location
from repave._read import TableRecords
from repave.cli import fleet, main
from repave_lab.servers import S3Server
from unit import golden
from unit.record_files import FIRST, SECOND, THIRD, MemoryObjects, active, head, logged
from unit.test_json_page import keys

# ruff: noqa: ANN401 - boto3 has no types

PAGE = (Path(__file__).parents[2] / "docs/monitoring.md").read_text("utf-8")
NOW = datetime(2026, 11, 22, 3, 15, tzinfo=timezone.utc)


pytestmark = pytest.mark.usefixtures("credentials")


@pytest.fixture
def bucket(server: S3Server) -> Iterator[Any]:
    """A bucket with a table that is well, among files that are nobody's."""
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    put_table(s3, "eu/sales", version=1, log=[logged(THIRD, 1)])
    for key in ("readme.txt", "raw/day=1/part-00000.parquet", "eu/sales/day=1/part-00000.parquet"):
        s3.put_object(Bucket="lake", Key=key, Body=b"x")
    yield s3
    for item in s3.list_objects_v2(Bucket="lake").get("Contents", ()):
        s3.delete_object(Bucket="lake", Key=item["Key"])
    s3.delete_bucket(Bucket="lake")


def put_table(s3: Any, key: str, **members: Any) -> None:
    records = MemoryObjects()
    records.put("head.json", head(**members))
    (content,) = records.contents.values()
    s3.put_object(Bucket="lake", Key=f"{key}/_repave/head.json", Body=content)


def unfinished(age: timedelta, commit: str = SECOND) -> dict[str, Any]:
    since = datetime.now(timezone.utc) - age
    return {**active(commit, "pending"), "reserved-millis": int(since.timestamp() * 1000)}


def repave(server: S3Server, *words: str, below: str = "s3://lake/") -> Result:
    command, *rest = words
    line = [command, below, *rest, "--endpoint-url", server.endpoint]
    return CliRunner().invoke(main, line, catch_exceptions=False)


@pytest.mark.usefixtures("bucket")
def test_all_is_well_with_0(server: S3Server) -> None:
    result = repave(server, "status", "--recursive")
    assert result.exit_code == 0
    assert "s3://lake/eu/sales" in result.stdout
    assert "1 table below s3://lake, 0 in need of attention; " in result.stdout


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize("words", [("status", "--recursive"), ("recover", "--all")])
def test_a_misspelled_folder_is_not_well(server: S3Server, words: tuple[str, str]) -> None:
    result = repave(server, *words, below="s3://lake/typo")
    assert result.exit_code == 2
    assert "There is no table below s3://lake/typo: correct the path" in result.stderr
    assert repave(server, *words, below="s3://lake/raw").exit_code == 2, "it has other files"


@pytest.mark.parametrize("words", [("status", "--recursive"), ("recover", "--all")])
@pytest.mark.parametrize("inside", ["day=1", "_repave", "day=1/_temporary"])
def test_a_path_inside_a_table_is_not_well(
    server: S3Server, bucket: Any, words: tuple[str, str], inside: str
) -> None:
    put_table(bucket, "eu/sales", version=1, active=[unfinished(timedelta(minutes=30))])
    result = repave(server, *words, below=f"s3://lake/eu/sales/{inside}")
    assert result.exit_code == 2
    assert f"s3://lake/eu/sales/{inside} is inside the table s3://lake/eu/sales" in result.stderr


def test_a_path_inside_a_table_that_is_a_whole_bucket_is_not_well(
    server: S3Server, bucket: Any
) -> None:
    records = MemoryObjects()
    records.put("head.json", head(version=1))
    (content,) = records.contents.values()
    bucket.put_object(Bucket="lake", Key="_repave/head.json", Body=content)
    result = repave(server, "status", "--recursive", below="s3://lake/day=1")
    assert result.exit_code == 2
    assert "s3://lake/day=1 is inside the table s3://lake: use that table" in result.stderr


@pytest.mark.parametrize(("minutes", "code"), [(1, 0), (30, 1)])
def test_a_commit_needs_attention_when_it_is_old(
    server: S3Server, bucket: Any, minutes: int, code: int
) -> None:
    put_table(bucket, "eu/orders", version=1, active=[unfinished(timedelta(minutes=minutes))])
    result = repave(server, "status", "--recursive")
    assert result.exit_code == code
    told = f"Commit {SECOND} has been unfinished for 30m" in result.stdout
    assert told is bool(code)
    assert repave(server, "status", "--recursive", "--older-than", "1h").exit_code == 0
    assert repave(server, "status", "--recursive", "--older-than", "10s").exit_code == 1


@pytest.mark.usefixtures("bucket")
def test_a_lag_needs_attention_when_one_is_expected(server: S3Server) -> None:
    assert repave(server, "status", "--recursive", "--max-lag", "100000d").exit_code == 0
    result = repave(server, "status", "--recursive", "--max-lag", "1s")
    assert result.exit_code == 1
    assert "at most 1s is expected" in result.stdout


def test_an_unreadable_head_needs_attention(server: S3Server, bucket: Any) -> None:
    bucket.put_object(Bucket="lake", Key="bad/_repave/head.json", Body=b"{}")
    result = repave(server, "status", "--recursive")
    assert result.exit_code == 1
    assert "s3://lake/bad: The record" in result.stdout
    (row,) = [one.split() for one in result.stdout.splitlines() if one.startswith("s3://lake/bad ")]
    assert row[1:] == ["–"] * 4, "nothing is known of it, not even its version"
    assert "s3://lake/eu/sales" in result.stdout


@pytest.mark.parametrize("words", [("status", "--recursive"), ("recover", "--all")])
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_store_that_does_not_answer_exits_with_2(
    server: S3Server, words: tuple[str, ...], as_json: tuple[str, ...]
) -> None:
    result = repave(server, *words, *as_json, below="s3://nowhere/")
    assert result.exit_code == 2
    assert "There is no bucket nowhere" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ("status", "--older-than", "5m"),
        ("status", "--max-lag", "5m"),
        ("recover", "--older-than", "5m"),
        ("status", "--recursive", "--older-than", "soon"),
        ("status", "--recursive", "--older-than", "9999999999d"),
        ("status", "--recursive", "--max-lag", "9" * 5_000 + "s"),
    ],
)
def test_wrong_usage_exits_with_2(server: S3Server, words: tuple[str, ...]) -> None:
    assert repave(server, *words).exit_code == 2


def test_a_duration_that_no_clock_measures_is_told(server: S3Server) -> None:
    result = repave(server, "recover", "--all", "--older-than", "9999999999d")
    assert "9999999999d is too long: a duration has at most 999999999 days." in result.stderr


def test_the_answer_is_as_the_page_shows_it(server: S3Server, bucket: Any) -> None:
    put_table(
        bucket,
        "eu/orders",
        version=1,
        active=[unfinished(timedelta(hours=1))],
        log=[logged(THIRD, 1)],
    )
    document = json.loads(repave(server, "status", "--recursive", "--json").stdout)
    shown, recovered = map(json.loads, re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert keys(document) == keys(shown)
    assert [one["table"] for one in document["tables"]] == [
        "s3://lake/eu/orders",
        "s3://lake/eu/sales",
    ]
    assert document["tables"][1]["last-commit"] == "2026-11-21T03:15:00Z"
    # The bucket, its two folders, two tables; a page for each of the three folders, and one to see
    # that the first partition of raw holds no tables.
    assert document["requests"] == {"get": 5, "list": 4}
    assert [one["commits"][0]["outcome"] for one in recovered["tables"][:1]] == ["finished"]


def test_ages_and_lags_are_measured_from_the_decision_and_the_begin() -> None:
    since = NOW - timedelta(minutes=20)
    commit = {**active(SECOND, "pending"), "reserved-millis": int(since.timestamp() * 1000)}
    overview = {**head(version=1), "active": [commit], "last-commit": THIRD}
    limits = Limits(NOW, timedelta(minutes=10), timedelta(hours=25))
    found = TableHealth.of(Location.of("s3://lake/sales"), overview, limits)
    assert (found.age, found.lag) == (timedelta(minutes=20), timedelta(days=1))
    assert len(found.problems) == 1
    assert found.is_stuck(limits)


@pytest.mark.parametrize(
    ("follower", "name", "call"),
    [
        ("delta", "", "delta is at version 1 of 3: run `repave sync`."),
        ("glue", "db.sales", "glue db.sales is at version 1 of 3: run `repave sync`."),
        ("metastore", "db.sales", "version 1 of 3: call table.sync() in a session"),
    ],
)
def test_a_follower_that_stays_behind_needs_attention(follower: str, name: str, call: str) -> None:
    late = {"follower": follower, "name": name, "version": 1, "behind": 2}
    overview = {**head(version=3), "active": [], "last-commit": THIRD, "followers": [late]}

    def problems(missed: timedelta | None) -> tuple[str, ...]:
        moment = None if missed is None else int((NOW - missed).timestamp() * 1000)
        found = {**overview, "missed": {follower: moment}}
        limits = Limits(NOW, timedelta(minutes=10))
        return TableHealth.of(Location.of("s3://lake/sales"), found, limits).problems

    assert problems(timedelta(minutes=9)) == (), "its commit may be moving it"
    assert problems(None) == (), "its commit is unfinished"
    (problem,) = problems(timedelta(minutes=11))
    assert call in problem
    late["behind"] = 0
    assert problems(timedelta(minutes=11)) == ()


@pytest.mark.parametrize(
    ("unfinished", "published", "missed"),
    [
        (0, {2: 5_000, 3: 9_000}, 5_000),
        (2, {3: 9_000}, None),
        (0, {3: 9_000}, 0),
        (0, {2: None}, 0),
    ],
)
def test_the_overview_tells_since_when_a_follower_lacks_a_version(
    unfinished: int, published: dict[int, int | None], missed: int | None
) -> None:
    commits = [
        {**logged(FIRST, version), **({} if millis is None else {"published-millis": millis})}
        for version, millis in published.items()
    ]
    records = MemoryObjects()
    behind = {"id": "f", "kind": "delta", "from": 0, "next": 2, "state": 0}
    records.put(
        "head.json",
        head(
            version=3,
            format=2,
            active=[active(SECOND, "cleaning", unfinished)] if unfinished else [],
            log=commits,
            followers=[behind],
        ),
    )
    found = TableRecords(records, Location.of("s3://lake/sales")).overview()
    assert found is not None
    assert found["missed"] == {"delta": missed}


class FakeSubmit:
    """Answers what a JVM would."""

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, ...]] = []

    def run(self, command: str, table: Location, *more: str) -> list[dict[str, Any]]:
        paths = (str(table.with_scheme("s3a")), *more)
        self.asked.append((command, *paths))
        return [{"table": path, **self.answers[path]} for path in paths]


def recovered(outcome: str, *partitions: str) -> dict[str, Any]:
    commit = {"commit": SECOND, "kind": "dynamic", "outcome": outcome, "partitions": partitions}
    return {"version": 2, "commits": [commit]}


@pytest.fixture
def stuck(bucket: Any) -> Any:
    """Two tables with an old commit, and one whose commit is young."""
    for key, minutes in (("eu/orders", 30), ("eu/stock", 40), ("eu/young", 1)):
        put_table(bucket, key, version=1, active=[unfinished(timedelta(minutes=minutes))])
    return bucket


@pytest.mark.parametrize(("outcome", "code"), [("finished", 0), ("reverted", 1)])
def test_stuck_tables_are_recovered_in_one_jvm(
    server: S3Server, stuck: Any, monkeypatch: pytest.MonkeyPatch, outcome: str, code: int
) -> None:
    submit = FakeSubmit(
        {
            "s3a://lake/eu/orders": recovered("finished", "day=1", "day=2"),
            "s3a://lake/eu/stock": recovered(outcome),
        }
    )
    monkeypatch.setattr(fleet, "prepare", lambda *_arguments: submit)
    result = repave(server, "recover", "--all")
    (asked,) = [it["words"] for it in golden.COMMANDS if it["words"][0] == "recover-all"]
    assert submit.asked == [tuple(asked)]
    assert result.exit_code == code
    assert f"s3://lake/eu/orders: finished: dynamic commit {SECOND}" in result.stdout
    assert "  ALTER TABLE <name> ADD IF NOT EXISTS PARTITION (`day`='2')\n" in result.stdout


def test_the_name_of_one_table_is_refused_for_all(server: S3Server) -> None:
    result = repave(server, "recover", "--all", "--name", "stock")
    assert result.exit_code == 2
    assert "--name is the name of one table" in result.stderr


def test_a_table_that_cannot_be_recovered_exits_with_1(
    server: S3Server, stuck: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = {"error": "InvalidRecordException", "message": "It is damaged."}
    answers = {"s3a://lake/eu/orders": error, "s3a://lake/eu/stock": recovered("finished")}
    monkeypatch.setattr(fleet, "prepare", lambda *_arguments: FakeSubmit(answers))
    result = repave(server, "recover", "--all", "--json")
    assert result.exit_code == 1
    first, second = json.loads(result.stdout)["tables"]
    assert (first["table"], first["error"]) == ("s3://lake/eu/orders", "RecordRefused")
    assert second["commits"][0]["outcome"] == "finished"


@pytest.mark.usefixtures("stuck")
def test_a_jvm_that_fails_does_not_hide_what_the_one_before_it_did(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"s3a://lake/eu/orders": recovered("reverted")}

    class Failing(FakeSubmit):
        def run(self, command: str, table: Location, *more: str) -> list[dict[str, Any]]:
            if self.asked:
                message = "The JVM ended with 137."
                raise RepaveError(message)
            return super().run(command, table, *more)

    monkeypatch.setattr(fleet, "TABLES_OF_A_JVM", 1)
    monkeypatch.setattr(fleet, "prepare", lambda *_arguments: Failing(answers))
    result = repave(server, "recover", "--all")
    assert result.exit_code == 1
    assert f"s3://lake/eu/orders: reverted: dynamic commit {SECOND}" in result.stdout
    assert "s3://lake/eu/stock: The JVM ended with 137." in result.stdout


@pytest.mark.usefixtures("bucket")
def test_where_nothing_is_stuck_no_jvm_is_started(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> None:
        message = "no Spark here"
        raise RepaveError(message)

    monkeypatch.setattr(fleet, "prepare", refuse)
    result = repave(server, "recover", "--all")
    assert (result.exit_code, result.stdout) == (
        0,
        "There was nothing to recover.\nLooked at 1 table below s3://lake.\n",
    )


@pytest.mark.usefixtures("stuck")
def test_without_spark_recovery_exits_with_2(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> None:
        message = "no Spark here"
        raise RepaveError(message)

    monkeypatch.setattr(fleet, "prepare", refuse)
    assert repave(server, "recover", "--all").exit_code == 2
