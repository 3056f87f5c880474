"""Runs requests in parallel, and keeps few of their answers in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from repave._envelope import BYTES_MAX
from repave._location import Location
from repave._read import Objects

REQUESTS_AT_ONCE: Final = 16

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class ReadAhead:
    """Objects of which some are asked for before it is certain that they are needed.

    Their bytes wait to be read, because to parse them takes longer than the request.
    """

    def __init__(self, objects: Objects, pool: ThreadPoolExecutor) -> None:
        """Take the threads that ask; they must not read before everything is sent."""
        self._objects = objects
        self._pool = pool
        self._sent: dict[Location, Future[bytes | None]] = {}

    def send(self, location: Location) -> None:
        """Ask for an object, at most once: 1 GET."""
        if location not in self._sent:
            self._sent[location] = self._pool.submit(self._objects.read, location, BYTES_MAX)

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        """Return an object's content, and ask for it now if it was not asked for."""
        sent = self._sent.pop(location, None)
        return self._objects.read(location, bytes_max) if sent is None else sent.result()


def in_order(
    pool: ThreadPoolExecutor, ask: Callable[[Item], Answer], items: Iterable[Item]
) -> Iterator[tuple[Item, Answer]]:
    """Yield each item with its answer, in the items' order.

    At most `REQUESTS_AT_ONCE` answers wait to be taken. Items are taken as late as that allows, so
    a generator of items can use the answers that came before.

    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(in_order(pool, abs, [-3, -1, 2]))
    [(-3, 3), (-1, 1), (2, 2)]
    """
    waiting: deque[tuple[Item, Future[Answer]]] = deque()
    try:
        for item in items:
            waiting.append((item, pool.submit(ask, item)))
            if len(waiting) >= REQUESTS_AT_ONCE:
                first, answer = waiting.popleft()
                yield first, answer.result()
        while waiting:
            first, answer = waiting.popleft()
            yield first, answer.result()
    finally:
        for _, answer in waiting:
            answer.cancel()
