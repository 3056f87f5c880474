"""Which versions of a table can be read."""

import re
from operator import index
from typing import Final

from repave._errors import UsageError
from repave._location import Location
from repave._records import Status

IN_PATH: Final = re.compile(r"(?:^|/)@v(0|[1-9][0-9]{0,17})(?:-[0-9a-f]{12}0*)?(?:/|$)")


def number_of(version: object) -> int:
    """Return the number of a version, of any type of whole numbers.

    >>> number_of(3)
    3

    Raises:
        UsageError: it is not a number from 1 on.
    """
    try:
        number = index(version)  # type: ignore[arg-type]  # what has no index is refused
    except TypeError:
        number = None
    if number is None or isinstance(version, bool):
        message = f"A version is a number, not {version!r}."
        raise UsageError(message)
    if number < 1:
        message = f"There is no version {number}: versions count from 1."
        raise UsageError(message)
    return number


def refuse_absent(version: int, status: Status) -> None:
    """Refuse a version whose files are not kept.

    Raises:
        UsageError: it never existed, or its files are deleted.
    """
    message = None
    if not 1 <= version <= status.version:
        message = f"{status.table} has no version {version}; its newest is {status.version}."
    elif status.readers == "listing" and version != status.version:
        message = (
            f"{status.table} has only the files of its newest version, {status.version}: with "
            f"repave.readers=listing, each commit deletes the files that it replaces. "
            f"`repave manifest` shows what version {version} changed."
        )
    elif version < status.oldest_version:
        message = (
            f"{status.table} keeps no files of version {version} any more: they were vacuumed. "
            f"The oldest that can be read is {status.oldest_version}."
        )
    if message is not None:
        raise UsageError(message)


def in_path(location: Location) -> int | None:
    """Return the version that a path names.

    >>> in_path(Location.of("repave://lake/sales/@v3")), in_path(Location.of("s3://lake/sales"))
    (3, None)
    >>> in_path(Location.of("repave://lake/sales/@v3-0123456789ab/day=1"))  # from a listing
    3
    >>> in_path(Location.of("repave://lake/sales/@v03"))  # an ordinary folder
    """
    found = IN_PATH.search(location.key)
    return int(found[1]) if found else None


def in_store(location: Location, scheme: str) -> Location:
    """Return where a table that is opened is in its store, whose connector has this scheme.

    >>> str(in_store(Location.of("repave://lake/sales"), "s3a"))
    's3a://lake/sales'

    Raises:
        UsageError: the path names one version.
    """
    if location.scheme != "repave":
        return location
    if in_path(location) is not None:
        message = (
            f"{location} names one version: open the table without the @v…, and read the version "
            "by to_df(version=…)."
        )
        raise UsageError(message)
    return location.with_scheme(scheme)
