"""Sorts more keys than fit into memory: sorted runs in temporary files, which are merged."""

import json
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import IO, Final

from repave._errors import RepaveError

KEYS_IN_MEMORY: Final = 100_000
# A run is an open file, of which a process may have about a thousand.
RUNS_MAX: Final = 64

Numbered = tuple[str, int]


class SortedKeys:
    """Keys, each with a number, in the order of UTF-8, which is also Python's order of texts.

    >>> from contextlib import closing
    >>> with closing(SortedKeys(1)) as keys:
    ...     for key, number in (("b", 2), ("a", 7), ("b", 1)):
    ...         keys.add(key, number)
    ...     list(keys)
    [('a', 7), ('b', 1)]
    """

    def __init__(self, in_memory: int = KEYS_IN_MEMORY) -> None:
        self._in_memory = in_memory
        self._newest: list[Numbered] = []
        self._runs: list[IO[str]] = []

    def close(self) -> None:
        """Delete the temporary files."""
        for run in self._runs:
            run.close()

    def add(self, key: str, number: int) -> None:
        """Add a key. Of equal keys the one with the smallest number counts."""
        self._newest.append((key, number))
        if len(self._newest) >= self._in_memory:
            self._runs.append(_run(sorted(self._newest)))
            self._newest = []
        if len(self._runs) == RUNS_MAX:
            whole = _run(self)
            self.close()
            self._runs = [whole]

    def __iter__(self) -> Iterator[Numbered]:
        """Yield each key once."""
        self._newest.sort()
        found = merge(*(_read(run) for run in self._runs), self._newest)
        for _, equal in groupby(found, itemgetter(0)):
            yield next(equal)


class NumberOf:
    """The numbers of sorted keys, for one who asks for keys in the same order."""

    def __init__(self, keys: Iterable[Numbered]) -> None:
        self._keys = iter(keys)
        self._next = next(self._keys, None)
        self._asked = ""

    def __call__(self, key: str) -> int | None:
        """Return the number of a key, None if there is none.

        >>> number_of = NumberOf([("a", 1), ("c", 3)])
        >>> [number_of(key) for key in "abc"]
        [1, None, 3]

        Raises:
            RepaveError: the key is before the last one.
        """
        if key < self._asked:
            message = (
                f"The store lists {key!r} after {self._asked!r}. Repave needs the order of UTF-8, "
                "in which S3 lists keys. Check --endpoint-url."
            )
            raise RepaveError(message)
        self._asked = key
        while self._next is not None and self._next[0] < key:
            self._next = next(self._keys, None)
        return self._next[1] if self._next is not None and self._next[0] == key else None


def _run(keys: Iterable[Numbered]) -> IO[str]:
    """Write sorted keys into a temporary file."""
    run = TemporaryFile("w+", encoding="ascii")  # noqa: SIM115 - closed by `close`
    # A key may have line breaks, which JSON escapes.
    run.writelines(f"{json.dumps(one)}\n" for one in keys)
    return run


def _read(run: IO[str]) -> Iterator[Numbered]:
    run.seek(0)
    for line in run:
        key, number = json.loads(line)
        yield key, number
