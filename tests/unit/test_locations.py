"""What is a location on S3, and moments that no calendar has."""

import pytest

from repave import UsageError
from repave._location import Location
from repave._records import ActiveCommit

ACTIVE = {"commit": "x", "kind": "append", "state": "reserved", "base": 1, "version": 2}


@pytest.mark.parametrize(
    "uri",
    [
        "s3://[lake/sales",
        "s3://lake]/sales",
        "s3://la\tke/sales",
        "s3://la\nke/sales",
        "s3:///sales",
        "s3:/lake/sales",
        "lake/sales",
        "https://lake/sales",
        "s3://key:secret@lake/sales",
        "s3://lake/\udcff",
        "s3://lake/sale\r",
        "s3://lake/sa\x1b[2Jle",
        "s3://lake/sa\tle",
        "s3://la\ud800ke/sales",
    ],
)
def test_what_is_no_location_is_refused(uri: str) -> None:
    with pytest.raises(UsageError, match="s3://bucket/folder/table") as refused:
        Location.of(uri)
    assert "secret" not in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("uri", ["s3://lake/a//b", "s3://lake//a/b", "s3://lake/a/b//"])
def test_two_slashes_are_one_as_in_the_path_of_a_job(uri: str) -> None:
    assert Location.of(uri) == Location("s3", "lake", "a/b")


@pytest.mark.parametrize("key", ["sales", "a b/ü", "x?y=1", "x#y", "dt=1/%20", ""])
def test_every_key_is_kept_as_it_is(key: str) -> None:
    assert Location.of(f"S3A://lake/{key}") == Location("s3a", "lake", key)


def test_a_moment_after_the_year_9999_is_the_last_one() -> None:
    for millis in (253_402_300_800_000, 2**53):
        found = ActiveCommit.of({**ACTIVE, "token": "", "reserved-millis": millis})
        assert found.reserved.year == 9999
