"""Checks of conditional writes, which decide commits: refused when stale, one winner in a race."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from repave_lab.probe.bucket import OK, RACERS, ProbeBucket, most_winners, status_of

STALE: Final = '"00000000000000000000000000000000"'


def if_unchanged(bucket: ProbeBucket, key: str, status: int) -> int:
    """Return the status, unless the refused write was made all the same."""
    return status if status == OK or bucket.read(key) == b"old" else OK


def put_if_none_match(bucket: ProbeBucket) -> int:
    key = bucket.key()
    bucket.put(key, b"old", IfNoneMatch="*")
    status = status_of(lambda: bucket.put(key, b"new", IfNoneMatch="*"))
    return if_unchanged(bucket, key, status)


def put_if_match_current(bucket: ProbeBucket) -> int:
    key = bucket.key()
    current = bucket.put(key, b"old")
    return status_of(lambda: bucket.put(key, b"new", IfMatch=current))


def put_if_match_stale(bucket: ProbeBucket) -> int:
    key = bucket.key()
    bucket.put(key, b"old")
    status = status_of(lambda: bucket.put(key, b"new", IfMatch=STALE))
    return if_unchanged(bucket, key, status)


def put_if_match_absent(bucket: ProbeBucket) -> int:
    return status_of(lambda: bucket.put(bucket.key(), b"new", IfMatch=STALE))


def complete_if_none_match(bucket: ProbeBucket) -> int:
    # The object comes after the upload began: the condition holds for the moment of completion.
    upload = bucket.upload(bucket.key(), (b"new",))
    bucket.put(upload.key, b"old")
    status = status_of(lambda: bucket.complete(upload, IfNoneMatch="*"))
    return if_unchanged(bucket, upload.key, status)


def complete_if_match_stale(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key(), (b"new",))
    bucket.put(upload.key, b"old")
    status = status_of(lambda: bucket.complete(upload, IfMatch=STALE))
    return if_unchanged(bucket, upload.key, status)


def create_race_winners(bucket: ProbeBucket) -> int:
    def racers() -> list[Callable[[], object]]:
        key = bucket.key()
        return [
            partial(bucket.put, key, f"racer {n}".encode(), IfNoneMatch="*") for n in range(RACERS)
        ]

    return most_winners(racers)


def swap_race_winners(bucket: ProbeBucket) -> int:
    def racers() -> list[Callable[[], object]]:
        key = bucket.key()
        current = bucket.put(key, b"old")
        return [
            partial(bucket.put, key, f"racer {n}".encode(), IfMatch=current) for n in range(RACERS)
        ]

    return most_winners(racers)


CHECKS: Final[Mapping[str, Callable[[ProbeBucket], object]]] = {
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
