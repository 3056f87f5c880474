"""What a reader that lists the table would have seen, replayed from the proxy's journal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from repave_lab.proxy.journal import Entry

APPEARS: Final = frozenset({"PutObject", "CopyObject", "CompleteMultipartUpload"})
OK: Final = range(200, 300)


@dataclass(frozen=True)
class Visibility:
    """Seconds in which a listing reader was shown something wrong."""

    missing_seconds: float
    """At least one partition that had files had none."""
    missing_longest_seconds: float
    """The longest time for one partition."""
    missing_partitions: int
    doubled_seconds: float | None
    """At least one partition showed old and new files together; None where that is meant."""


class Span:
    """Adds up the time in which a condition holds for any partition, and for each."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._any_since = 0.0
        self.seconds = 0.0
        self.longest = 0.0
        self.partitions: set[str] = set()

    def tell(self, partition: str, when: float, *, holds: bool) -> None:
        if holds and partition not in self._since:
            if not self._since:
                self._any_since = when
            self._since[partition] = when
            self.partitions.add(partition)
        elif not holds and partition in self._since:
            self.longest = max(self.longest, when - self._since.pop(partition))
            if not self._since:
                self.seconds += when - self._any_since

    def end(self, when: float) -> None:
        for partition in list(self._since):
            self.tell(partition, when, holds=False)


def replay(entries: Iterable[Entry], before: Iterable[str], table: str, end: float) -> Visibility:
    """Follow every change of the table's folder.

    A change counts from the end of its request: between the two ends a reader may see either.

    Args:
        entries: the journal of the write.
        before: the keys that were there when it began.
        table: the table's key in its bucket.
        end: when the write returned; what is wrong then counts until then.
    """
    old = {key for key in before if is_data(key, table)}
    live: dict[str, set[str]] = {}
    for key in old:
        live.setdefault(partition_of(key), set()).add(key)
    had = set(live)
    missing, doubled = Span(), Span()
    for when, key, appears in sorted(_changes(entries)):
        if not is_data(key, table):
            continue
        partition = partition_of(key)
        files = live.setdefault(partition, set())
        if appears:
            files.add(key)
        else:
            files.discard(key)
        missing.tell(partition, when, holds=not files and partition in had)
        doubled.tell(partition, when, holds=bool(files & old and files - old))
    return visibility(missing, doubled, end)


def visibility(missing: Span, doubled: Span, end: float) -> Visibility:
    """Close both spans and say what they add up to."""
    missing.end(end)
    doubled.end(end)
    return Visibility(
        missing_seconds=round(missing.seconds, 3),
        missing_longest_seconds=round(missing.longest, 3),
        missing_partitions=len(missing.partitions),
        doubled_seconds=round(doubled.seconds, 3),
    )


def _changes(entries: Iterable[Entry]) -> Iterator[tuple[float, str, bool]]:
    for entry in entries:
        if entry.server_status not in OK:
            continue
        when = entry.ts + entry.ms / 1000
        if entry.op in APPEARS:
            yield when, entry.key, True
        elif entry.op == "DeleteObject":
            yield when, entry.key, False
        elif entry.op == "DeleteObjects":
            for key in entry.keys or ():
                yield when, key, False


def is_data(key: str, table: str) -> bool:
    """Tell whether a listing reader reads the object: markers and hidden names are none."""
    if not key.startswith(f"{table}/") or key.endswith("/"):
        return False
    return not any(name[:1] in "_." for name in key[len(table) + 1 :].split("/"))


def partition_of(key: str) -> str:
    return key.rpartition("/")[0]
