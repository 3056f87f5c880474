"""The journal: one line for each request, in the order in which they ended."""

import json
from collections import Counter
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import IO, Any


@dataclass(slots=True)
class Entry:
    """One request as the client saw it, and what became of it behind the proxy."""

    ts: float
    """When its head arrived, in seconds since the epoch."""
    op: str
    bucket: str
    key: str
    """The object's key; a listing's prefix."""
    ms: float = 0.0
    """From the head's arrival to the end of the answer."""
    status: int | None = None
    """What the client was told; none when its connection was reset or left hanging."""
    bytes_in: int = 0
    """The body that the client sent, as on the wire."""
    bytes_out: int = 0
    """The body that the client got."""
    fault: str | None = None
    """What was injected: a fault's `do`, `limit`, or why the exchange broke."""
    server_status: int | None = None
    """What the server answered; none when it was not asked or did not answer."""
    server_ms: float | None = None
    """From forwarding to the end of the server's answer."""
    stored: int | None = None
    """Payload that a PUT or a part carried, without framing."""
    copied: int | None = None
    """Bytes that a copy moved inside the server; none when the source's size is unknown."""
    source: str | None = None
    """What a copy read: bucket/key."""
    upload: str | None = None
    keys: list[str] | None = None
    """What a DeleteObjects names."""


FIELDS = tuple(field.name for field in fields(Entry))
_row = attrgetter(*FIELDS)


class Journal:
    """The entries since the last reset, and their counts by operation."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._file = file
        # Rows of plain values are nothing to Python's garbage collector: a long journal costs
        # no pauses.
        self._rows: list[tuple[Any, ...]] = []
        self._counts: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        row = _row(entry)
        self._rows.append(row)
        self._counts[entry.op] += 1
        if self._file is not None:
            self._file.write(_line(row))

    def lines(self, since: int = 0) -> str:
        """Return the entries from number `since` on as NDJSON."""
        return "".join(map(_line, self._rows[since:]))

    def counts(self) -> dict[str, int]:
        return dict(self._counts)

    def clear(self) -> None:
        self._rows.clear()
        self._counts.clear()


def _line(row: tuple[Any, ...]) -> str:
    values = zip(FIELDS, row, strict=True)
    told = {name: value for name, value in values if value is not None}
    return json.dumps(told, separators=(",", ":")) + "\n"
