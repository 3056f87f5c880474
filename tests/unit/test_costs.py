"""What jobs cost: the requests of their records, and the price of these."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from repave._costs import Prices, costs, costs_of
from repave._errors import InvalidRecordError, UsageError
from repave._read import TableRecords
from repave.cli import main
from repave_lab.servers import S3Server
from unit import golden
from unit.record_files import FIRST, SECOND, TABLE, MemoryObjects, head, logged
from unit.test_json_page import keys, shown

# ruff: noqa: ANN401 - JSON

MIB = 1 << 20
DIRECT = {"upload": "", "etags": [], "part-bytes": 0}
# Around each append: a look for the log of a streaming sink, and one for open uploads.
AROUND = {"list": 1, "list-uploads": 1}


def ledger(commit: str, *uploads: dict[str, Any], **members: Any) -> dict[str, Any]:
    files = [
        {"partition": 0, "name": f"part-{n}", "bytes": 1, **one} for n, one in enumerate(uploads)
    ]
    return {
        "format": 1,
        "record": "uploads",
        "commit": commit,
        "kind": "append",
        "token": "",
        "marker": "",
        "files": len(uploads),
        "bytes": 1,
        "target": 0,
        "shards": 0,
        "scope": [],
        "touched": ["dt=1"],
        "uploads": files,
        "partitions": ["dt=1"],
        **members,
    }


def report(commit: str, **requests: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "record": "report",
        "commit": commit,
        "kind": "append",
        "version": 1,
        "files-in": 1,
        "bytes-in": 1,
        "files-out": 0,
        "bytes-out": 0,
        "requests": requests,
        "millis": {},
    }


def table_of(*uploads: dict[str, Any], **requests: Any) -> MemoryObjects:
    """Return a table with one job."""
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, log=[logged(FIRST, 1)]))
    objects.put(f"commits/{FIRST}/uploads.json.gz", ledger(FIRST, *uploads))
    objects.put(f"commits/{FIRST}/report.json", report(FIRST, **requests))
    return objects


def requests_of(objects: MemoryObjects) -> Any:
    (job,) = costs_of(TableRecords(objects, TABLE), Prices()).jobs
    return job.requests


def test_a_files_parts_are_counted_with_the_requests_of_the_commit() -> None:
    upload = {"upload": "u", "etags": ["a", "b", "c"], "part-bytes": 8 * MIB, "bytes": 20 * MIB}
    objects = table_of(upload, complete=1, get=1, put=4)
    # The report was written before the report itself and the last head.
    assert requests_of(objects) == {
        "create": 1,
        "part": 3,
        "complete": 1,
        "get": 1,
        "put": 6,
        **AROUND,
    }


def test_what_a_driver_completed_before_it_died_is_counted_once() -> None:
    upload = {"upload": "u", "etags": ["a"], "part-bytes": 8 * MIB, "bytes": MIB}
    assert requests_of(table_of(upload, upload, upload, complete=1))["complete"] == 3
    assert requests_of(table_of(upload, complete=2))["complete"] == 2
    # The driver of the first job died after one Complete of three; the second job sent the others.
    objects = table_of(upload, upload, upload)
    objects.put("head.json", head(version=2, log=[logged(FIRST, 1), logged(SECOND, 2)]))
    objects.put(f"commits/{SECOND}/uploads.json.gz", ledger(SECOND, upload))
    objects.put(f"commits/{SECOND}/report.json", report(SECOND, complete=3))
    second, first = costs_of(TableRecords(objects, TABLE), Prices()).jobs
    assert (second.requests or {})["complete"] == 3
    assert (first.requests or {})["complete"] == 1


def test_a_small_file_of_a_snapshot_table_is_one_put() -> None:
    assert requests_of(table_of(DIRECT, DIRECT, put=4)) == {"put": 8, **AROUND}


def test_a_large_file_of_a_snapshot_table_is_uploaded_in_parts() -> None:
    large = {**DIRECT, "part-bytes": 8 * MIB, "bytes": 20 * MIB}
    assert requests_of(table_of(large)) == {
        "create": 1,
        "part": 3,
        "complete": 1,
        "put": 2,
        **AROUND,
    }


def test_a_marker_and_a_token_are_one_put_each() -> None:
    objects = table_of(DIRECT)
    record = ledger(FIRST, DIRECT, marker="_SUCCESS", token="run-7")
    objects.put(f"commits/{FIRST}/uploads.json.gz", record)
    assert requests_of(objects) == {"put": 5, **AROUND}


def test_the_shards_of_a_ledger_are_read() -> None:
    objects = table_of()
    objects.put(f"commits/{FIRST}/uploads.json.gz", ledger(FIRST, shards=2))
    for number in range(2):
        shard = ledger(FIRST, DIRECT, DIRECT, record="uploads-shard")
        objects.put(f"commits/{FIRST}/uploads-{number:05}.json.gz", shard)
    assert requests_of(objects) == {"put": 6, **AROUND}


def test_a_job_whose_records_were_removed_is_unknown_and_the_others_are_not() -> None:
    objects = table_of(DIRECT)
    objects.put("head.json", head(version=2, log=[logged(FIRST, 1), logged(SECOND, 2)]))
    found = costs_of(TableRecords(objects, TABLE), Prices())
    assert [(job.version, job.requests) for job in found.jobs] == [
        (2, None),
        (1, {"put": 3, **AROUND}),
    ]
    assert (found.unknown, found.requests) == (1, {"put": 3, **AROUND})


def test_only_jobs_that_began_since_a_time_are_read() -> None:
    objects = table_of(DIRECT)
    found = costs_of(
        TableRecords(objects, TABLE), Prices(), datetime(2026, 11, 20, tzinfo=timezone.utc)
    )
    assert found.jobs == ()
    assert objects.reads == ["sales/_repave/head.json"]


@pytest.mark.parametrize(
    "since",
    [
        datetime(2026, 11, 20),  # noqa: DTZ001 - what a user passes; it is in UTC
        datetime(2026, 11, 20, 2, tzinfo=timezone(timedelta(hours=2))),
        "2026-11-20",
        "2026-11-20T00:00Z",
    ],
)
def test_since_is_a_time_as_everywhere_else(
    monkeypatch: pytest.MonkeyPatch, since: datetime | str
) -> None:
    asked: list[datetime | None] = []
    monkeypatch.setattr("repave._costs.client", lambda *_: None)
    monkeypatch.setattr(
        "repave._costs.costs_of", lambda _records, _prices, when: asked.append(when)
    )
    costs(str(TABLE), since)
    assert asked == [datetime(2026, 11, 20, tzinfo=timezone.utc)]


def test_an_age_as_text_names_the_timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repave._costs.client", lambda *_: None)
    with pytest.raises(UsageError, match=r"'30 days' is not a time.*timedelta\(days=30\)"):
        costs(str(TABLE), "30 days")


@pytest.mark.parametrize(
    ("days", "year"), [(1_000_000, 1970), (999_999_999, 1970), (-(10**7), 9999)]
)
def test_an_age_beyond_the_calendar_is_before_or_after_all_jobs(
    monkeypatch: pytest.MonkeyPatch, days: int, year: int
) -> None:
    asked: list[datetime] = []
    monkeypatch.setattr("repave._costs.client", lambda *_: None)
    monkeypatch.setattr(
        "repave._costs.costs_of", lambda _records, _prices, when: asked.append(when)
    )
    costs(str(TABLE), timedelta(days=days))
    assert [when.year for when in asked] == [year]


def test_a_job_takes_two_gets() -> None:
    objects = table_of(DIRECT)
    requests_of(objects)
    assert len(objects.reads) == 1 + 2


@pytest.mark.parametrize("count", [-1, 1.5, "7", True, None])
def test_a_report_with_a_number_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(InvalidRecordError, match="has no usable 'get'"):
        requests_of(table_of(DIRECT, get=count))


@pytest.mark.parametrize("state", ["listing", "snapshot", "sharded"])
def test_the_golden_tables_have_costs(state: str) -> None:
    found = costs_of(golden.records(state), Prices())
    assert found.jobs
    assert found.unknown == 0
    for job in found.jobs:
        assert job.requests is not None
        assert job.requests["put"] >= 4
        assert job.dollars == Prices().dollars(job.requests)


def test_the_page_shows_the_document() -> None:
    upload = {"upload": "u", "etags": ["a"], "part-bytes": 8 * MIB}
    objects = table_of(upload, list=1, complete=1, get=1, delete=1)
    document = costs_of(TableRecords(objects, TABLE), Prices()).document()
    (page,) = shown("costs")
    assert {*keys(document), "storage"} == keys(page).keys()
    assert keys(document)["jobs"][0].keys() == keys(page)["jobs"][0].keys()


def test_prices_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"writes": 5, "reads": 1}', "utf-8")
    prices = Prices.read(path)
    assert prices.dollars({"put": 1000, "head": 2000, "abort": 9}) == pytest.approx(7)


@pytest.mark.parametrize("text", ["", "[]", '{"put": 1}', '{"writes": -1}', '{"writes": true}'])
def test_a_file_that_is_no_price_list_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=r"price list .*prices\.json"):
        Prices.read(path)


def put_table(server: S3Server) -> None:
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    for key, content in table_of(DIRECT, get=2, put=3).contents.items():
        s3.put_object(Bucket="lake", Key=key, Body=content)


@pytest.mark.usefixtures("credentials")
def test_the_command_shows_each_job_and_the_sum(server: S3Server) -> None:
    put_table(server)
    line = ["costs", str(TABLE), "--endpoint-url", server.endpoint]
    shown_text = CliRunner().invoke(main, line, catch_exceptions=False).stdout
    assert "1 job, 10 requests, about $0.0000." in shown_text
    assert "2026-11-19 03:15:00.000Z" in shown_text
    document = json.loads(CliRunner().invoke(main, [*line, "--json"]).stdout)
    assert document["requests"] == {"put": 6, "get": 2, **AROUND}
    assert document["dollars"] == pytest.approx((8 * 0.005 + 2 * 0.0004) / 1000)


@pytest.mark.usefixtures("credentials")
def test_a_folder_that_is_no_table_is_told_so(server: S3Server) -> None:
    """`0 jobs` would be taken for a table that cost nothing."""
    put_table(server)
    line = ["costs", f"{TABLE}/dt=1", "--endpoint-url", server.endpoint]
    shown_text = CliRunner().invoke(main, line, catch_exceptions=False)
    assert "s3://lake/sales/dt=1: there is no Repave table here" in shown_text.stdout
    assert "It is inside the table s3://lake/sales, which Repave writes" in shown_text.stdout
    assert "0 jobs" not in shown_text.stdout
    document = CliRunner().invoke(main, [*line, "--json"])
    assert json.loads(document.stdout)["jobs"] == []
    assert (shown_text.exit_code, document.exit_code) == (1, 1)


@pytest.mark.usefixtures("credentials")
def test_a_table_without_young_jobs_is_well(server: S3Server) -> None:
    put_table(server)
    line = ["costs", str(TABLE), "--since", "1h", "--endpoint-url", server.endpoint]
    shown_text = CliRunner().invoke(main, line, catch_exceptions=False)
    assert shown_text.exit_code == 0
    assert "0 jobs, 0 requests, about $0.0000." in shown_text.stdout
