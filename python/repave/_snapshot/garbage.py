"""Makes Python search for garbage less often while a version is opened.

The files of a version are tens of thousands of objects, and none is garbage. Python looks at new
objects once for each 700, and at all objects of the process every now and then. That takes as long
as making them.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

# Few enough that the garbage between two searches, such as that of requests, stays small.
OBJECTS_BETWEEN: Final = 100_000


class RareCollections:
    """The thresholds of the process; threads that open versions at once share the change."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._before = gc.get_threshold()

    @contextmanager
    def during(self) -> Iterator[None]:
        """Search rarely until the last thread is done; a program's own choice is kept."""
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._before = gc.get_threshold()
                first, *others = self._before
                # 0 is never.
                gc.set_threshold(first and max(first, OBJECTS_BETWEEN), *others)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0 and gc.get_threshold()[0] == OBJECTS_BETWEEN:
                    gc.set_threshold(*self._before)

    def forked(self) -> None:
        """Forget the threads of the process that this one was forked from."""
        self._lock = Lock()
        if self._users:
            self._users = 0
            gc.set_threshold(*self._before)


RARE_COLLECTIONS: Final = RareCollections()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=RARE_COLLECTIONS.forked)
