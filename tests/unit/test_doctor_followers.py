"""What the doctor says of folders that Repave writes, and that no head names."""

from datetime import timedelta

import pytest

from repave._doctor import Doctor
from repave._findings import Finding
from unit.fake_s3 import OLD, FakeS3
from unit.paged_s3 import PagedS3
from unit.record_files import TABLE

ABORT = {
    "Status": "Enabled",
    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
    "Filter": {"Prefix": ""},
}


@pytest.fixture
def s3() -> FakeS3:
    """A store with which nothing is wrong."""
    s3 = FakeS3()
    s3.rules = [ABORT]
    return s3


def complaints(s3: FakeS3) -> list[Finding]:
    doctor = Doctor(s3, TABLE, OLD + timedelta(days=3))
    return [one for one in doctor.look() if one.level != "ok"]


REPAVE_VERSION = b'{"commitInfo":{"engineInfo":"Repave/0.2.0","repave":{"follower":"f"}}}\n{"x"'


@pytest.mark.parametrize(
    "version",
    [
        b"",
        b"{",
        b'{"commitInfo":{"engineInfo":"Apache-Spark/4.0.0 Delta-Lake/4.0.0"}}',
        b'{"commitInfo":"repave"}',
        b'{"protocol":{}}\n{"commitInfo":{"repave":{}}}',
        b"[" * (1 << 20),
    ],
)
def test_a_log_of_a_follower_is_not_a_table_of_delta(s3: FakeS3, version: bytes) -> None:
    """It was copied with its table, or a follower of an earlier table left it."""
    key = f"sales/_delta_log/{7:020}.json"
    s3.folders = ["sales/_delta_log/"]
    s3.objects[key] = REPAVE_VERSION
    s3.objects["sales/_delta_log/_last_checkpoint"] = b"{}"
    (found,) = complaints(s3)
    assert found.level == "warning"
    assert found.text == (
        "_delta_log/ was written by a follower of Repave, and no follower of this table writes it: "
        "its readers see old files."
    )
    assert found.fix == "delete the folder; to have a log, then run: repave follow <table> --delta"
    s3.objects[key] = version
    (other,) = complaints(s3)
    assert "has metadata of Delta" in other.text


def test_no_folder_of_a_follower_is_to_be_deleted_while_the_head_is_damaged(s3: FakeS3) -> None:
    s3.folders = ["sales/_delta_log/", "sales/_repave/", "sales/_symlink_format_manifest/"]
    s3.objects["sales/_repave/head.json"] = b"{}"
    s3.objects[f"sales/_delta_log/{0:020}.json"] = REPAVE_VERSION
    (found,) = complaints(s3)
    assert "head.json" in found.text


def test_a_table_whose_head_was_deleted_is_told(s3: FakeS3) -> None:
    """The head named its followers, so nothing is said about their folders."""
    s3.folders = ["sales/_delta_log/", "sales/_repave/", "sales/_symlink_format_manifest/"]
    s3.objects[f"sales/_delta_log/{0:020}.json"] = REPAVE_VERSION
    (found,) = complaints(s3)
    assert found.level == "problem"
    assert found.text.startswith("There are records in _repave/, but no head.json.")


def test_it_is_told_of_a_table_of_thousands_of_partitions_too() -> None:
    s3 = PagedS3()
    s3.add(*(f"sales/DT={day:05}/f.parquet" for day in range(3_500)))
    s3.add("sales/_repave/commits/x/report.json")
    assert [one.level for one in complaints(s3) if "no head.json" in one.text] == ["problem"]
