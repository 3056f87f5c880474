"""Changes of one member of a record: it is missing, of another type, or out of its bounds.

Java's tests make the same ones (Mutations.java).
"""

import copy
from collections.abc import Iterator
from typing import Any

# ruff: noqa: ANN401 - JSON

Path = tuple[str | int, ...]


def of(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each change and the changed record."""
    for path in members(record):
        if path != ("checksum",):
            changed, parent = _parent(record, path)
            del parent[path[-1]]
            yield f"{path} is missing", changed
            for other in _others(_value(record, path)):
                changed, parent = _parent(record, path)
                parent[path[-1]] = other
                yield f"{path} is {other!r}", changed


def members(value: Any, at: Path = ()) -> tuple[Path, ...]:
    """Return the paths of all members; of a list, those of its first item."""
    if isinstance(value, list) and value:
        return members(value[0], (*at, 0))
    found: list[Path] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            found += [(*at, name), *members(inner, (*at, name))]
    return tuple(found)


def _value(record: Any, path: Path) -> Any:
    for step in path:
        record = record[step]
    return record


def _parent(record: dict[str, Any], path: Path) -> tuple[dict[str, Any], Any]:
    changed = copy.deepcopy(record)
    return changed, _value(changed, path[:-1])


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [None, {}, "true"]
    if isinstance(value, int):
        return [None, {}, -1, (1 << 53) + 1, 1.5, str(value)]
    if isinstance(value, str):
        return [None, {}, 1, "a/../b", "_repave"]
    return [None, {}, [True]] if isinstance(value, list) else [None, "true"]
