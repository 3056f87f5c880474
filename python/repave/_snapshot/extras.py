"""The libraries that rows are read with, none of which Repave itself needs."""

from importlib import import_module
from typing import Any

from repave._errors import UsageError


def library(name: str, extra: str) -> Any:  # noqa: ANN401 - they have no types of their own
    """Import a library of an extra.

    Raises:
        UsageError: it is not installed; the message names it and its extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        message = (
            f"{package} cannot be imported ({error}): pip install {package}. The extra '{extra}' "
            "of Repave names the versions that are tested."
        )
        raise UsageError(message) from error
