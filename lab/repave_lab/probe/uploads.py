"""Checks of multipart uploads: completing again, completing what is gone, listing what is open."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from repave.lab.probe.ground import PART_BYTES, Ground, Upload, status_of

PAGE_UPLOADS: Final = 3
FRESH: Final = timedelta(minutes=5)


def complete_replay(ground: Ground) -> int:
    upload = ground.upload(ground.key())
    ground.complete(upload)
    return status_of(lambda: ground.complete(upload))


def complete_after_abort(ground: Ground) -> int:
    # The key exists: a server that looks at the key alone would report a success that was none.
    upload = ground.upload(ground.key())
    ground.put(upload.key)
    ground.abort(upload)
    return status_of(lambda: ground.complete(upload))


def complete_unknown_upload(ground: Ground) -> int:
    upload = ground.upload(ground.key())
    unknown = upload._replace(upload="bm8tc3VjaC11cGxvYWQtYXQtYWxs")
    return status_of(lambda: ground.complete(unknown))


def complete_other_key(ground: Ground) -> int:
    upload = ground.upload(ground.key())
    return status_of(lambda: ground.complete(upload._replace(key=ground.key())))


def upload_part_after_abort(ground: Ground) -> int:
    upload = ground.upload(ground.key())
    ground.abort(upload)
    return status_of(lambda: ground.part(upload.key, upload.upload, 1, b"late"))


def complete_small_part(ground: Ground) -> int:
    upload = ground.upload(ground.key(), (b"small", b"last"))
    return status_of(lambda: ground.complete(upload))


def complete_part_order(ground: Ground) -> int:
    upload = ground.upload(ground.key(), (bytes(PART_BYTES), bytes(PART_BYTES)))
    return status_of(lambda: ground.complete(upload._replace(parts=upload.parts[::-1])))


def invisible_until_complete(ground: Ground) -> bool:
    key = ground.key()
    ground.put(key, b"old")
    replaced, fresh = ground.upload(key, (b"new",)), ground.upload(ground.key())
    listing = ground.client.list_objects_v2(Bucket=ground.bucket, Prefix=fresh.key)
    was_hidden = ground.read(key) == b"old" and listing["KeyCount"] == 0
    ground.complete(replaced)
    ground.complete(fresh)
    return was_hidden and ground.read(key) == b"new" and ground.read(fresh.key) == b"x"


def _listed(ground: Ground, **options: object) -> Any:  # noqa: ANN401 - boto3's options vary
    given: Mapping[str, Any] = options
    return ground.client.list_multipart_uploads(Bucket=ground.bucket, **given)


def _open_uploads(ground: Ground) -> tuple[str, list[tuple[str, str]]]:
    """Open seven uploads below a new prefix, two of them at one key, in no order."""
    prefix = ground.key() + "/"
    names = ("b", "a", "c/x", "a", "e", "c/y", "d")
    opened = [ground.upload(prefix + name) for name in names]
    return prefix, [(upload.key, upload.upload) for upload in opened]


def _found(page: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    return [(upload["Key"], upload["UploadId"]) for upload in page.get("Uploads", [])]


def uploads_paged(ground: Ground) -> bool:
    prefix, opened = _open_uploads(ground)
    seen: list[tuple[str, str]] = []
    markers: dict[str, str] = {}
    for _ in range(len(opened) + 1):
        page = _listed(ground, Prefix=prefix, MaxUploads=PAGE_UPLOADS, **markers)
        found = _found(page)
        if len(found) > PAGE_UPLOADS:
            return False
        seen += found
        if not page.get("IsTruncated"):
            break
        markers = {
            "KeyMarker": page.get("NextKeyMarker", ""),
            "UploadIdMarker": page.get("NextUploadIdMarker", ""),
        }
    return sorted(seen) == sorted(opened)


def uploads_sorted(ground: Ground) -> bool:
    prefix, opened = _open_uploads(ground)
    keys = [key for key, _ in _found(_listed(ground, Prefix=prefix))]
    return keys == sorted(key for key, _ in opened)


def uploads_dated(ground: Ground) -> bool:
    upload = ground.upload(ground.key())
    [listed] = _listed(ground, Prefix=upload.key)["Uploads"]
    age: timedelta = datetime.now(timezone.utc) - listed["Initiated"]
    return abs(age) < FRESH


def uploads_delimited(ground: Ground) -> bool:
    prefix, _ = _open_uploads(ground)
    page = _listed(ground, Prefix=prefix, Delimiter="/")
    return [found["Prefix"] for found in page.get("CommonPrefixes", [])] == [f"{prefix}c/"]


def aborted_is_gone(ground: Ground) -> bool:
    upload: Upload = ground.upload(ground.key())
    ground.abort(upload)
    return _found(_listed(ground, Prefix=upload.key)) == []


CHECKS: Final[Mapping[str, Callable[[Ground], object]]] = {
    check.__name__: check
    for check in (
        complete_replay,
        complete_after_abort,
        complete_unknown_upload,
        complete_other_key,
        upload_part_after_abort,
        complete_small_part,
        complete_part_order,
        invisible_until_complete,
        uploads_paged,
        uploads_sorted,
        uploads_dated,
        uploads_delimited,
        aborted_is_gone,
    )
}
