"""Whole partitions that are dropped as one version."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from repave._errors import UsageError
from repave._records import Document, PartitionSize, record_of

# The jar gets the names as the lines of one text, in UTF-8.
NO_NAME: Final = re.compile("[\r\n\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PartitionDrop:
    """The partitions that were dropped, or would be.

    `version` is the table's version afterwards. `commit` is "" if nothing had to be dropped.
    `partitions` count the files in and below each folder; one that was named and has no files is
    among them, with 0 files.
    """

    version: int
    commit: str
    dry_run: bool
    partitions: tuple[PartitionSize, ...]

    @classmethod
    def of(cls, document: Document) -> "PartitionDrop":
        sizes = tuple(record_of(PartitionSize, one) for one in document["partitions"])
        return record_of(cls, document, partitions=sizes)

    @property
    def filled(self) -> tuple[PartitionSize, ...]:
        """Those that had files."""
        return tuple(one for one in self.partitions if one.files)


def require_choice(partitions: Sequence[str], before: str | None) -> None:
    """Refuse a drop that does not say what to drop, or says it in two ways."""
    if bool(partitions) == (before is not None):
        message = (
            "Name the partitions to drop, such as dt=2025-01-01, or drop all before a value by "
            "--before dt=2025-01-01 (`before` in Python); not both."
        )
        raise UsageError(message)
    for one in partitions:
        # The jar's command takes the word `before` for the beginning of a bound.
        if NO_NAME.search(one) or "=" not in one:
            message = f"{one!r} is not the name of a partition, such as dt=2025-01-01."
            raise UsageError(message)


def column_and_value(before: str) -> tuple[str, str]:
    """Return the column and the value of a bound.

    >>> column_and_value("dt=2025-01-01")
    ('dt', '2025-01-01')
    """
    column, equals, value = before.partition("=")
    if not (column and equals and value) or "/" in value:
        message = (
            f"{before!r} is not a value of a partition column. Give COLUMN=VALUE, such as "
            "dt=2025-01-01: all partitions before it are dropped."
        )
        raise UsageError(message)
    return column, value


def drop_partitions(
    ask: Callable[..., Any], partitions: Sequence[str], before: str | None, *, dry_run: bool
) -> PartitionDrop:
    """Drop partitions by a table's gateway."""
    require_choice(partitions, before)
    if before is not None:
        found = ask("dropPartitionsBefore", dry_run, *column_and_value(before))
    else:
        found = ask("dropPartitions", dry_run, "\n".join(partitions))
    return PartitionDrop.of(found)
