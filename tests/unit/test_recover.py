"""What `repave recover` and `RepaveTable.recover` tell, also where the table cannot be read."""

import json
import re
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError
from click.testing import CliRunner, Result

from repave import RepaveTable
from repave.cli import change, main
from unit.fake_s3 import FakeS3
from unit.fake_spark import STATUS, FakeJavaError, FakeSpark
from unit.golden import GoldenS3
from unit.record_files import FIRST, SECOND

NOTHING = {"version": 0, "commits": []}
REVERTED = {"commit": FIRST, "kind": "append", "outcome": "reverted", "partitions": []}
FINISHED = {"commit": SECOND, "kind": "append", "outcome": "finished", "partitions": ["dt=1"]}


def table(spark: FakeSpark) -> RepaveTable:
    return RepaveTable.for_path(cast("Any", spark), "s3a://lake/sales")


class ExpiredS3(FakeS3):
    def get_object(self, **_request: Any) -> dict[str, Any]:  # noqa: ANN401
        raise ClientError({"Error": {"Code": "ExpiredToken"}}, "GetObject")


def recover(
    monkeypatch: pytest.MonkeyPatch,
    store: FakeS3,
    table: str,
    *words: str,
    answer: object = NOTHING,
) -> Result:
    monkeypatch.setattr("repave.cli.store.client", lambda *_: store)
    monkeypatch.setattr(change, "run_in_jvm", lambda *_: answer)
    return CliRunner().invoke(main, ["recover", table, *words])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "s3://lake/sales: there is no Repave table here"),
        (("--json",), json.dumps(NOTHING, indent=2)),
    ],
)
def test_a_folder_that_is_no_table_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    """A misspelled path must not look like a table that is recovered."""
    result = recover(monkeypatch, FakeS3(), "s3://lake/sales", *words)
    assert told in result.stdout
    assert result.exit_code == 1


def test_a_table_without_a_version_exits_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    state = "first-commit-pending"
    result = recover(monkeypatch, GoldenS3(state), f"s3://lake/{state}")
    assert result.stdout.splitlines() == [
        "There was nothing to recover.",
        f"Repave has published nothing in s3://lake/{state}.",
    ]
    assert result.exit_code == 0


@pytest.mark.parametrize("outcomes", [(REVERTED, FINISHED), (FINISHED,)])
def test_what_was_done_is_told_although_the_status_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, outcomes: tuple[dict[str, object], ...]
) -> None:
    """A second run finds nothing, so nobody would learn that a commit was reverted."""
    store = ExpiredS3()
    answer = {"version": 4, "commits": list(outcomes)}
    told = recover(monkeypatch, store, "s3://lake/sales", answer=answer)
    assert told.stdout.splitlines() == [
        *(f"{one['outcome']}: append commit {one['commit']}" for one in outcomes),
        "The table is at version 4.",
    ]
    assert told.exit_code == 1
    assert told.stderr.startswith("The commits are recovered, but a catalog may not know their new")
    assert "ExpiredToken" in told.stderr
    document = json.loads(
        recover(monkeypatch, store, "s3://lake/sales", "--json", answer=answer).stdout
    )
    assert document == {**answer, "notes": [told.stderr.rstrip("\n")]}


def test_what_recover_did_is_told() -> None:
    done = {"version": 4, "commits": [{"commit": SECOND, "kind": "append", "outcome": "finished"}]}
    recovery = table(FakeSpark({"recover": done, "status": STATUS})).recover()
    assert recovery.version == 4
    assert [(one.commit, one.outcome) for one in recovery.commits] == [(SECOND, "finished")]


def test_recover_moves_a_table_of_the_metastore_and_tells_why_it_stays_behind() -> None:
    done = {"version": 4, "commits": [{"commit": SECOND, "kind": "append", "outcome": "finished"}]}
    status = {**STATUS, "followers": [{"follower": "metastore", "version": 3, "behind": 1}]}
    broken = FakeJavaError("java.io.IOException", "no metastore")
    for answer, told in (({"followers": []}, False), (broken, True)):
        spark = FakeSpark({"recover": done, "status": status, "moveInMetastore": answer})
        notes = table(spark).recover().notes
        assert [one for one, *_ in spark.table.asked] == ["recover", "status", "moveInMetastore"]
        assert any("no metastore" in note for note in notes) is told


def test_recover_tells_that_the_status_is_unknown_and_keeps_what_it_did() -> None:
    done = {"version": 4, "commits": [{"commit": SECOND, "kind": "append", "outcome": "finished"}]}
    broken = FakeJavaError("java.io.IOException", "no answer")
    recovery = table(FakeSpark({"recover": done, "status": broken})).recover()
    assert [one.commit for one in recovery.commits] == [SECOND]
    (note,) = recovery.notes
    assert re.match(r"The commits are recovered, but a catalog may not know.*no answer", note)


def test_recover_keeps_what_it_did_if_the_newest_partitions_are_unknown() -> None:
    done = {"version": 4, "commits": [{"commit": SECOND, "kind": "append", "outcome": "reverted"}]}
    broken = FakeJavaError("java.io.IOException", "no answer")
    answers = {"recover": done, "newestPartitions": broken, "status": STATUS}
    recovery = table(FakeSpark(answers)).recover()
    assert [one.outcome for one in recovery.commits] == ["reverted"]
    (note,) = recovery.notes
    assert re.match(r"The commits are recovered, but a catalog may not know.*no answer", note)


def test_recover_tells_one_reason_once() -> None:
    done = {"version": 4, "commits": []}
    broken = FakeJavaError("java.io.IOException", "no answer")
    answers = {"recover": done, "newestPartitions": broken, "status": broken}
    (note,) = table(FakeSpark(answers)).recover().notes
    assert "no answer" in note


def test_recover_of_no_tables_leaves_the_catalog_alone() -> None:
    done = {"version": 4, "commits": []}
    spark = FakeSpark({"recover": done})
    assert table(spark).recover(tables=()).version == 4
    assert [one for one, *_ in spark.table.asked] == ["recover"]
