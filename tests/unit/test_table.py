"""The table over a fake JVM: what is asked, what comes back, how errors are told."""

import re
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest

import repave
from repave import RepaveTable, UsageError, _table
from unit.fake_spark import STATUS, FakeJavaError, FakeSpark
from unit.record_files import SECOND, active


def table(spark: FakeSpark, path: str = "s3a://lake/sales/") -> RepaveTable:
    return RepaveTable.for_path(cast("Any", spark), path)


def test_the_path_is_opened_without_its_last_slash() -> None:
    spark = FakeSpark()
    assert repr(table(spark)) == "RepaveTable.for_path(spark, 's3a://lake/sales')"
    assert spark.opened == ["s3a://lake/sales"]


@pytest.mark.parametrize("path", ["/data/sales", "hdfs://n/sales", "s3a:///sales", "sales", ""])
def test_a_path_that_is_not_on_s3_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="is not a table on S3"):
        table(FakeSpark(), path)


def test_a_session_without_the_jar_is_told_how_to_get_it() -> None:
    with pytest.raises(UsageError, match=r"repave\.configure_session"):
        table(FakeSpark(jars={}))


def test_the_newest_version_is_asked_for_by_default() -> None:
    spark = FakeSpark(
        {
            "files": {
                "version": 3,
                "partitions": [
                    {"partition": "dt=1", "files": [{"name": "a.parquet", "bytes": 4}]},
                    {"partition": "", "files": [{"name": "b.parquet", "bytes": 5}]},
                ],
            }
        }
    )
    assert [file.path for file in table(spark).files()] == ["dt=1/a.parquet", "b.parquet"]
    assert table(spark).files(2)
    assert spark.table.asked == [("files", -1), ("files", 2)]


def test_a_negative_version_is_refused() -> None:
    with pytest.raises(UsageError, match="versions count from 1"):
        table(FakeSpark()).manifest(-1)


def test_a_rollback_to_no_version_is_refused() -> None:
    """It would publish a version without files."""
    spark = FakeSpark()
    with pytest.raises(UsageError, match="There is no version 0"):
        table(spark).rollback(0)
    assert spark.table.asked == []


@pytest.mark.parametrize("version", ["3", 3.0, True])
@pytest.mark.parametrize("method", ["manifest", "files", "rollback", "to_df"])
def test_a_version_that_is_no_whole_number_is_refused(method: str, version: object) -> None:
    spark = FakeSpark()
    with pytest.raises(UsageError, match="A version is a number, not"):
        getattr(table(spark), method)(version)
    assert spark.table.asked == []


def test_vacuum_passes_its_retention_in_milliseconds() -> None:
    counts = {"dry-run": True, "files": 1, "bytes": 2, "uploads": 3, "records": 4}
    counts["oldest-version"] = 1
    spark = FakeSpark({"vacuum": counts})
    assert table(spark).vacuum(dry_run=True, retention=timedelta(days=1)).uploads == 3
    table(spark).vacuum()
    assert spark.table.asked == [("vacuum", True, 86_400_000), ("vacuum", False, -1)]
    with pytest.raises(UsageError, match=r"repave\.retention=-\d+ms is not possible"):
        table(spark).vacuum(retention=timedelta(hours=-1))


def test_a_rollback_goes_to_the_version_of_a_moment() -> None:
    done = {"version": 5, "commit": SECOND, "files-in": 1, "files-out": 2}
    spark = FakeSpark({"versionAt": 3, "rollback": done})
    assert table(spark).rollback(as_of="1970-01-01T00:01Z").version == 5
    assert spark.table.asked == [("versionAt", 60_000), ("rollback", 3)]
    for version, moment in ((None, None), (3, "1970-01-01")):
        with pytest.raises(UsageError, match="version= or as_of="):
            table(spark).rollback(version, as_of=moment)
    assert len(spark.table.asked) == 2


def test_rollback_and_adopt_answer_the_new_version() -> None:
    answers = {
        "rollback": {"version": 5, "commit": SECOND, "files-in": 1, "files-out": 2},
        "adopt": {
            "table": "s3://lake/sales",
            "version": 6,
            "commit": SECOND,
            "dry-run": False,
            "files": 7,
            "bytes": 8,
            "gone": 0,
            "partitions": [{"partition": "dt=1", "files": 7, "bytes": 8}],
        },
    }
    spark = FakeSpark(answers)
    assert table(spark).rollback(2).version == 5
    adopted = table(spark).adopt()
    assert (adopted.table, adopted.files) == ("s3://lake/sales", 7)
    assert [one.partition for one in adopted.partitions] == ["dt=1"]
    table(spark).adopt(dry_run=True)
    assert spark.table.asked == [("rollback", 2), ("adopt", False), ("adopt", True)]


def test_followers_are_switched_on_and_off_and_brought_forward() -> None:
    one = {"follower": "delta", "version": 4, "behind": 1}
    answers = {
        "follow": {"version": 5, "followers": [one]},
        "unfollow": {"version": 5, "followers": []},
        "sync": {"version": 5, "followers": [{**one, "version": 5, "behind": 0}]},
    }
    spark = FakeSpark(answers)
    assert [(it.version, it.behind) for it in table(spark).follow("delta").followers] == [(4, 1)]
    assert table(spark).unfollow("delta").followers == ()
    assert table(spark).sync().followers[0].behind == 0
    assert spark.table.asked == [("follow", "delta"), ("unfollow", "delta"), ("sync",)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("detla", "Did you mean 'delta'?"), ("Symlinks", "Did you mean 'symlink'?"), ("sales", "")],
)
def test_a_follower_without_a_database_is_refused(name: str, hint: str) -> None:
    spark = FakeSpark({})
    with pytest.raises(UsageError, match=f"There is no follower '{name}'") as refused:
        table(spark).follow(name)
    assert hint in str(refused.value)
    assert spark.table.asked == []


def test_history_reads_as_many_commits_as_are_asked_for() -> None:
    spark = FakeSpark({"history": []})
    table(spark).history()
    table(spark).history(limit=20)
    assert spark.table.asked == [("history",), ("history", 20)]
    for limit in (0, "3", 1.5):
        with pytest.raises(UsageError, match="takes a number from 1"):
            table(spark).history(limit=cast("Any", limit))


def test_recover_takes_the_name_of_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    class FakeCatalog:
        def __init__(self, *_: object) -> None: ...

        def named(self, names: tuple[str, ...]) -> tuple[str, ...]:
            named.extend(names)
            return names

        def add(self, *_: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
            return (), ()

    monkeypatch.setattr(_table, "SessionCatalog", FakeCatalog)
    spark = FakeSpark({"recover": {"version": 4, "commits": []}, "newestPartitions": []})
    table(spark).recover(tables="lake.sales")
    assert named == ["lake.sales"]


def test_repair_and_cancel_pass_on_what_they_are_asked() -> None:
    answers = {
        "repair": {"version": 5, "files": 7, "bytes": 8, "lost-commits": 2},
        "cancel": {
            "version": 5,
            "commits": [{"commit": SECOND, "kind": "static", "outcome": "reverted"}],
        },
    }
    spark = FakeSpark(answers)
    assert table(spark).repair().lost_commits == 2
    assert table(spark).cancel(SECOND).commits[0].outcome == "reverted"
    assert spark.table.asked == [("repair",), ("cancel", SECOND)]


def newest(*added: str) -> dict[str, Any]:
    """Return a manifest that put these files in."""
    files = [{"name": name, "bytes": 1} for name in added]
    change = {"partition": "dt=1", "in": files, "out": [], "adopted": []}
    counts = dict.fromkeys(("files-in", "bytes-in", "files-out", "bytes-out", "files-adopted"), 0)
    lists: dict[str, Any] = {"scope": [], "touched": [], "partitions": [change]}
    return {"version": 3, "commit": "c", "kind": "append", **counts, **lists}


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("part-0.c000.snappy.parquet", "parquet"),
        ("part-0-c000.csv.gz", "csv"),
        ("part-0.zstd.orc", "orc"),
        ("part-0.json", "json"),
        ("part-0.avro", "avro"),
        ("part-0.txt", "text"),
    ],
)
def test_the_files_tell_their_format(name: str, format_: str) -> None:
    spark = FakeSpark({"status": STATUS, "manifest": newest(name)})
    table(spark).to_df()
    assert spark.read.loaded == [(format_, "s3a://lake/sales")]


def test_when_the_newest_version_added_nothing_all_files_tell_their_format() -> None:
    one = [{"name": "a.orc", "bytes": 1}]
    files = {"version": 3, "partitions": [{"partition": "", "files": one}]}
    spark = FakeSpark({"status": STATUS, "manifest": newest(), "files": files})
    table(spark).to_df()
    assert spark.read.loaded == [("orc", "s3a://lake/sales")]


def test_files_of_two_formats_ask_for_one() -> None:
    spark = FakeSpark({"status": STATUS, "manifest": newest("a.orc", "b.parquet")})
    with pytest.raises(UsageError, match=r"do not show one format \(orc, parquet\): pass format="):
        table(spark).to_df()


def test_a_path_of_a_snapshot_table_opens_it() -> None:
    spark = FakeSpark({"status": STATUS})
    opened = RepaveTable.for_path(cast("Any", spark), "repave://lake/sales")
    assert opened.path == "s3a://lake/sales"
    assert spark.opened == ["s3a://lake/sales"]
    with pytest.raises(UsageError, match=r"names one version.*to_df\(version=…\)"):
        RepaveTable.for_path(cast("Any", spark), "repave://lake/sales/@v3")


def test_a_retention_is_a_timedelta_or_text() -> None:
    report = {"dry-run": False, "files": 0, "bytes": 0, "uploads": 0, "records": 0}
    spark = FakeSpark({"vacuum": {**report, "oldest-version": 1}})
    table(spark).vacuum(retention="7d")
    table(spark).vacuum(retention=timedelta(days=7))
    assert spark.table.asked == [("vacuum", False, 604_800_000)] * 2


def test_a_listing_table_is_read_like_any_folder() -> None:
    spark = FakeSpark({"status": STATUS, "manifest": newest("a.parquet")})
    table(spark).to_df()
    table(spark).to_df(version=3, format="orc")
    assert spark.read.loaded == [("parquet", "s3a://lake/sales"), ("orc", "s3a://lake/sales")]


def test_a_listing_tables_past_is_refused_with_its_reason() -> None:
    with pytest.raises(UsageError, match="has only the files of its newest version"):
        table(FakeSpark({"status": STATUS})).to_df(version=2)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (0, "There is no version 0: versions count from 1"),
        (4, "has no version 4; its newest is 3"),
        (1, "they were vacuumed. The oldest that can be read is 2."),
    ],
)
@pytest.mark.parametrize("readers", ["snapshot", "listing"])
def test_a_version_that_is_not_there_is_refused(version: int, message: str, readers: str) -> None:
    spark = FakeSpark({"status": {**STATUS, "oldest-version": 2, "readers": readers}})
    if readers == "listing" and version == 1:
        message = "only the files of its newest version"
    with pytest.raises(UsageError, match=re.escape(message)):
        table(spark).to_df(version=version)
    assert spark.read.loaded == []


def test_a_snapshot_table_is_read_through_its_records() -> None:
    status = {**STATUS, "readers": "snapshot"}
    spark = FakeSpark({"status": status, "manifest": newest("a.parquet")})
    for version in (None, 2, 3):
        table(spark).to_df(version=version)
    assert [path for _, path in spark.read.loaded] == [
        "repave://lake/sales",
        "repave://lake/sales/@v2",
        "repave://lake/sales/@v3",
    ]


@pytest.mark.parametrize(
    ("java", "error"),
    [
        ("CommitConflict", repave.CommitConflictError),
        ("CommitFailed", repave.CommitFailedError),
        ("CommitStateUnknown", repave.CommitStateUnknownError),
        ("InvalidConfig", repave.UsageError),
        ("InvalidRecord", repave.InvalidRecordError),
    ],
)
def test_the_jars_errors_keep_their_kind_and_sentence(
    java: str, error: type[repave.RepaveError]
) -> None:
    thrown = FakeJavaError(f"io.repave.core.error.{java}Exception", "What to do next.")
    wrapped = FakeJavaError("org.apache.spark.SparkException", "Job aborted.", thrown)
    with pytest.raises(error, match=r"^What to do next\.$"):
        table(FakeSpark({"recover": wrapped})).recover()


def test_any_other_java_error_is_left_as_it_is() -> None:
    with pytest.raises(FakeJavaError, match="broken pipe"):
        table(FakeSpark({"recover": FakeJavaError("java.io.IOException", "broken pipe")})).recover()


def commit(**members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    counts = dict.fromkeys(
        ("partitions", "files-in", "bytes-in", "files-out", "bytes-out", "files-adopted"), 1
    )
    told = {"version": 3, "commit": SECOND, "kind": "<i>", "state": "published", "token": ""}
    return {**told, **counts, "rows-in": 1234, "rows-out": None, **members}


def test_a_commit_of_the_history_has_the_time_of_its_publication() -> None:
    entries = [commit(**{"published-millis": millis}) for millis in (60_000, None, 1 << 53)]
    first, second, last = table(FakeSpark({"history": entries})).history()
    assert first.published == datetime(1970, 1, 1, 0, 1, tzinfo=timezone.utc)
    assert second.published is None
    assert last.published is not None
    assert last.published.year == 9999  # a hostile record ends no listing


def test_a_notebook_shows_tables_and_histories_as_html() -> None:
    spark = FakeSpark({"status": STATUS, "history": [commit(**{"published-millis": 456})] * 120})
    html = table(spark).history()._repr_html_()
    assert html.count("<tr>") == 1 + 100
    assert "20 more commits." in html
    assert "&lt;i&gt;" in html
    assert "1,234" in html
    assert "1970-01-01 00:00:00.456Z" in html, "--as-of takes it"
    shown = table(spark)._repr_html_()
    assert "<b>s3a://lake/sales</b> version 3, readers=listing" in shown
    assert spark.table.asked[-1] == ("history", 5)


def test_a_notebook_tells_of_one_commit_in_the_singular() -> None:
    spark = FakeSpark(
        {"status": {**STATUS, "active": [active(SECOND, "pending")]}, "history": [commit()] * 101}
    )
    assert "1 more commit." in table(spark).history()._repr_html_()
    assert "; 1 unfinished commit: recover()" in table(spark)._repr_html_()


def test_a_notebook_shows_an_error_in_place_of_a_table() -> None:
    error = FakeJavaError("io.repave.core.store.StoreException", "<S3> does not answer")
    html = table(FakeSpark({"status": error}))._repr_html_()
    assert "RepaveTable.for_path(spark, &#x27;s3a://lake/sales&#x27;)" in html
    assert "&lt;S3&gt; does not answer." in html
    unknown = {**STATUS, "table-id": "", "version": 0}
    html = table(FakeSpark({"status": unknown}))._repr_html_()
    assert "Repave has not written to this table." in html
