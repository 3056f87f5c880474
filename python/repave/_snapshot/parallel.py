"""Runs requests in parallel, and keeps few of their answers in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

REQUESTS_AT_ONCE: Final = 16

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Ahead:
    """Requests that are sent before it is certain that their answers are needed."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        """Take the threads that send them; they must not take answers before all are sent."""
        self._pool = pool
        self._sent: dict[str, Future[Any]] = {}

    def send(self, name: str, ask: Callable[[str], Any]) -> None:
        self._sent[name] = self._pool.submit(ask, name)

    def take(self, name: str, ask: Callable[[str], Answer]) -> Answer:
        """Return the answer, and ask for it now if it was not asked for."""
        sent = self._sent.pop(name, None)
        return ask(name) if sent is None else sent.result()


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
