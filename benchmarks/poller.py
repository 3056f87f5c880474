"""A reader that lists the table while it is being written, and the replayed journal."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, final

from benchmarks.visibility import Span, Visibility, is_data, partition_of, visibility

PAUSE_SECONDS: Final = 0.5
REST: Final = 20


@final
class Poller:
    """Lists the folder again and again; a state counts from the listing that showed it.

    It asks the store past the proxy, and rests twenty times as long as a listing takes, so that it
    costs the write little. What lasts shorter than its pause may escape it.
    """

    def __init__(self, keys: Callable[[], list[str]], table: str) -> None:
        self._keys = keys
        self._table = table
        began = time.monotonic()
        self._old = self._files()
        self._pause = _pause(time.monotonic() - began)
        self._missing, self._doubled = Span(), Span()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._looked = time.time()
        self.polls = 0

    def __enter__(self) -> "Poller":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end.set()
        self._thread.join()
        self.look()  # What it saw last must not count until somebody asks.

    def seen(self) -> Visibility:
        """Return what was seen, until the last listing."""
        return visibility(self._missing, self._doubled, self._looked)

    def look(self) -> None:
        """List once."""
        files = self._files()
        self._looked = when = time.time()
        for partition, old in self._old.items():
            now = files.get(partition, set())
            self._missing.tell(partition, when, holds=not now)
            self._doubled.tell(partition, when, holds=bool(now & old and now - old))
        self.polls += 1

    def _poll(self) -> None:
        while not self._end.wait(self._pause):
            began = time.monotonic()
            self.look()
            self._pause = _pause(time.monotonic() - began)

    def _files(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for key in self._keys():
            if is_data(key, self._table):
                found.setdefault(partition_of(key), set()).add(key)
        return found


def _pause(listing_seconds: float) -> float:
    return max(PAUSE_SECONDS, REST * listing_seconds)
