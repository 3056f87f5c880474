"""A machine without a database of time zones, as slim images are, reads partitions in UTC."""

import zoneinfo
from datetime import timezone

import pytest

from repave._errors import UsageError
from repave._snapshot.partitions import Typing


@pytest.fixture
def _no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr("repave._snapshot.partitions.ZoneInfo", absent)
    monkeypatch.setattr("repave._snapshot.partitions.available_timezones", set)


@pytest.mark.usefixtures("_no_database")
def test_utc_needs_no_database() -> None:
    assert Typing.of(None, None, "UTC").zone is timezone.utc


@pytest.mark.usefixtures("_no_database")
def test_other_zones_are_refused_with_the_package_that_has_them() -> None:
    with pytest.raises(UsageError, match=r"'Europe/Berlin': .*`pip install tzdata` adds"):
        Typing.of(None, None, "Europe/Berlin")
