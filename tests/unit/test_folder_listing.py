"""Every key of a table's folder comes once, however its listing is divided."""

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repave._bucket import LAST_CHARACTER, BucketObjects
from repave._errors import RepaveError, UsageError
from repave._location import Location
from repave._snapshot import folder_listing
from repave._snapshot.folder_listing import FolderListing
from unit.fake_s3 import OLD, FakeS3
from unit.snapshot_table import MemoryTable

TABLE = Location.of("s3://lake/sales")
FILE = "part-00000-01234567-89ab-cdef-0123-456789abcdef-1.c000.parquet"
DAYS = st.sampled_from([f"day={n}" for n in range(12)] + ["", "day=é", "s3://else/where"])
KEYS = st.lists(st.tuples(DAYS, st.sampled_from(["a", "b", "c.orc", "é"])), unique=True)


class Sorted:
    def __init__(self, keys: list[str]) -> None:
        self._keys = sorted(keys)

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
        assert folder == TABLE
        yield from (it for it in self._keys if after < it <= until and not it.startswith(skipped))


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_listing, "KEYS_OF_A_PART", 5)
        yield


@settings(deadline=None)  # other work on the machine may stop it for a while
@given(KEYS, KEYS)
def test_each_key_comes_once_and_in_order_whatever_the_records_say(
    stored: list[tuple[str, str]], recorded: list[tuple[str, str]]
) -> None:
    keys = [f"{day}/{name}" for day, name in stored]
    with closing(FolderListing(Sorted(keys), TABLE)) as listing:
        found = list(chain(*listing.parts({f"{day}/{name}" for day, name in recorded})))
    assert found == sorted(keys)


class WithoutKeys(FakeS3):
    """Answers some pages without keys before the others, as S3 does after many delete markers."""

    def __init__(self, pages: int) -> None:
        super().__init__()
        self.pages = pages

    def list_objects_v2(self, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - as boto3
        number = int(request.pop("ContinuationToken", "0"))
        if number < self.pages:
            return {"IsTruncated": True, "NextContinuationToken": str(number + 1)}
        page = super().list_objects_v2(**request)
        return {
            **page,
            "Contents": [{**it, "Size": 1, "LastModified": OLD} for it in page["Contents"]],
        }


def test_a_page_without_keys_is_not_the_last() -> None:
    s3 = WithoutKeys(3)
    s3.objects["sales/day=1/a.parquet"] = b"x"
    objects = BucketObjects(s3)
    assert list(objects.keys(TABLE, "_repave/", "", LAST_CHARACTER)) == ["day=1/a.parquet"]
    assert [it.path for it in objects.listed(TABLE)] == ["day=1/a.parquet"]


def test_a_listing_of_empty_pages_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repave._bucket.EMPTY_PAGES_MAX", 10)
    with pytest.raises(RepaveError, match="10 pages without keys"):
        list(BucketObjects(WithoutKeys(1_000)).listed(TABLE))


def test_a_folder_without_a_head_is_no_table() -> None:
    """A first job that died before its decision leaves a ledger there."""
    table = MemoryTable("listing")
    table.commit("append", {"day=1": [FILE]})
    ledger = "sub/_repave/commits/20261121T031500.000Z-aaaaaaaa/uploads.json.gz"
    table.listed = [f"day=1/{FILE}", ledger, "sub/foreign.parquet"]
    with pytest.raises(UsageError, match=r"do not name, such as 'sub/foreign\.parquet"):
        table.open()
    table.listed.append("sub/_repave/head.json")
    assert len(table.open().files) == 1


def test_a_folder_whose_name_begins_with_an_equals_sign_may_be_a_table() -> None:
    """It has no column's name, so the jar does not take it for a partition."""
    table = MemoryTable("listing")
    table.commit("append", {"day=1": [FILE]})
    table.listed = [f"day=1/{FILE}", "=x/_repave/head.json", "=x/foreign.parquet"]
    assert len(table.open().files) == 1
