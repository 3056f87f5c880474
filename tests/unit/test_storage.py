"""What a table keeps: each listed file is live, retained, unfinished, orphaned or unrecorded."""

import json
import tracemalloc
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from repave import _storage
from repave._bucket import BucketObjects, Listed
from repave._errors import RepaveError
from repave._location import Location
from repave._read import TableRecords
from repave._records import DataFile
from repave._sorted_keys import SortedKeys
from repave._storage import Amount, Storage, compared, storage_of
from repave.cli import main, report
from repave_lab.servers import S3Server
from unit.record_files import TABLE, MemoryObjects, active, head, logged, manifest
from unit.test_json_page import keys, shown

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
WEEK = timedelta(days=7)
IDS = [f"{n}{n}{n}{n}{n}{n}{n}{n}-0000-4000-8000-000000000000" for n in range(1, 6)]
FIRST, SECOND, LATEST, DEAD, FRESH = (
    f"{began}T031500.000Z-{commit}"
    for began, commit in zip(
        ("20261101", "20261102", "20261121", "20261103", "20261121"), IDS, strict=True
    )
)


def data(commit: str, number: int = 0) -> str:
    return f"part-0000{number}-{commit.partition('-')[2]}-7.parquet"


class ListedObjects(MemoryObjects):
    """A bucket with one table; the listing has what a test adds to the records."""

    def __init__(self, **members: Any) -> None:  # noqa: ANN401 - JSON
        super().__init__()
        self.files: dict[str, int] = {}
        self.asked: list[str] = []
        self.put("head.json", head(**members))

    def listed(self, folder: Location) -> Iterator[Listed]:
        assert folder == TABLE
        for key, content in self.contents.items():
            self.files.setdefault(key.removeprefix("sales/"), len(content))
        for path in sorted(self.files):
            yield Listed(path, self.files[path], NOW - timedelta(days=30))

    def modified(self, location: Location) -> datetime | None:
        self.asked.append(location.key)
        there = location.key.removeprefix("sales/") in self.files or location.key in self.contents
        return NOW if there else None

    def commit(self, commit: str, added: dict[str, int], out: dict[str, int]) -> None:
        files = {
            name: [{"name": file, "bytes": size} for file, size in these.items()]
            for name, these in (("in", added), ("out", out))
        }
        entry = {"partition": "dt=1", **files}
        self.put(f"commits/{commit}/manifest.json.gz", manifest(commit, partitions=[entry]))
        self.files |= {f"dt=1/{name}": size for name, size in added.items()}


def snapshot_log() -> list[dict[str, Any]]:
    return [
        {**logged(commit, version), "published-millis": int(when.timestamp() * 1000)}
        for version, (commit, when) in enumerate(
            ((FIRST, NOW - 3 * WEEK), (SECOND, NOW - 2 * WEEK), (LATEST, NOW - WEEK / 2)), 1
        )
    ]


def snapshot_table() -> ListedObjects:
    """Return three versions of one partition; each replaces the one before."""
    pending = [active(FRESH, "pending")]
    objects = ListedObjects(readers="snapshot", version=3, log=snapshot_log(), active=pending)
    objects.commit(FIRST, {data(FIRST): 100}, {})
    objects.commit(SECOND, {data(SECOND): 200}, {data(FIRST): 100})
    objects.commit(LATEST, {data(LATEST): 300}, {data(SECOND): 200})
    return objects


def stored(objects: ListedObjects, retention: timedelta = WEEK) -> Storage:
    return storage_of(objects, TABLE, retention, NOW)


def test_replaced_files_are_retained_and_freed_once_their_retention_is_over() -> None:
    found = stored(snapshot_table())
    assert found.live == Amount(1, 300)
    assert found.retained == Amount(2, 300)
    assert found.freed == Amount(1, 100), "version 3 replaced the other half a week ago"
    assert found.records.files == 4
    assert stored(snapshot_table(), timedelta(0)).freed == Amount(2, 300)


def follower(kind: str, next_version: int, **more: object) -> dict[str, Any]:
    return {"kind": kind, "id": IDS[3], "from": 1, "next": next_version, **more}


@pytest.mark.parametrize(
    ("followers", "oldest", "freed"),
    [
        ([follower("delta", 3)], 0, 100),
        ([follower("delta", 2)], 0, 0),
        # It has not begun.
        ([follower("delta", 0, **{"from": 0})], 0, 0),
        ([follower("delta", 4), follower("glue", 2, name="db.sales")], 0, 0),
        ([follower("delta", 2, ending=True)], 0, 300),
        # Version 1 is not readable any more, so the follower does not keep its file.
        ([follower("delta", 2)], 2, 100),
    ],
)
def test_a_file_that_a_follower_still_names_is_not_freed(
    followers: list[dict[str, Any]], oldest: int, freed: int
) -> None:
    objects = snapshot_table()
    log, pending = snapshot_log(), [active(FRESH, "pending")]
    members = {"version": 3, "oldest-version": oldest, "log": log, "active": pending}
    objects.put("head.json", head(format=2, readers="snapshot", followers=followers, **members))
    found = stored(objects, timedelta(0))
    assert (found.retained.bytes, found.freed.bytes) == (300, freed)


def test_files_of_dead_and_running_jobs_and_of_strangers_are_told_apart() -> None:
    objects = snapshot_table()
    objects.files |= {
        f"dt=1/{data(DEAD)}": 10,
        f"dt=2/{data(DEAD, 1)}": 20,
        f"dt=2/{data(FRESH)}": 40,
        "dt=2/part-00000-7d3b8c1e-0000-4000-8000-000000000000-c000.snappy.parquet": 80,
        "_SUCCESS": 1,
        f"_repave/commits/{DEAD}/heartbeat.json": 5,
        "_repave/commits/20269999T999999.000Z-x/hostile": 5,
    }
    found = stored(objects)
    assert found.orphaned == Amount(2, 30)
    assert found.unfinished == Amount(1, 40)
    assert found.unrecorded == Amount(1, 80)
    assert found.freed == Amount(3, 130)
    assert found.records.files == 7
    amounts = {name: one["bytes"] for name, one in found.document().items() if name != "freed"}
    assert sum(amounts.values()) == sum(objects.files.values())


def test_the_date_of_an_orphan_decides_and_not_its_jobs_start_as_in_a_vacuum() -> None:
    objects = snapshot_table()
    young = f"20261120T000000.000Z-{DEAD.partition('-')[2]}"
    objects.files |= {f"dt=1/{data(DEAD)}": 10, f"_repave/commits/{young}/heartbeat.json": 5}
    assert stored(objects).freed == Amount(2, 110)


def test_a_listing_table_has_no_orphans_and_its_manifests_are_not_read_for_old_files() -> None:
    objects = ListedObjects(version=1, log=[logged(LATEST, 1)])
    objects.commit(LATEST, {data(LATEST): 300}, {data(FIRST): 100})
    objects.files |= {f"dt=1/{data(DEAD)}": 10, "dt=1/strange.csv": 7, "dt=1/": 0}
    found = stored(objects)
    assert (found.live, found.unrecorded) == (Amount(1, 300), Amount(2, 17))
    assert (found.orphaned, found.freed) == (Amount(), Amount())


def test_a_table_inside_the_folder_is_not_counted() -> None:
    objects = snapshot_table()
    before = stored(objects)
    inner = f"inner/part-00000-{IDS[3]}-7.parquet"
    objects.files |= {
        # Before the records of the inner table, among them, and behind them.
        inner.replace("inner/", "inner/A=1/"): 7,
        "inner/_repave/head.json": 70,
        f"inner/_repave/commits/{DEAD}/heartbeat.json": 700,
        inner: 7_000,
        "inner/deep/strange.csv": 70_000,
    }
    assert stored(objects) == before
    # A folder that is none, and a partition and the folder of a commit, which cannot be one.
    objects.files |= {
        inner.replace("inner", "other"): 1,
        inner.replace("inner", "z=1"): 2,
        inner.replace("inner", f"z=1/@{IDS[3]}"): 4,
    }
    objects.asked.clear()
    assert stored(objects).orphaned == Amount(3, 7)
    assert objects.asked == [f"sales/{one}/_repave/head.json" for one in ("inner", "other")]


def test_a_replaced_file_counts_from_the_newest_version_that_replaced_it() -> None:
    objects = snapshot_table()
    # Restored by a rollback, and replaced again half a week ago.
    objects.commit(LATEST, {data(LATEST): 300}, {data(SECOND): 200, data(FIRST): 100})
    assert stored(objects).freed == Amount()
    assert stored(objects, timedelta(0)).freed == Amount(2, 300)


def test_a_listing_in_another_order_is_refused() -> None:
    class Disordered(ListedObjects):
        def listed(self, folder: Location) -> Iterator[Listed]:
            yield from reversed(list(super().listed(folder)))

    objects = Disordered(version=1, log=[logged(LATEST, 1)])
    objects.commit(LATEST, {data(LATEST): 300}, {})
    with pytest.raises(RepaveError, match="needs the order of UTF-8"):
        stored(objects)


def test_names_and_listed_files_are_not_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 100_000
    monkeypatch.setattr(_storage, "SortedKeys", partial(SortedKeys, in_memory=2_000))
    objects = ListedObjects(version=1, log=[logged(LATEST, 1)])
    objects.commit(LATEST, {}, {})
    records = TableRecords(objects, TABLE)
    # In another order than their keys: `a=1-b/` comes before `a=1/`.
    names = [f"dt={n}{end}" for n in range(count // 20) for end in ("", "-b")]
    live = (DataFile(one, data(LATEST, n), 1) for n in range(10) for one in names)
    keys = sorted(f"{one}/" for one in names)
    listing = (Listed(f"{one}{data(LATEST, n)}", 1, NOW) for one in keys for n in range(10))
    monkeypatch.setattr(objects, "listed", lambda _: listing)
    tracemalloc.start()
    found = compared(objects, records, records.head(), live, NOW)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.live == Amount(count, count)
    assert peak < 8 << 20, "the names alone take more than 12 MiB"


def test_a_partition_outside_the_table_is_live_by_the_records() -> None:
    objects = ListedObjects(version=1, log=[logged(LATEST, 1)])
    entry = {"partition": "s3://annex/p", "in": [{"name": data(LATEST), "bytes": 9}]}
    one = manifest(LATEST, partitions=[entry], touched=["s3://annex/p"])
    objects.put(f"commits/{LATEST}/manifest.json.gz", one)
    assert stored(objects).live == Amount(1, 9)


def test_a_folder_without_records_is_all_of_others() -> None:
    objects = ListedObjects()
    objects.contents.clear()
    objects.files = {"dt=1/x.parquet": 7}
    assert stored(objects).unrecorded == Amount(1, 7)


def test_a_table_costs_one_get_for_each_version_and_its_head() -> None:
    objects = snapshot_table()
    stored(objects)
    # Live files need the newest manifest alone; replaced ones need all three.
    assert len(objects.reads) <= 1 + 2 * 3


class Pages:
    """An S3 client that answers in pages of two."""

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.asked = 0

    def list_objects_v2(self, *, Bucket: str, Prefix: str, StartAfter: str) -> dict[str, Any]:  # noqa: N803
        assert (Bucket, Prefix) == ("lake", "sales/")
        self.asked += 1
        left = [key for key in self.keys if key > StartAfter]
        found = [{"Key": key, "Size": 1, "LastModified": NOW} for key in left[:2]]
        return {"Contents": found, "IsTruncated": len(left) > 2}


def test_a_listing_is_read_page_by_page() -> None:
    client = Pages([f"sales/{n}" for n in range(5)])
    found = [one.path for one in BucketObjects(client).listed(TABLE)]
    assert (found, client.asked) == (["0", "1", "2", "3", "4"], 3)


@pytest.mark.parametrize("retention", ["1000000d", "9999999999d", timedelta.max])
def test_a_retention_beyond_the_calendar_keeps_all(
    monkeypatch: pytest.MonkeyPatch, retention: str | timedelta
) -> None:
    kept: list[datetime] = []
    monkeypatch.setattr(_storage, "client", lambda *_: None)
    monkeypatch.setattr(_storage, "BucketObjects", lambda _: ListedObjects())
    monkeypatch.setattr(
        _storage, "storage_of", lambda _objects, _table, span, now: kept.append(now - span)
    )
    _storage.storage(str(TABLE), retention=retention)
    assert [moment.year for moment in kept] == [1970]


@pytest.mark.parametrize(
    ("line", "given", "days"),
    [
        ("spark.hadoop.repave.retention 30d", None, 30),
        ("spark.repave.retention=20d", None, 20),
        ("spark.hadoop.repave.retention 30d\nspark.repave.retention 20d", None, 30),
        ("spark.hadoop.repave.retention 30d", "3d", 3),
        ("spark.hadoop.repave.retention ${env.RETENTION}", None, 7),
        ("", None, 7),
    ],
)
def test_the_retention_is_the_one_of_the_sites_vacuum(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, given: str | None, days: int
) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf/spark-defaults.conf").write_text(line, "utf-8")
    kept: list[timedelta] = []
    monkeypatch.setattr(_storage, "client", lambda *_: None)
    monkeypatch.setattr(_storage, "BucketObjects", lambda _: ListedObjects())
    monkeypatch.setattr(
        _storage, "storage_of", lambda _objects, _table, span, _now: kept.append(span)
    )
    _storage.storage(str(TABLE), retention=given)
    monkeypatch.setattr(report, "client", lambda *_: None)
    monkeypatch.setattr(report, "BucketObjects", lambda _: ListedObjects())
    monkeypatch.setattr(report, "gather", lambda *arguments: kept.append(arguments[3]))
    monkeypatch.setattr(report, "html_page", lambda _: "")
    own = ["--retention", given] if given else []
    CliRunner().invoke(main, ["report", str(TABLE), "-o", "-", *own], catch_exceptions=False)
    assert kept == [timedelta(days=days)] * 2


def test_a_retention_without_storage_is_refused() -> None:
    refused = CliRunner().invoke(main, ["costs", str(TABLE), "--retention", "3d"])
    assert (refused.exit_code, refused.stderr) == (2, "repave: --retention needs --storage.\n")


def test_no_retention_at_all_is_not_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[timedelta] = []
    monkeypatch.setattr(_storage, "client", lambda *_: None)
    monkeypatch.setattr(_storage, "BucketObjects", lambda _: ListedObjects())
    monkeypatch.setattr(
        _storage, "storage_of", lambda _objects, _table, span, _now: kept.append(span)
    )
    _storage.storage(str(TABLE), retention=timedelta(0))
    assert kept == [timedelta(0)]


@pytest.mark.usefixtures("credentials")
def test_the_command_shows_the_amounts_and_what_vacuum_frees(server: S3Server) -> None:
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    objects = snapshot_table()
    for key, content in objects.contents.items():
        s3.put_object(Bucket="lake", Key=key, Body=content)
    for path, size in objects.files.items():
        s3.put_object(Bucket="lake", Key=f"sales/{path}", Body=b"x" * size)
    words = ["costs", "s3://lake/sales", "--endpoint-url", server.endpoint, "--storage"]
    answer = CliRunner().invoke(main, [*words, "--json"])
    document = json.loads(answer.stdout)
    (page,) = shown("costs")
    assert keys(document["storage"]) == keys(page["storage"])
    assert document["storage"]["live"] == {"files": 1, "bytes": 300}
    text = CliRunner().invoke(main, words).stdout
    assert "retained" in text
    assert "Vacuum would free " in text
