"""Reads the benchmark's data files."""

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent


def read_toml(name: str) -> dict[str, Any]:
    """Return a data file of this package."""
    values: dict[str, Any] = tomllib.loads((HERE / name).read_text("utf-8"))
    return values
