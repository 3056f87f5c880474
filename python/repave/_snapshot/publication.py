"""Which version was the newest at a moment."""

from datetime import datetime, timedelta, timezone
from typing import Any, Protocol

from repave._envelope import RESTORE_IT
from repave._errors import InvalidRecordError, UsageError
from repave._location import HEAD, Location
from repave._read import TableRecords
from repave._records import EPOCH, LAST_MILLIS, commit_started


class Dates(Protocol):
    """Returns when an object was written."""

    def modified(self, location: Location) -> datetime | None:
        """Return when an object was written, None if there is none: 1 HEAD."""


def moment(text: datetime | str) -> datetime:
    """Return a time; without a time zone it is in UTC.

    >>> moment("2026-11-20T03:00Z").isoformat(), moment("2026-11-20").isoformat()
    ('2026-11-20T03:00:00+00:00', '2026-11-20T00:00:00+00:00')

    Raises:
        UsageError: the text is not a time.
    """
    if isinstance(text, str):
        plain = text.strip()
        # Python 3.10 does not know the letter.
        plain = f"{plain[:-1]}+00:00" if plain[-1:] in ("Z", "z") else plain
        try:
            text = datetime.fromisoformat(plain)
        except ValueError:
            raise _not_a_time(text) from None
    if not isinstance(text, datetime):
        raise _not_a_time(text)
    return text if text.tzinfo else text.replace(tzinfo=timezone.utc)


def _not_a_time(value: object) -> UsageError:
    return UsageError(f"{value!r} is not a time: give a datetime, or text like 2026-11-20T03:00Z.")


def millis(when: datetime) -> int:
    """Return a time as the records write it.

    >>> millis(moment("1970-01-01T00:00:01Z"))
    1000
    """
    return (when - EPOCH) // timedelta(milliseconds=1)


def version_at(records: TableRecords, dates: Dates, head: dict[str, Any], when: datetime) -> int:
    """Return the newest version that was published at or before a moment.

    The records name the times, which increase from version to version. Version 0.1 recorded none:
    a commit's report is written as soon as it has been published, so its date is the time. Jobs
    that began after the moment need no request.

    Raises:
        UsageError: there is no version, or none that the records name is that old.
    """
    records.require_version(head)
    active = {commit["commit"] for commit in head["active"]}
    limit = millis(when)
    oldest = first = 0
    for commit in records.logged(head):
        if not commit["version"]:
            continue
        oldest, first = int(commit["version"]), commit.get("published-millis", 0)
        if first:
            if first <= limit:
                return oldest
            continue
        if _started(commit["commit"]) > when:
            continue
        if _published(records, dates, commit["commit"], active) <= when:
            return oldest
    message = f"{records.table} had no version yet at {when.isoformat()}."
    if oldest == 1 and first:
        published = (EPOCH + timedelta(milliseconds=min(first, LAST_MILLIS))).isoformat()
        message = f"{message[:-1]}: version 1 was published at {published}."
    if oldest > 1:
        message = (
            f"{records.table} had no version at {when.isoformat()} that the records still name: "
            f"they begin with version {oldest}, because vacuum removes what is older than "
            "repave.history.retention."
        )
    raise UsageError(message)


def _started(commit: str) -> datetime:
    try:
        return commit_started(commit)
    except ValueError:
        message = f"A record names the commit '{commit}', which has no valid date.{RESTORE_IT}"
        raise InvalidRecordError(message) from None


def _published(records: TableRecords, dates: Dates, commit: str, active: set[str]) -> datetime:
    found = dates.modified(records.report(commit))
    if found is None and commit in active:
        # Published, and not finished: the head was written then, or later.
        found = dates.modified(records.table.under(HEAD))
    if found is None:
        message = (
            f"The report of the commit {commit} is missing, so it is not known when it was "
            "published: name the version by its number, which `repave history` lists."
        )
        raise InvalidRecordError(message)
    return found
