"""The journal: one line for each request, in the order in which they ended."""

import json
from collections import Counter
from dataclasses import dataclass, fields
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

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that say something."""
        values = ((name, getattr(self, name)) for name in ENTRY_FIELDS)
        return {name: value for name, value in values if value is not None}


ENTRY_FIELDS = tuple(field.name for field in fields(Entry))


class Journal:
    """The entries since the last reset, and their counts by operation."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._file = file
        self._entries: list[Entry] = []
        self._counts: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._counts[entry.op] += 1
        if self._file is not None:
            self._file.write(_line(entry))

    def lines(self, since: int = 0) -> str:
        """Return the entries from number `since` on as NDJSON."""
        return "".join(map(_line, self._entries[since:]))

    def counts(self) -> dict[str, int]:
        return dict(self._counts)

    def clear(self) -> None:
        self._entries.clear()
        self._counts.clear()


def _line(entry: Entry) -> str:
    return json.dumps(entry.as_dict(), separators=(",", ":")) + "\n"
