"""Lets a process end while threads of Arrow still let go of what they read.

A thread of Arrow that releases an object of Python needs the interpreter's lock. While the
interpreter ends it does not get it, and the process aborts (SIGABRT, exit code 134) after all of
its work. `to_table()` returns before these threads are done, so a script's last line may be a read.
Memory that they release is Arrow's own (`respelled`). What must be Python's is here.
"""

import atexit
import os
import time
from collections import deque
from contextlib import suppress
from typing import Any, Final
from weakref import ref

from pyarrow import fs

# ruff: noqa: ANN401 - pyarrow has no types

# As many datasets as a process may have been reading when it ends. Each keeps connections open, so
# a process that opens thousands of snapshots keeps only the last ones.
KEPT: Final = 4
LONGEST_WAIT_SECONDS: Final = 1.0

_kept: deque[Any] = deque(maxlen=KEPT)
# By identity: a buffer has no hash.
_lent: dict[int, Any] = {}
# A forked process has no threads of Arrow that would release anything.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lent.clear)


def lasting_filesystem(handler: Any) -> Any:
    """Return a file system that outlives its dataset, so that no thread is the last to hold it."""
    made = fs.PyFileSystem(handler)
    _kept.append(made)
    return made


def lent(to_arrow: Any) -> Any:
    """Return an object for which the end of the process waits until Arrow has released it."""
    key = id(to_arrow)
    _lent[key] = ref(to_arrow, lambda _: _lent.pop(key, None))
    return to_arrow


def wait_for_arrow() -> None:
    """Wait until Arrow has released what it was lent; a scan that nobody ends is not waited for."""
    until = time.monotonic() + LONGEST_WAIT_SECONDS
    while _lent and time.monotonic() < until:
        time.sleep(0.005)


@atexit.register
def _settle() -> None:
    # The interpreter clears all modules before it ends: one more reference than there is. Some
    # builds of Python lack ctypes.
    with suppress(ImportError):
        import ctypes  # noqa: PLC0415

        for one in list(_kept):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
    wait_for_arrow()
