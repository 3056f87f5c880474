"""A session's builder without PySpark."""

from typing import Any, cast

import repave


class FakeBuilder:
    """Holds options as pyspark's builder does."""

    def __init__(self, **options: str) -> None:
        self._options = {key.replace("__", "."): value for key, value in options.items()}

    def config(self, key: str, value: str) -> "FakeBuilder":
        self._options[key] = value
        return self


def configure(builder: FakeBuilder, **options: Any) -> dict[str, str]:  # noqa: ANN401
    options = {"jar": "/j/repave.jar", "connector": None, **options}
    returned: object = repave.configure_session(cast("Any", builder), **options)
    assert returned is builder
    return builder._options
