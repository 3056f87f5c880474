"""The list of store checks, which the jar's probe and the doctor share. It comes from the jar."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal

DIRECTORY_BUCKET: Final = "--x-s3"


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """One check of a store; `sentence` describes a store that fails it."""

    id: str
    need: Literal["many-writers", "every-writer", "none"]
    """Which tables are refused on a store that fails."""
    request: str
    expectation: str
    sentence: str


@cache
def store_checks() -> Mapping[str, StoreCheck]:
    """Return the checks by id, worst first."""
    text = (resources.files("repave") / "store-checks.json").read_text("utf-8")
    checks = [StoreCheck(**one) for one in json.loads(text)]
    return {check.id: check for check in checks}
