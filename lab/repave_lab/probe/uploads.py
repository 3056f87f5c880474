"""Checks of multipart uploads: completing again, completing what is gone, listing what is open."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from repave_lab.probe.bucket import PART_BYTES, ProbeBucket, Upload, status_of

PAGE_UPLOADS: Final = 3
FRESH: Final = timedelta(minutes=5)


def complete_replay(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key())
    bucket.complete(upload)
    return status_of(lambda: bucket.complete(upload))


def complete_after_abort(bucket: ProbeBucket) -> int:
    # The key exists: a server that looks at the key alone would report a success that was none.
    upload = bucket.upload(bucket.key())
    bucket.put(upload.key)
    bucket.abort(upload)
    return status_of(lambda: bucket.complete(upload))


def complete_unknown_upload(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key())
    unknown = upload._replace(upload="bm8tc3VjaC11cGxvYWQtYXQtYWxs")
    return status_of(lambda: bucket.complete(unknown))


def complete_other_key(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key())
    return status_of(lambda: bucket.complete(upload._replace(key=bucket.key())))


def upload_part_after_abort(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key())
    bucket.abort(upload)
    return status_of(lambda: bucket.part(upload.key, upload.upload, 1, b"late"))


def complete_small_part(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key(), (b"small", b"last"))
    return status_of(lambda: bucket.complete(upload))


def complete_part_order(bucket: ProbeBucket) -> int:
    upload = bucket.upload(bucket.key(), (bytes(PART_BYTES), bytes(PART_BYTES)))
    return status_of(lambda: bucket.complete(upload._replace(parts=upload.parts[::-1])))


def invisible_until_complete(bucket: ProbeBucket) -> bool:
    key = bucket.key()
    bucket.put(key, b"old")
    replaced, fresh = bucket.upload(key, (b"new",)), bucket.upload(bucket.key())
    listing = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix=fresh.key)
    was_hidden = bucket.read(key) == b"old" and listing["KeyCount"] == 0
    bucket.complete(replaced)
    bucket.complete(fresh)
    return was_hidden and bucket.read(key) == b"new" and bucket.read(fresh.key) == b"x"


def _listed(bucket: ProbeBucket, **options: object) -> Any:  # noqa: ANN401 - boto3's options vary
    given: Mapping[str, Any] = options
    return bucket.client.list_multipart_uploads(Bucket=bucket.name, **given)


def _open_uploads(bucket: ProbeBucket) -> tuple[str, list[tuple[str, str]]]:
    """Open seven uploads below a new prefix, two of them at one key, in no order."""
    prefix = bucket.key() + "/"
    names = ("b", "a", "c/x", "a", "e", "c/y", "d")
    opened = [bucket.upload(prefix + name) for name in names]
    return prefix, [(upload.key, upload.upload) for upload in opened]


def _found(page: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    return [(upload["Key"], upload["UploadId"]) for upload in page.get("Uploads", [])]


def uploads_paged(bucket: ProbeBucket) -> bool:
    prefix, opened = _open_uploads(bucket)
    seen: list[tuple[str, str]] = []
    markers: dict[str, str] = {}
    for _ in range(len(opened) + 1):
        page = _listed(bucket, Prefix=prefix, MaxUploads=PAGE_UPLOADS, **markers)
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


def uploads_sorted(bucket: ProbeBucket) -> bool:
    prefix, opened = _open_uploads(bucket)
    keys = [key for key, _ in _found(_listed(bucket, Prefix=prefix))]
    return keys == sorted(key for key, _ in opened)


def uploads_dated(bucket: ProbeBucket) -> bool:
    upload = bucket.upload(bucket.key())
    [listed] = _listed(bucket, Prefix=upload.key)["Uploads"]
    age: timedelta = datetime.now(timezone.utc) - listed["Initiated"]
    return abs(age) < FRESH


def uploads_delimited(bucket: ProbeBucket) -> bool:
    prefix, _ = _open_uploads(bucket)
    page = _listed(bucket, Prefix=prefix, Delimiter="/")
    return [found["Prefix"] for found in page.get("CommonPrefixes", [])] == [f"{prefix}c/"]


def aborted_is_gone(bucket: ProbeBucket) -> bool:
    upload: Upload = bucket.upload(bucket.key())
    bucket.abort(upload)
    return _found(_listed(bucket, Prefix=upload.key)) == []


CHECKS: Final[Mapping[str, Callable[[ProbeBucket], object]]] = {
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
