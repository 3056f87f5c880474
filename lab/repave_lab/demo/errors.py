"""Keeps what goes wrong in the demo, and what a JVM says on standard error, in a file."""

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repave._errors import RepaveError


@contextmanager
def errors_into(log: Path) -> Iterator[None]:
    """Let programs that are started here write their standard error to `log`, until they end."""
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
    """Write any failure to `log`, and report it in one sentence.

    Ctrl-C also ends the servers, so what fails after it is no failure of the demo.
    """
    try:
        yield
    except Exception as error:
        if _is_interrupted(error):
            raise KeyboardInterrupt from error
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        message = f"The demo failed with {type(error).__name__}. Details are in {log}."
        raise RepaveError(message) from error


def _is_interrupted(error: BaseException) -> bool:
    """Return whether an error came up after Ctrl-C."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None
