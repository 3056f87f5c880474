"""Runs requests in parallel, and keeps few of their answers in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

REQUESTS_AT_ONCE: Final = 16

Item = TypeVar("Item")
Answer = TypeVar("Answer")


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
