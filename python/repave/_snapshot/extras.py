"""The libraries that rows are read with, none of which Repave itself needs."""

from importlib import import_module
from typing import Any

from repave._errors import RepaveError


class MissingExtraError(RepaveError, ImportError):
    """A library is not installed; the message names the extra that installs it."""


def library(name: str, extra: str) -> Any:  # noqa: ANN401 - they have no types of their own
    """Import a library of an extra.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        message = (
            f"{name.partition('.')[0]} cannot be imported ({error}): pip install 'repave[{extra}]'"
        )
        raise MissingExtraError(message) from error
