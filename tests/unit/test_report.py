"""The page about a table: what it says, how large it gets, and that names cannot break out."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from repave import UsageError
from repave._bucket import Listed
from repave._costs import JobCost, Prices
from repave._location import Location
from repave._report.gathering import Job, PartitionSize, TableReport, gather
from repave._report.page import html_page
from repave._storage import Amount, Storage
from repave.cli import main
from repave_lab.servers import S3Server
from unit import golden
from unit.record_files import (
    FIRST,
    SECOND,
    TABLE,
    MemoryObjects,
    active,
    checkpoint,
    head,
    logged,
    manifest,
)

NOW = datetime(2026, 11, 22, 3, tzinfo=timezone.utc)
HOSTILE = "</td><script src=//evil.example></script>\"' onload=x \x00\x1b\u202e"


class EmptyListing(MemoryObjects):
    def listed(self, folder: Location) -> Iterator[Listed]:
        del folder
        return iter(())

    def modified(self, location: Location) -> None:
        del location


def job(version: int, **members: Any) -> Job:  # noqa: ANN401
    cost = JobCost(version, FIRST, "dynamic", {"put": 5, "complete": 10}, 0.25)
    told = {"rows_in": 100 * version, "rows_out": 7, "files_in": 2, "files_out": 1, **members}
    return Job(version, FIRST, "dynamic", NOW - timedelta(days=1), cost=cost, **told)


def report(**members: Any) -> TableReport:  # noqa: ANN401
    nothing = Amount()
    storage = Storage(
        Amount(3, 3 << 30), Amount(1, 1 << 20), nothing, nothing, nothing, nothing, Amount(1, 4096)
    )
    told: dict[str, Any] = {
        "table": "s3://lake/sales",
        "made": NOW,
        "version": 2,
        "readers": "snapshot",
        "jobs": (job(2), job(1)),
        "more_jobs": False,
        "partitions": (PartitionSize("dt=1", 2, 2048, 2), PartitionSize("dt=2", 1, 1 << 30, 0)),
        "storage": storage,
        "prices": Prices(),
        "unfinished": (),
        **members,
    }
    return TableReport(**told)


def parsed(page: str) -> ET.Element:
    """Parse strictly: every element is closed, every attribute quoted, every text escaped."""
    doctype, _, html = page.partition("\n")
    assert doctype == "<!DOCTYPE html>"
    return ET.fromstring(html)  # noqa: S314 - our own page


def words(page: str) -> str:
    return " ".join("".join(parsed(page).itertext()).split())


def cells(page: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in parsed(page).iter("tr")]


def test_the_page_shows_commits_partitions_costs_and_storage() -> None:
    page = html_page(report())
    rows = cells(page)
    assert ["2", "2026-11-21 03:00:00.000Z", "dynamic", "200", "7", "2", "1"] in rows
    assert ["dt=2", "1.0 GiB", "1", "0"] in rows
    assert ["1", "15", "0.2500"] in rows
    assert ["live", "3", "3.0 GiB", "0.0690"] in rows
    told = words(page)
    assert "2 jobs, 30 requests, about $0.5000." in told
    assert "Vacuum would free 4.0 KiB in 1 file." in told
    assert "unfinished" not in told.split("Storage", maxsplit=1)[0]
    titles = [title.text for title in parsed(page).iter("title")]
    assert "version 1: 100 rows in, 7 rows out" in titles


def test_a_table_of_one_of_each_is_told_in_the_singular() -> None:
    one = Amount(1, 4096)
    page = html_page(
        report(
            version=1,
            jobs=(job(1),),
            partitions=(PartitionSize("dt=1", 1, 4096, 1),),
            storage=Storage(one, one, one, one, one, one, one),
        )
    )
    told = words(page)
    assert "Version 1, readers=snapshot: 1 live file (4.0 KiB) in 1 partition." in told
    assert "rows in (up) and out (down) of 1 job; all of the history." in told
    assert "1 job, 15 requests, about $0.2500." in told


def test_unfinished_commits_come_with_the_command_that_finishes_them() -> None:
    pending = {"commit": SECOND, "kind": "dynamic", "state": "pending", "version": 0}
    table = "s3://lake/it's " + 300 * "x"
    page = html_page(report(table=table, unfinished=(pending,)))
    (code,) = parsed(page).iter("code")
    assert code.text == f"repave recover 's3://lake/it'\"'\"'s {300 * 'x'}'"
    assert ["20261120T031500.000Z-bbbbbbbb", "dynamic", "pending", "0"] in cells(page)


def test_names_of_a_table_cannot_become_markup_or_requests() -> None:
    pending = {"commit": HOSTILE, "kind": HOSTILE, "state": HOSTILE, "version": 0}
    hostile = PartitionSize(HOSTILE, 9, 1, 9)
    page = html_page(
        report(
            table=f"s3://lake/{HOSTILE}",
            partitions=(hostile,),
            unfinished=(pending,),
            jobs=(job(1), Job(2, HOSTILE, HOSTILE, NOW, None, None, None, None, job(2).cost)),
        )
    )
    tree = parsed(page)
    names = {element.tag for element in tree.iter()}
    assert not names & {"script", "link", "img", "iframe", "a", "form", "object"}
    attributes = {name for element in tree.iter() for name in element.attrib}
    assert not {name for name in attributes if name.startswith("on") or name in ("src", "href")}
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page)
    (policy,) = [e for e in tree.iter("meta") if e.get("http-equiv") == "Content-Security-Policy"]
    assert policy.get("content") == "default-src 'none'; style-src 'unsafe-inline'"


def test_it_needs_no_network_and_fits_a_phone() -> None:
    page = html_page(report())
    assert not re.search(r"https?:|url\(|@import|//", page.replace("s3://", ""))
    (viewport,) = [e for e in parsed(page).iter("meta") if e.get("name") == "viewport"]
    assert viewport.get("content") == "width=device-width, initial-scale=1"
    wide = [box for box in parsed(page).iter("div") if box.get("class") == "wide"]
    assert len(wide) == len(list(parsed(page).iter("table"))), "tables scroll, the page does not"


def test_ten_thousand_jobs_and_partitions_make_a_small_page() -> None:
    count = 10_000
    page = html_page(
        report(
            jobs=tuple(job(version) for version in range(count, 0, -1)),
            more_jobs=True,
            partitions=tuple(PartitionSize(f"dt={n}", 3, n, 3) for n in range(count)),
            unfinished=tuple(
                {"commit": f"c{n}", "kind": "", "state": "", "version": n} for n in range(99)
            ),
        )
    )
    assert len(page) < 100_000
    assert len(list(parsed(page).iter("rect"))) < 600
    told = words(page)
    assert "of 10,000 jobs; older ones are left out" in told
    assert ["9,970 more", "47.4 MiB", "29,910", "29,910"] in cells(page)
    assert "99 unfinished commits" in told


def test_unknown_rows_are_drawn_as_files() -> None:
    unknown = job(1, rows_in=None, rows_out=None)
    told = words(html_page(report(jobs=(job(2), unknown))))
    assert "files in (up) and out (down) of 2 jobs; all of the history." in told


def test_a_table_without_versions_has_a_page() -> None:
    page = html_page(report(version=0, jobs=(), partitions=()))
    assert "None." in words(page)


def test_the_records_are_read_three_times_for_each_job() -> None:
    objects = EmptyListing()
    pending = [active(SECOND, "pending")]
    objects.put("head.json", head(version=1, log=[logged(FIRST, 1)], active=pending))
    objects.put(f"commits/{FIRST}/manifest.json.gz", manifest(FIRST, **{"rows-in": 5}))
    found = gather(objects, TABLE, Prices(), timedelta(days=7), NOW)
    (only,) = found.jobs
    assert (only.rows_in, only.rows_out, only.files_in, only.cost.requests) == (5, None, 1, None)
    assert found.partitions == (PartitionSize("dt=1", 1, 10, 1),)
    assert [one["commit"] for one in found.unfinished] == [SECOND]
    # The live files read the newest manifest again; partitions and storage share them.
    assert len(objects.reads) == 1 + 3 + 1
    assert "unknown" not in html_page(found)


def test_the_rows_of_a_commit_whose_manifest_is_gone_are_unknown() -> None:
    objects = EmptyListing()
    at = {"checkpoint": "1-x.json.gz", "checkpoint-version": 1}
    objects.put("head.json", head(version=2, log=[logged(SECOND, 2)], **at))
    objects.put("checkpoints/1-x.json.gz", checkpoint(1, "", logged(FIRST, 1)))
    objects.put(f"commits/{SECOND}/manifest.json.gz", manifest(SECOND))
    gone = gather(objects, TABLE, Prices(), timedelta(days=7), NOW).jobs[1]
    assert (gone.rows_in, gone.rows_out, gone.files_in) == (None, None, None)


def test_a_folder_without_records_is_refused() -> None:
    with pytest.raises(UsageError, match="it has no versions"):
        gather(EmptyListing(), TABLE, Prices(), timedelta(days=7), NOW)


@pytest.mark.parametrize("state", ["listing", "snapshot", "sharded"])
def test_the_golden_tables_have_a_page(state: str) -> None:
    objects = EmptyListing()
    objects.read = golden.records(state)._objects.read  # type: ignore[method-assign]
    found = gather(objects, golden.records(state).table, Prices(), timedelta(days=7), NOW)
    assert found.jobs
    parsed(html_page(found))


@pytest.mark.usefixtures("credentials")
def test_the_command_writes_the_page(server: S3Server, tmp_path: Path) -> None:
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    objects = MemoryObjects()
    objects.put("head.json", head(version=1, log=[logged(FIRST, 1)]))
    objects.put(f"commits/{FIRST}/manifest.json.gz", manifest(FIRST))
    for key, content in objects.contents.items():
        s3.put_object(Bucket="lake", Key=key, Body=content)
    place = tmp_path / "report.html"
    line = ["report", "s3://lake/sales", "--endpoint-url", server.endpoint, "-o"]
    answer = CliRunner().invoke(main, [*line, str(place)])
    assert answer.output == f"Wrote {place}: version 1, 1 job.\n"
    assert "Version 1, readers=listing" in words(place.read_text("utf-8"))
    answer = CliRunner().invoke(main, [*line, "-"])
    assert "Version 1, readers=listing" in words(answer.stdout)
    answer = CliRunner().invoke(main, [*line, f"{place}/x"], catch_exceptions=False)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("repave: The page cannot be written: ")
    assert f"{place}/x" in answer.stderr
