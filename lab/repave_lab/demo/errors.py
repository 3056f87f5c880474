"""Keeps what goes wrong in the demo, and what a JVM says on standard error, in a file."""

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repave._errors import RepaveError


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


@contextmanager
def failure_into(log: Path) -> Iterator[None]:
    """Write any failure to `log` and tell of it in one sentence."""
    try:
        yield
    except Exception as error:
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        message = f"The demo ended early, by {type(error).__name__}: {log} holds what was said."
        raise RepaveError(message) from error
