"""Tables are found by jumps, not by listing their files."""

from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from repave._errors import InvalidRecordError, RepaveError
from repave._location import Location
from repave._walk import TableWalk
from unit.fake_s3 import FakeClientError
from unit.paged_s3 import PagedS3
from unit.record_files import FIRST, head, logged

# ruff: noqa: ANN401, N803 - boto3 has no types, and its arguments are S3's


@pytest.fixture
def s3() -> PagedS3:
    return PagedS3()


def found(s3: PagedS3, below: str = "s3://lake/") -> list[str]:
    walk = TableWalk(s3, Location.of(below))
    names = [str(place) for place, _ in walk.tables()]
    assert walk.requests["list"] == s3.lists
    return names


def table(s3: PagedS3, key: str) -> None:
    s3.add_table(key, head(version=1, log=[logged(FIRST, 1)]))


def test_tables_are_found_at_every_depth_and_nothing_else_is(s3: PagedS3) -> None:
    for key in ("sales", "eu/west/orders", "env=prod/ledger", "env=test/ledger"):
        table(s3, key)
    s3.add("raw/a.csv", "readme.txt", "sales/day=1/part-0.parquet", "_hidden/x/part-0.parquet")
    assert sorted(found(s3)) == [
        "s3://lake/env=prod/ledger",
        "s3://lake/env=test/ledger",
        "s3://lake/eu/west/orders",
        "s3://lake/sales",
    ]


@pytest.mark.parametrize("below", ["s3://lake/eu", "s3://lake/eu/west/orders", "s3://lake/eu/west"])
def test_the_folder_may_be_a_table_or_any_folder_above_one(s3: PagedS3, below: str) -> None:
    table(s3, "eu/west/orders")
    table(s3, "europe/orders")
    assert found(s3, below) == ["s3://lake/eu/west/orders"]


def test_a_folder_whose_name_begins_with_an_equals_sign_may_be_a_table(s3: PagedS3) -> None:
    table(s3, "=a=b")
    assert found(s3) == ["s3://lake/=a=b"]


def test_a_bucket_may_be_a_table(s3: PagedS3) -> None:
    table(s3, "")
    assert found(s3) == ["s3://lake"]


def test_a_table_costs_one_get_however_many_files_it_has(s3: PagedS3) -> None:
    for name in ("a", "b", "c"):
        table(s3, name)
        s3.add(*(f"{name}/day={day:05}/part-00000.parquet" for day in range(3_000)))
        s3.add(*(f"{name}/part-{file:05}.parquet" for file in range(3_000)))
    walk = TableWalk(s3, Location.of("s3://lake/"))
    assert len(list(walk.tables())) == 3
    # One GET for the bucket itself, one for each table; one page of the bucket's folders.
    assert walk.requests == {"get": 4, "list": 1}


def test_partitions_of_a_foreign_table_are_skipped_by_a_jump(s3: PagedS3) -> None:
    s3.add(*(f"raw/day={day:05}/hour=1/part-00000.parquet" for day in range(9_000)))
    s3.add("raw/zone/x.parquet")
    table(s3, "raw/zebra")
    walk = TableWalk(s3, Location.of("s3://lake/raw"))
    assert [str(place) for place, _ in walk.tables()] == ["s3://lake/raw/zebra"]
    # Two pages of raw, two levels of its first partition, one of the folder zone.
    assert walk.requests == {"get": 3, "list": 5}


def test_data_files_next_to_folders_are_skipped_by_a_jump(s3: PagedS3) -> None:
    s3.add(*(f"raw/part-{file:05}-x.snappy.parquet" for file in range(50_000)))
    table(s3, "raw/zebra")
    walk = TableWalk(s3, Location.of("s3://lake/raw"))
    assert [str(place) for place, _ in walk.tables()] == ["s3://lake/raw/zebra"]
    assert walk.requests == {"get": 2, "list": 2}


def test_more_folders_than_a_page_holds_are_all_looked_at(s3: PagedS3) -> None:
    for number in range(2_500):
        table(s3, f"t{number:04}")
    walk = TableWalk(s3, Location.of("s3://lake/"))
    assert len({str(place) for place, _ in walk.tables()}) == 2_500
    assert walk.requests == {"get": 2_501, "list": 3}


def test_an_empty_page_is_not_the_last(s3: PagedS3, monkeypatch: pytest.MonkeyPatch) -> None:
    table(s3, "sales")
    whole, answers = s3.list_objects_v2, []

    def after_an_empty_page(**request: str) -> dict[str, object]:
        answers.append(request.get("ContinuationToken"))
        if len(answers) == 1:
            return {"IsTruncated": True, "NextContinuationToken": "!"}
        return whole(**request)

    monkeypatch.setattr(s3, "list_objects_v2", after_an_empty_page)
    walk = TableWalk(s3, Location.of("s3://lake/"))
    assert [str(place) for place, _ in walk.tables()] == ["s3://lake/sales"]
    assert answers == [None, "!"]


@pytest.mark.parametrize("below", ["s3://lake/", "s3://lake/lost", "s3://lake/lost/"])
def test_a_table_whose_head_was_deleted_is_told_without_a_request_more(
    s3: PagedS3, below: str
) -> None:
    for key in ("good", "lost", "lost/inner"):
        table(s3, key)
    s3.add(*(f"lost/DT={day:05}/part-00000.parquet" for day in range(3_000)))
    s3.add("lost/_repave/commits/x/report.json", "lost/DT=00000/_repave/stray", "raw/a.csv")
    del s3.objects["lost/_repave/head.json"]
    s3.add()
    walk = TableWalk(s3, Location.of(below))
    answers = [(place.key, one) for place, one in walk.tables()]
    (told,) = [one for key, one in answers if key == "lost"]
    assert str(told) == (
        "There are records in _repave/, but no head.json. Either the table's first job is running "
        "or has died, or the head was deleted: then stop all jobs of the table, and restore the "
        'newest version of the head (docs/operations.md, "A deleted head").'
    )
    assert isinstance(told, InvalidRecordError)
    inner = [key for key, one in answers if isinstance(one, dict)]
    assert inner == (["good", "lost/inner"] if below == "s3://lake/" else ["lost/inner"])
    # The folder above, its three folders, and the one in `lost`; the pages of `raw` and `lost`,
    # and the first partition of `lost`.
    wanted = {"get": 5, "list": 5} if below == "s3://lake/" else {"get": 2, "list": 3}
    assert walk.requests == wanted


def test_a_damaged_head_hides_no_other_table(s3: PagedS3) -> None:
    table(s3, "good")
    s3.add("bad/_repave/head.json", content=b"{}")
    walk = TableWalk(s3, Location.of("s3://lake/"))
    answers = {place.key: overview for place, overview in walk.tables()}
    assert isinstance(answers["bad"], Exception)
    assert "bad/_repave/head.json" in str(answers["bad"])
    assert isinstance(answers["good"], dict)
    assert answers["good"]["last-commit"] == FIRST


class RefusedError(ClientError, FakeClientError):  # type: ignore[misc] # of `response`
    """What boto3 raises, and what the fake's users catch."""


class PartlyDenied(PagedS3):
    """Refuses what lies below some folders."""

    denied: tuple[str, ...] = ()
    code = "AccessDenied"

    def get_object(self, *, Key: str, **request: Any) -> dict[str, Any]:
        self._refuse(Key)
        return super().get_object(Key=Key, **request)

    def list_objects_v2(self, *, Prefix: str = "", **request: Any) -> dict[str, Any]:
        self._refuse(Prefix)
        return super().list_objects_v2(Prefix=Prefix, **request)

    def _refuse(self, key: str) -> None:
        if key.startswith(self.denied):
            raise RefusedError({"Error": {"Code": self.code}}, "GetObject")


@pytest.mark.parametrize("denied", ["eu/secret/", "eu/secret/_repave/", "eu/secret/deeper/"])
def test_a_folder_that_may_not_be_read_does_not_hide_the_others(denied: str) -> None:
    s3 = PartlyDenied()
    for key in ("eu/sales", "us/sales"):
        table(s3, key)
    s3.add("eu/secret/deeper/a.csv")
    s3.denied = (denied,)
    found = dict(TableWalk(s3, Location.of("s3://lake/")).tables())
    refused = [place for place, one in found.items() if isinstance(one, RepaveError)]
    assert [str(place) for place in refused] == [
        f"s3://lake/{denied.removesuffix('_repave/')}"[:-1]
    ]
    assert len(found) == 3


def with_a_head_that_answers(code: str) -> PartlyDenied:
    s3 = PartlyDenied()
    for key in ("good", "bad"):
        table(s3, key)
    s3.denied, s3.code = ("bad/_repave/head.json",), code
    return s3


@pytest.mark.parametrize(
    "code", ["InvalidObjectState", "KMS.DisabledException", "KMS.NotFoundException"]
)
def test_a_head_that_s3_cannot_read_hides_no_other_table(code: str) -> None:
    walk = TableWalk(with_a_head_that_answers(code), Location.of("s3://lake/"))
    answers = {place.key: overview for place, overview in walk.tables()}
    assert isinstance(answers["bad"], RepaveError)
    assert code in str(answers["bad"])
    assert isinstance(answers["good"], dict)


@pytest.mark.parametrize("code", ["KMS.ThrottlingException", "SlowDown", "ExpiredToken"])
def test_an_error_that_concerns_all_tables_stops_the_walk(code: str) -> None:
    walk = TableWalk(with_a_head_that_answers(code), Location.of("s3://lake/"))
    with pytest.raises(RepaveError, match=code):
        list(walk.tables())


def test_a_walk_that_may_read_nothing_fails() -> None:
    s3 = PartlyDenied()
    s3.denied = ("",)
    with pytest.raises(RepaveError, match=r"Reading s3://lake/_repave/head\.json is denied"):
        list(TableWalk(s3, Location.of("s3://lake/")).tables())


class PartlyBehindAProxy(PagedS3):
    """A proxy answers requests for one folder with a web page."""

    meta = SimpleNamespace(endpoint_url="http://127.0.0.1:1")

    def get_object(self, *, Key: str, **request: Any) -> dict[str, Any]:
        answer = super().get_object(Key=Key, **request)
        if Key.startswith("eu/lost/"):
            answer["Body"] = BytesIO(b"<!DOCTYPE html><html>log in</html>")
        return answer


def test_a_web_page_in_place_of_a_head_does_not_hide_other_tables() -> None:
    s3 = PartlyBehindAProxy()
    tables = ["eu/lost", "eu/sales", "us/sales"]
    for key in tables:
        table(s3, key)
    answers = {place.key: it for place, it in TableWalk(s3, Location.of("s3://lake/")).tables()}
    assert sorted(answers) == tables
    assert "answers with a web page" in str(answers["eu/lost"])


def test_a_web_page_for_the_folder_to_search_stops_the_search() -> None:
    """The address is not that of a store."""
    s3 = PartlyBehindAProxy()
    table(s3, "eu/lost")
    with pytest.raises(RepaveError, match="answers with a web page"):
        found(s3, "s3://lake/eu/lost")
