"""Sends what a JVM says on standard error to a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def errors_into(log: Path) -> Iterator[None]:
    """Let programs that are started meanwhile write their standard error to `log`, for ever."""
    own = os.dup(2)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)
