"""Values of settings with a syntax of their own. The jar refuses the same, when a job begins.

The sentences are the jar's (`SettingErrors.java`); `tests/e2e/test_settings.py` compares both.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from repave._errors import UsageError
from repave._order import order_of

# What Java's `trim` removes.
BLANKS: Final = "".join(map(chr, range(33)))
PARTITION: Final = re.compile(r"[^=/]+=[^/]+(?:/[^=/]+=[^/]+)*")
FOLDER: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/]+(?:/.*)?", re.DOTALL)
# They name a job's run or a write. An unset variable must not switch them off.
NAMES: Final = ("repave.run", "repave.token")
PATTERN: Final = re.compile(r"[*?\[{\\]")
SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
# An empty value is a wrong one.
REQUIRED: Final = ("repave.schemes",)
FOLLOWERS: Final = ("delta", "symlink")
STATS_COLUMNS_MAX: Final = 8


def refusal(key: str, text: str) -> str:
    """Return why every write would refuse the value of a setting; "" if none would.

    >>> refusal("repave.followers", "hive")
    "repave.followers names 'hive'. The followers are delta and symlink."
    >>> refusal("repave.followers", "delta")
    ''
    """
    value = text.strip(BLANKS)
    if key in NAMES and not value:
        return (
            f"{key} is empty, so a repeated write would not be recognized, and its rows would be "
            "there twice. Check the variable that should hold the value, or leave the setting out."
        )
    # Hadoop's configuration replaces ${…} by a value of the cluster.
    if key not in REFUSALS or not (value or key in REQUIRED) or "${" in value:
        return ""
    return next(REFUSALS[key](value), "")


def _items(value: str) -> list[str]:
    return [item for item in (part.strip(BLANKS) for part in value.split(",")) if item]


def schemes(value: str) -> list[str]:
    """Return the schemes of `repave.schemes` as they are compared.

    >>> schemes("S3A, s3")
    ['s3a', 's3']
    """
    return [item.lower() for item in _items(value)]


def _schemes(value: str) -> Iterator[str]:
    for item in _items(value):
        if not SCHEME.fullmatch(item):
            yield (
                f"repave.schemes names '{item}', which is not a scheme such as s3a. Write schemes "
                "without :// and put commas between them."
            )
    if not _items(value):
        yield (
            f"repave.schemes is '{value}', which names no scheme, so Repave would commit no write. "
            "Leave the setting out, or switch Repave off with repave.enabled=false."
        )


def _exclude(value: str) -> Iterator[str]:
    for item in _items(value):
        if PATTERN.search(item):
            yield (
                f"repave.exclude names '{item}', but it takes no patterns, so nothing would be "
                "excluded. Name each bucket or folder."
            )
        if not FOLDER.fullmatch(item):
            yield (
                f"repave.exclude names '{item}', which is not like s3://bucket or "
                "s3://bucket/folder."
            )


def _locations_allowed(value: str) -> Iterator[str]:
    for item in _items(value):
        if not FOLDER.fullmatch(item):
            yield f"repave.locations.allowed names '{item}', which is not like s3://bucket/folder."


def _followers(value: str) -> Iterator[str]:
    for item in _items(value):
        if item.lower() not in FOLLOWERS:
            yield f"repave.followers names '{item}'. The followers are {' and '.join(FOLLOWERS)}."


def _only(value: str) -> Iterator[str]:
    # Commas alone name no partition; only "" switches the guard off.
    for item in _items(value) or [value]:
        if not PARTITION.fullmatch(item):
            yield (
                f"repave.only is '{value}', in which '{item}' is not like dt=2026-11-20 or "
                "dt=2026-11-20/h=3. Write a comma in a value as %2C and a slash as %2F."
            )


def _order(value: str) -> Iterator[str]:
    try:
        order_of(value)
    except UsageError:
        yield (
            f"repave.order is '{value}', which is not like id, ts desc nulls last: different "
            "columns at the top of the schema, at most 8, each with asc or desc and nulls first or "
            "nulls last if need be. Write a name with spaces, dots or commas in backticks."
        )


def _stats_columns(value: str) -> Iterator[str]:
    names = list(dict.fromkeys(_items(value)))
    if len(names) > STATS_COLUMNS_MAX:
        yield (
            f"repave.stats.columns names {len(names)} columns, and at most {STATS_COLUMNS_MAX} may "
            "have bounds. Name the columns that readers filter by."
        )
    for name in names:
        if "." in name:
            yield (
                f"repave.stats.columns names '{name}', but bounds are recorded of columns at the "
                "top of the schema only, and of none whose name has a dot. Remove this name."
            )


REFUSALS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "repave.exclude": _exclude,
    "repave.followers": _followers,
    "repave.locations.allowed": _locations_allowed,
    "repave.only": _only,
    "repave.order": _order,
    "repave.schemes": _schemes,
    "repave.stats.columns": _stats_columns,
}
