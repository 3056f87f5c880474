"""Keeps the clients of boto3 for the next opening: to make one takes as long as some requests.

Nothing is kept beyond a change of the environment, of the AWS files or of the process.
"""

import os
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Any, Final, TypeVar

from repave._aws import credential_errors, session
from repave._bucket import BucketRegion, client_of, read_only_keys

T = TypeVar("T")
# As long as this, a change that none of the marks below shows goes unnoticed.
KEPT_SECONDS: Final = 300.0
SESSIONS_MAX: Final = 4
# Each may keep 32 connections open.
BUCKETS_MAX: Final = 4
FILES: Final = {
    "AWS_CONFIG_FILE": "~/.aws/config",
    "AWS_SHARED_CREDENTIALS_FILE": "~/.aws/credentials",
}


class RecentSession:
    """A session of boto3, and its clients by bucket and endpoint."""

    def __init__(self, profile: str | None) -> None:
        """Make a session of a profile.

        Raises:
            UsageError: the profile or the credentials cannot be used.
        """
        with credential_errors():
            self.session: Any = session(profile)
        self.since = monotonic()
        self._clients: OrderedDict[object, tuple[Any, BucketRegion]] = OrderedDict()

    def is_usable(self) -> bool:
        """Return whether it is young, and has credentials: a machine that starts gets them late."""
        with credential_errors():
            has_credentials = self.session.get_credentials() is not None
        return has_credentials and monotonic() - self.since <= KEPT_SECONDS

    def client(self, bucket: str, endpoint_url: str | None) -> tuple[Any, BucketRegion]:
        """Return a client whose listings have keys only, and what it knows of the region.

        Raises:
            UsageError: the profile or the credentials cannot be used.
        """
        return _kept(
            self._clients, (bucket, endpoint_url), BUCKETS_MAX, lambda: self._new(endpoint_url)
        )

    def _new(self, endpoint_url: str | None) -> tuple[Any, BucketRegion]:
        with credential_errors():
            s3 = client_of(self.session, endpoint_url)
        read_only_keys(s3)
        return s3, BucketRegion(s3)


class RecentSessions:
    """The sessions that were made last, by profile and what decides about them."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[object, RecentSession] = OrderedDict()

    def of(self, profile: str | None) -> RecentSession:
        """Return a session that boto3 would make now."""
        key = (profile, *_marks())
        found = self._sessions.get(key)
        if found is not None and not found.is_usable():
            self._sessions.pop(key, None)
        return _kept(self._sessions, key, SESSIONS_MAX, lambda: RecentSession(profile))


def _kept(kept: OrderedDict[object, T], key: object, most: int, make: Callable[[], T]) -> T:
    """Return what is kept, or make it. Two threads may both make one: then the last stays.

    There is no lock, because a process that is forked meanwhile would wait for it forever.
    """
    found = kept.get(key)
    if found is None:
        found = kept[key] = make()
        while len(kept) > most:
            kept.popitem(last=False)
    return found


def _marks() -> tuple[object, ...]:
    """Return what decides about a session: it differs if another one may be needed."""
    files = (_mark(os.environ.get(name) or usual) for name, usual in FILES.items())
    # Connections must not be shared with the process that this one was forked from.
    return (os.getpid(), frozenset(os.environ.copy().items()), *files)


def _mark(path: str) -> object:
    try:
        # As botocore finds it. Path.expanduser fails without a home.
        found = os.stat(os.path.expanduser(os.path.expandvars(path)))  # noqa: PTH111, PTH116
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


RECENT_SESSIONS: Final = RecentSessions()
