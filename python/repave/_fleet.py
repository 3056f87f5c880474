"""What needs attention among many tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from repave._errors import RepaveError
from repave._follow import advice
from repave._location import Location
from repave._records import ActiveCommit, FollowerStatus, commit_started

OLDER_THAN: Final = "10m"


@dataclass(frozen=True)
class Limits:
    """The ages from which a table needs attention: of an unfinished and of the newest commit."""

    now: datetime
    older_than: timedelta
    max_lag: timedelta | None = None


@dataclass(frozen=True)
class TableHealth:
    """One table; `problems` are sentences, none if all is well."""

    table: str
    version: int
    readers: str
    last_commit: datetime | None
    lag: timedelta | None
    active: tuple[ActiveCommit, ...]
    age: timedelta | None
    problems: tuple[str, ...]

    @classmethod
    def of(
        cls, table: Location, overview: dict[str, Any] | RepaveError, limits: Limits
    ) -> "TableHealth":
        """Return what is wrong with a table, from its overview or from the error of reading it."""
        if isinstance(overview, Exception):
            return cls(str(table), 0, "", None, None, (), None, (str(overview),))
        active = tuple(map(ActiveCommit.of, overview["active"]))
        name = overview["last-commit"]
        last = commit_started(name) if name else None
        lag = limits.now - last if last else None
        age = max((limits.now - one.reserved for one in active), default=None)
        return cls(
            str(table),
            overview["version"],
            overview["readers"],
            last,
            lag,
            active,
            age,
            (*_problems(active, lag, limits), *_late_followers(overview, limits)),
        )

    @property
    def is_readable(self) -> bool:
        """Return whether the table's head could be read; otherwise only its problems are known."""
        return bool(self.readers)

    def is_stuck(self, limits: Limits) -> bool:
        """Return whether a commit has been unfinished for too long."""
        return self.age is not None and self.age > limits.older_than

    def document(self) -> dict[str, Any]:
        """Return the table's entry in the document of docs/json.md."""
        return {
            "table": self.table,
            "version": self.version,
            "readers": self.readers,
            "last-commit": _text(self.last_commit),
            "lag-seconds": _seconds(self.lag),
            "active": [
                {
                    "commit": one.commit,
                    "kind": one.kind,
                    "state": one.state,
                    "reserved": _text(one.reserved),
                }
                for one in self.active
            ],
            "age-seconds": _seconds(self.age),
            "problems": list(self.problems),
        }


def _problems(
    active: Iterable[ActiveCommit], lag: timedelta | None, limits: Limits
) -> Iterable[str]:
    for one in active:
        age = limits.now - one.reserved
        if age > limits.older_than:
            yield (
                f"Commit {one.commit} has been unfinished for {duration(age)}: "
                f"`repave recover` finishes it."
            )
    if limits.max_lag is not None and (lag is None or lag > limits.max_lag):
        since = f"was {duration(lag)} ago" if lag else "is not known"
        yield f"The newest commit {since}; at most {duration(limits.max_lag)} is expected."


def _late_followers(overview: dict[str, Any], limits: Limits) -> Iterable[str]:
    """A commit updates its followers within seconds, except those that a session or Glue has."""
    least = (limits.now - limits.older_than).timestamp() * 1000
    for each in FollowerStatus.all_of(overview):
        missed = overview["missed"][each.follower]
        # The newest commit may be young although a follower stopped long ago.
        if each.behind and missed is not None and missed < least:
            call = advice(each.follower, "run `repave sync`")
            yield f"{each.called} is at version {each.version} of {overview['version']}: {call}."


def duration(time: timedelta | None) -> str:
    """Return a duration as text, in its two largest units.

    >>> [duration(timedelta(seconds=n)) for n in (7, 90, 5400, 200000)]
    ['7s', '1m 30s', '1h 30m', '2d 7h']
    """
    if time is None:
        return "–"
    left = max(0, int(time.total_seconds()))
    parts = []
    for unit, seconds in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        count, left = divmod(left, seconds)
        if count:
            parts.append(f"{count}{unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0s"


def _seconds(time: timedelta | None) -> int | None:
    return None if time is None else int(time.total_seconds())


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"
