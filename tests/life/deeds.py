"""Deeds: changes of a table that may fail or race, and how their outcome is found out."""

from collections.abc import Callable
from dataclasses import dataclass

from life.model import Effect, Model
from repave import RepaveError, RepaveTable

# An error that says: the table is as it was.
UNCHANGED = ("CommitFailed", "CommitConflict", "Usage")


@dataclass(frozen=True)
class Deed:
    """A change. `run` returns the version that the call told, None if it told none."""

    told: str
    run: Callable[[], int | None]
    after: Effect
    token: str = ""


@dataclass(frozen=True)
class End:
    """How a call ended: "done", or the error that it raised."""

    how: str
    version: int | None = None
    text: str = ""


def end_of(deed: Deed) -> End:
    try:
        return End("done", deed.run())
    except RepaveError as error:
        return End(error.code, text=str(error)[:300])
    except Exception as error:  # noqa: BLE001 - Spark's own, of a task whose request failed
        return End(type(error).__name__, text=str(error)[:300])


def settle(table: RepaveTable, model: Model, deeds: list[Deed], ends: list[End]) -> str:
    """Find out by the history alone what was published, and apply it in the order of versions."""
    table.recover()
    tokens: dict[str, list[int]] = {}
    new: set[int] = set()
    for entry in table.history():
        assert entry.version, f"{entry} is unfinished after recover"
        tokens.setdefault(entry.token, []).append(entry.version)
        new.update({entry.version} if entry.version > model.newest else ())
    if model.newest == 0 and model.readers == "snapshot" and 1 in new:
        new.discard(1)
        model.publish(1, type(model.rows)())  # the files before the first write: none
    found: dict[int, Deed] = {}
    for deed, end in zip(deeds, ends, strict=True):
        versions = tokens.get(deed.token, []) if deed.token else _told(end, new, deeds)
        assert len(versions) <= 1, f"{deed.told} made versions {versions}"
        assert versions or end.how != "done" or not deed.token, f"told done, but absent: {deed}"
        assert not (versions and end.how in UNCHANGED), f"told {end}, but published: {deed}"
        found.update(dict.fromkeys(versions, deed))
    assert set(found) == new, f"versions {sorted(new)} are new, {sorted(found)} were expected"
    for version in sorted(found):
        model.publish(version, found[version].after(model))
    story = (f"{deed.told}: {end.how}" for deed, end in zip(deeds, ends, strict=True))
    return f"{'; '.join(story)}; versions {sorted(found)}"


def _told(end: End, new: set[int], deeds: list[Deed]) -> list[int]:
    """Return the version of a change without a token: as told or, alone, what is new."""
    if end.how == "done":
        return [end.version] if end.version in new else []
    alone = len(deeds) == 1 and end.how not in UNCHANGED
    return sorted(new) if alone else []
