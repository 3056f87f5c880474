"""Which files a version has, and which versions are refused."""

import pickle
import sys
from collections.abc import Iterator
from datetime import date, datetime, timezone
from threading import Barrier
from typing import Any

import pyarrow as pa
import pytest

from repave import snapshot
from repave._errors import InvalidRecordError, RepaveError, UsageError
from repave._location import Location
from unit.record_files import FIRST, active, head, manifest
from unit.snapshot_table import MemoryTable, commit_name


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


def test_each_kind_of_commit_changes_the_files_as_it_says(table: MemoryTable) -> None:
    table.commit("append", {"dt=1": ["a"], "dt=2": ["b"], "dt=2/h=1": ["c"]})
    table.commit("dynamic", {"dt=2": ["d"]}, {"dt=2": ["b"]})
    table.commit("append", {"dt=1": ["e"]})
    table.commit("adopt", {}, {"dt=1": ["a"]})
    table.commit("static", {"dt=3": ["f"]}, scope=["dt=1", "dt=3"])
    table.commit("rollback", {"dt=1": ["a"]})
    assert table.paths(1) == ["dt=1/a", "dt=2/b", "dt=2/h=1/c"]
    assert table.paths(2) == ["dt=1/a", "dt=2/d"], "a folder inside is replaced too"
    assert table.paths(3) == ["dt=1/a", "dt=1/e", "dt=2/d"]
    assert table.paths(4) == ["dt=1/e", "dt=2/d"]
    assert table.paths(5) == ["dt=2/d", "dt=3/f"]
    assert table.paths() == table.paths(6) == ["dt=1/a"]


def test_what_a_commit_removes_and_adds_itself_is_there(table: MemoryTable) -> None:
    table.commit("append", {"": ["a"]})
    table.commit("adopt", {"": ["a", "b"]}, {"": ["a"]})
    assert table.paths() == ["a", "b"]


def test_the_shards_of_manifests_are_read_when_they_add(table: MemoryTable) -> None:
    name = table.commit("dynamic", {}, touched=["dt=1"])
    shards = ["manifest-n-00000.json.gz", "manifest-n-00001.json.gz"]
    bounds = {"first": "dt=1", "last": "dt=1"}
    contents = [{**bounds, "added": 1, "removed": 0}, {**bounds, "added": 0, "removed": 1}]
    members = {"touched": ["dt=1"], "partitions": [], "shards": shards, "contents": contents}
    table.put(f"commits/{name}/manifest.json.gz", manifest(name, **members))
    shard = {**manifest(name), "record": "manifest-shard"}
    table.put(f"commits/{name}/{shards[0]}", shard)
    assert table.paths() == ["dt=1/part-new.parquet"]
    table.put(f"commits/{name}/{shards[0]}", {**shard, "commit": FIRST})
    with pytest.raises(InvalidRecordError, match="no usable 'commit'"):
        table.paths()


def test_commits_that_were_replaced_altogether_are_not_read(table: MemoryTable) -> None:
    for number in range(40):
        table.commit("dynamic", {"dt=1": [f"f{number}"]})
        table.log[-1]["touched"] = ["dt=1"]
    table.publish()
    table.reads.clear()
    assert table.paths() == ["dt=1/f39"]
    assert len(table.reads) < 20


def test_files_outside_that_an_adoption_removed_stay_away_after_an_overwrite() -> None:
    table = MemoryTable()
    outside = "s3://annex/dt=1"
    table.commit("append", {outside: ["gone"], "dt=2": ["a"]})
    table.commit("adopt", {}, {outside: ["gone"]}, touched=[], scope=[""])
    table.log[-1]["touched"] = [""]
    for number in range(40):
        table.commit("append", {"dt=1": [f"f{number}"]})
    table.commit("static", {"dt=2": ["b"]}, scope=[""])
    table.publish()
    assert table.paths() == ["dt=2/b"]


@pytest.mark.parametrize(
    ("partition", "name"),
    [
        ("..", "a"),
        ("dt=1/../x", "a"),
        ("_repave", "a"),
        ("dt=1", "../a"),
        ("dt=1", ""),
        ("dt=1", "a\0"),
        ("s3://bucket", "a"),
        ("s3:///key", "a"),
        ("dt=1", "x" * 2000),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(
    table: MemoryTable, partition: str, name: str
) -> None:
    table.commit("append", {partition: [name]})
    with pytest.raises(InvalidRecordError, match="not a place inside this table"):
        table.paths()


def test_an_unknown_kind_of_commit_is_refused(table: MemoryTable) -> None:
    table.commit("merge", {"dt=1": ["a"]})
    with pytest.raises(InvalidRecordError, match="no usable 'kind'"):
        table.paths()


def test_a_missing_record_is_named(table: MemoryTable) -> None:
    name = table.commit("append", {"dt=1": ["a"]})
    del table.contents[f"sales/_repave/commits/{name}/manifest.json.gz"]
    with pytest.raises(InvalidRecordError, match=r"manifest of version 1 .* is missing"):
        table.paths()
    table.commit("append", {"dt=1": ["b"]})
    table.publish(log=table.log[1:])
    with pytest.raises(InvalidRecordError, match="does not name version 1"):
        table.paths()


class TestRefusals:
    def test_a_folder_that_repave_never_wrote(self) -> None:
        with pytest.raises(UsageError, match="is not a Repave table"):
            MemoryTable().open()

    def test_a_first_commit_that_is_not_finished(self, table: MemoryTable) -> None:
        table.put("head.json", head(active=[active(FIRST, "pending")]))
        with pytest.raises(UsageError, match=r"first commit is not finished\. .*repave recover"):
            table.open()

    def test_a_version_that_was_vacuumed(self, table: MemoryTable) -> None:
        for _ in range(3):
            table.commit("append", {"dt=1": ["a"]})
        table.publish(**{"oldest-version": 3})
        with pytest.raises(UsageError, match=r"they were vacuumed\. The oldest .* is 3"):
            table.open(2)
        with pytest.raises(UsageError, match="has no version 4; its newest is 3"):
            table.open(4)

    def test_an_older_version_of_a_listing_table(self) -> None:
        table = MemoryTable("listing")
        table.commit("append", {"dt=1": ["a"]})
        table.commit("append", {"dt=1": ["b"]})
        with pytest.raises(UsageError, match=r"with repave\.readers=listing, each commit deletes"):
            table.open(1)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"version": 1, "as_of": "2026-11-20"}, "not both"),
            ({"version": "1"}, "A version is a number, not '1'"),
            ({"version": True}, "A version is a number, not True"),
            ({"as_of": "yesterday"}, "is not a time"),
            ({"as_of": date(2026, 11, 20)}, "is not a time: give a datetime"),
            ({"time_zone": "Mars/Base"}, "no time zone"),
            ({"time_zone": None}, "no time zone None"),
            ({"unrecorded": "maybe"}, "refuse"),
            ({"locations": ["s3://annex/old"]}, r"locations=\['s3.* takes the partition of each"),
        ],
    )
    def test_arguments_that_cannot_work(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            snapshot("s3://lake/sales", **arguments)

    def test_a_path_that_names_a_version(self) -> None:
        with pytest.raises(UsageError, match="version 3"):
            snapshot("repave://lake/sales/@v3")


@pytest.mark.parametrize("extra", ["arrow", "duckdb", "polars", "pandas"])
def test_a_library_that_is_missing_is_named_with_its_extra(
    table: MemoryTable, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.commit("append", {"dt=1": ["a.parquet"]})
    library = "pyarrow.fs" if extra == "arrow" else extra
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        UsageError, match=rf"cannot be imported .*pip install \w+\. The extra '{extra}'"
    ):
        getattr(table.open(), extra)()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.avro", "does not read files in the format avro"),
        ("a.json", "pass schema="),
        ("a.csv.gz", "do not show whether they have a header"),
        ("a.bin", "do not show one format"),
    ],
)
def test_a_format_that_pyarrow_cannot_read_is_refused(
    table: MemoryTable, name: str, message: str
) -> None:
    table.commit("append", {"dt=1": [name]})
    with pytest.raises(UsageError, match=message):
        table.open().arrow()


class TestAsOf:
    @pytest.fixture
    def dated(self, table: MemoryTable) -> MemoryTable:
        """Versions published at 1:30, 2:30, 3:30 by jobs that began at 1:15, 2:15, 3:15."""
        for number in (1, 2, 3):
            name = table.commit("append", {"dt=1": [f"f{number}"]})
            table.dates[name] = at(number, 30)
        return table

    @pytest.mark.parametrize(("when", "version"), [((1, 30), 1), ((2, 29), 1), ((9, 0), 3)])
    def test_the_newest_version_then_is_opened(
        self, dated: MemoryTable, when: tuple[int, int], version: int
    ) -> None:
        assert dated.open(None, at(*when)).version == version

    def test_jobs_that_began_later_cost_no_request(self, dated: MemoryTable) -> None:
        dated.reads.clear()
        dated.open(None, at(1, 45))
        assert [key for key in dated.reads if key.startswith("HEAD")] == [
            f"HEAD sales/_repave/commits/{commit_name(1)}/report.json"
        ]

    def test_recorded_times_count_and_cost_no_request(self, dated: MemoryTable) -> None:
        timed = [
            {**one, "published-millis": int(at(4 + one["version"], 0).timestamp() * 1000)}
            for one in dated.log
        ]
        dated.publish(log=timed)
        dated.reads.clear()
        assert dated.open(None, at(6, 0)).version == 2
        assert dated.open(None, at(6, 59)).version == 2
        assert [key for key in dated.reads if key.startswith("HEAD")] == []
        with pytest.raises(UsageError, match=r"version 1 was published at 2026-11-01T05:00"):
            dated.open(None, at(4, 59))

    def test_a_recorded_time_after_the_last_year_is_no_crash(self, dated: MemoryTable) -> None:
        dated.publish(log=[{**one, "published-millis": 1 << 53} for one in dated.log])
        with pytest.raises(UsageError, match="version 1 was published at 9999"):
            dated.open(None, at(9, 0))

    def test_before_the_first_there_was_none(self, dated: MemoryTable) -> None:
        with pytest.raises(UsageError, match="had no version yet at 2026-11-01T01:20"):
            dated.open(None, at(1, 20))
        dated.publish(log=dated.log[1:], **{"history-from": 2})
        with pytest.raises(UsageError, match=r"begin with version 2, .*history\.retention"):
            dated.open(None, at(1, 20))

    def test_a_published_commit_that_is_not_finished_has_the_heads_date(
        self, dated: MemoryTable
    ) -> None:
        del dated.dates[commit_name(3)]
        with pytest.raises(InvalidRecordError, match="report of the commit"):
            dated.open(None, at(9, 0))
        dated.publish(active=[active(commit_name(3), "cleaning", 3)])
        dated.dates["_repave"] = at(3, 40)
        assert dated.open(None, at(3, 45)).version == 3
        assert dated.open(None, at(3, 35)).version == 2


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 11, 1, hour, minute, tzinfo=timezone.utc)


class TestFilesOfOthers:
    @pytest.fixture
    def listing(self) -> MemoryTable:
        table = MemoryTable("listing")
        table.commit("append", {"dt=1": ["a.parquet"]})
        table.listed = ["dt=1/a.parquet"]
        return table

    def test_a_data_file_that_no_commit_wrote_is_refused(self, listing: MemoryTable) -> None:
        listing.listed.append("dt=0/part-00000-x-c000.parquet")
        with pytest.raises(UsageError, match=r"a file that its records do not name.*repave adopt"):
            listing.open()

    def test_what_readers_skip_is_no_data_file(self, listing: MemoryTable) -> None:
        listing.listed += [
            "_SUCCESS",
            "_temporary/0/x.parquet",
            "_repave/head.json",
            "dt=1/.crc",
            "dt=1_$folder$",
            "dt=1/",
            "dt=1/a.parquet._COPYING_",
            "inner/_repave/head.json",
            "inner/dt=1/a.parquet",
        ]
        assert listing.paths() == ["dt=1/a.parquet"]

    def test_a_recorded_file_that_is_gone_is_refused(self, listing: MemoryTable) -> None:
        listing.listed = []
        with pytest.raises(UsageError, match=r"are missing.*repave adopt"):
            listing.open()

    @pytest.mark.parametrize(
        "other", ["", "dt=0/x.parquet", "dt=1/f0990.parquet-x", "dt=1/f1980.parque", "dt=2/x"]
    )
    def test_a_large_folder_is_listed_in_parts(self, other: str) -> None:
        table = MemoryTable("listing")
        names = [f"f{number:04}.parquet" for number in range(2_500)]
        table.commit("append", {"dt=1": names})
        table.listed = [f"dt=1/{name}" for name in names]
        assert len(table.open().files) == 2_500
        assert table.lists == 3
        table.listed.remove("dt=1/f0990.parquet")
        with pytest.raises(UsageError, match="are missing"):
            table.open()
        if other:
            table.listed += ["dt=1/f0990.parquet", other]
            with pytest.raises(UsageError, match="a file that its records do not name"):
                table.open()

    def test_a_commit_that_replaces_files_meanwhile_is_followed(self) -> None:
        class Overtaken(MemoryTable):
            def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
                if not self.lists:
                    self.commit("dynamic", {"dt=1": ["b.parquet"]})
                return super().keys(folder, skipped, after, until)

        table = Overtaken("listing")
        table.commit("append", {"dt=1": ["a.parquet"]})
        table.listed = ["dt=1/b.parquet"]
        found = table.open()
        assert (found.version, [file.name for file in found.files]) == (2, ["b.parquet"])

    def test_a_table_that_never_stands_still_is_given_up(self) -> None:
        class Restless(MemoryTable):
            def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
                self.commit("dynamic", {"dt=1": [f"f{self.lists}.parquet"]})
                return super().keys(folder, skipped, after, until)

        table = Restless("listing")
        table.commit("append", {"dt=1": ["a.parquet"]})
        with pytest.raises(RepaveError, match="changed 4 times"):
            table.open()

    def test_snapshot_tables_are_not_listed(self, table: MemoryTable) -> None:
        table.commit("append", {"dt=1": ["a"]})
        table.listed = ["dt=9/other.parquet"]
        assert table.paths() == ["dt=1/a"]
        assert table.lists == 0


class InRounds(MemoryTable):
    """Answers the listings after the first one when all of them have been asked for."""

    def __init__(self, parts: int) -> None:
        super().__init__("listing")
        self.parts = Barrier(parts, timeout=60)

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
        if after:
            self.parts.wait()
        yield from super().keys(folder, skipped, after, until)


def test_all_further_pages_of_a_listing_are_one_wait() -> None:
    """Beside the first page the records are read, so a listing table costs 3 waits."""
    table = InRounds(parts=10)
    folders = {f"day={number:05}": ["a"] for number in range(10_000)}
    table.commit("append", folders)
    table.listed = [f"{folder}/a" for folder in folders]
    assert len(table.open().files) == 10_000
    assert table.lists == 11


def test_partition_values_that_cannot_be_known_do_not_stop_a_listing_table(
    table: MemoryTable,
) -> None:
    """They are computed while the folder is listed, and asked for later or never."""
    table.readers = "listing"
    table.commit("append", {"day=1": ["a"], "other=2": ["b"]})
    table.listed = ["day=1/a", "other=2/b"]
    snap = table.open()
    assert len(snap.uris()) == 2
    with pytest.raises(UsageError, match="do not agree on its partition columns"):
        snap.partitions()


@pytest.mark.parametrize("readers", ["snapshot", "listing"])
def test_a_snapshot_can_be_pickled_before_and_after_it_is_used(readers: str) -> None:
    table = MemoryTable(readers)
    # So many that partitions are made while the folder is listed.
    folders = {f"day={number:05}": ["a.parquet"] for number in range(1_000)}
    table.commit("append", folders)
    table.listed = [f"{folder}/a.parquet" for folder in folders]
    snap = table.open(partition_types={"day": "int"})
    assert pickle.loads(pickle.dumps(snap)) == snap  # noqa: S301 - made above
    assert snap.arrow(schema=pa.schema([("id", pa.int64())])).schema.names == ["id", "day"]
    twin = pickle.loads(pickle.dumps(snap))  # noqa: S301 - made above
    assert twin == snap
    assert twin.partition_values(twin.files[7]) == {"day": 7}
    assert len(pickle.dumps(twin)) == len(pickle.dumps(table.open(partition_types={"day": "int"})))
