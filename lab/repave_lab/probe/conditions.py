"""Checks of conditional writes, which decide commits: refused when stale, one winner in a race."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from repave.lab.probe.ground import OK, RACERS, Ground, most_winners, status_of

STALE: Final = '"00000000000000000000000000000000"'


def if_unchanged(ground: Ground, key: str, status: int) -> int:
    """Return the status, unless the refused write was made all the same."""
    return status if status == OK or ground.read(key) == b"old" else OK


def put_if_none_match(ground: Ground) -> int:
    key = ground.key()
    ground.put(key, b"old", IfNoneMatch="*")
    status = status_of(lambda: ground.put(key, b"new", IfNoneMatch="*"))
    return if_unchanged(ground, key, status)


def put_if_match_current(ground: Ground) -> int:
    key = ground.key()
    current = ground.put(key, b"old")
    return status_of(lambda: ground.put(key, b"new", IfMatch=current))


def put_if_match_stale(ground: Ground) -> int:
    key = ground.key()
    ground.put(key, b"old")
    status = status_of(lambda: ground.put(key, b"new", IfMatch=STALE))
    return if_unchanged(ground, key, status)


def put_if_match_absent(ground: Ground) -> int:
    return status_of(lambda: ground.put(ground.key(), b"new", IfMatch=STALE))


def complete_if_none_match(ground: Ground) -> int:
    # The object comes after the upload began: the condition holds for the moment of completion.
    upload = ground.upload(ground.key(), (b"new",))
    ground.put(upload.key, b"old")
    status = status_of(lambda: ground.complete(upload, IfNoneMatch="*"))
    return if_unchanged(ground, upload.key, status)


def complete_if_match_stale(ground: Ground) -> int:
    upload = ground.upload(ground.key(), (b"new",))
    ground.put(upload.key, b"old")
    status = status_of(lambda: ground.complete(upload, IfMatch=STALE))
    return if_unchanged(ground, upload.key, status)


def create_race_winners(ground: Ground) -> int:
    def racers() -> list[Callable[[], object]]:
        key = ground.key()
        return [
            partial(ground.put, key, f"racer {n}".encode(), IfNoneMatch="*") for n in range(RACERS)
        ]

    return most_winners(racers)


def swap_race_winners(ground: Ground) -> int:
    def racers() -> list[Callable[[], object]]:
        key = ground.key()
        current = ground.put(key, b"old")
        return [
            partial(ground.put, key, f"racer {n}".encode(), IfMatch=current) for n in range(RACERS)
        ]

    return most_winners(racers)


CHECKS: Final[Mapping[str, Callable[[Ground], object]]] = {
    check.__name__: check
    for check in (
        put_if_none_match,
        put_if_match_current,
        put_if_match_stale,
        put_if_match_absent,
        complete_if_none_match,
        complete_if_match_stale,
        create_race_winners,
        swap_race_winners,
    )
}
