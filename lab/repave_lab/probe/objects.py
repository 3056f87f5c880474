"""Checks of listings, bulk deletes, keys and the connection."""

import http.client
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from repave._location import Location
from repave._store_probe import StoreProbe
from repave_lab.probe.bucket import OK, ProbeBucket, status_of

ODD_NAMES: Final = ("p=1/a b+c%20d.txt", "ü€/\U0001f600", "a//b", "_x/&y<z>'\".txt", "dir/")
LONGEST_KEY_BYTES: Final = 1024


def _keys(bucket: ProbeBucket, prefix: str, page_keys: int = 1000) -> list[str]:
    """List by token. A page may be short: only IsTruncated says that it is the last."""
    keys: list[str] = []
    token: dict[str, Any] = {}
    while True:
        page = bucket.client.list_objects_v2(
            Bucket=bucket.name, Prefix=prefix, MaxKeys=page_keys, **token
        )
        keys += [found["Key"] for found in page.get("Contents", [])]
        if not page.get("IsTruncated"):
            return keys
        token = {"ContinuationToken": page["NextContinuationToken"]}


def _put_all(bucket: ProbeBucket, names: list[str]) -> tuple[str, list[str]]:
    prefix = bucket.key() + "/"
    for name in names:
        bucket.put(prefix + name, name.encode())
    return prefix, [prefix + name for name in names]


def failed_checks(bucket: ProbeBucket) -> tuple[str, ...]:
    probe = StoreProbe(bucket.client, Location("s3", bucket.name, bucket.key()))
    probe.run()
    return tuple(sorted(probe.failed))


def lists_complete(bucket: ProbeBucket) -> bool:
    prefix, keys = _put_all(bucket, ["b", "a-", "a/1", "a", "a.", "B", "a/10"])
    return _keys(bucket, prefix, page_keys=3) == sorted(keys) == _keys(bucket, prefix)


def lists_beyond_ascii(bucket: ProbeBucket) -> bool:
    prefix, keys = _put_all(bucket, ["\U0001f600", "\uffee", "é", "e"])
    in_order = sorted(keys, key=str.encode)
    try:
        return _keys(bucket, prefix, page_keys=1) == in_order == _keys(bucket, prefix)
    except ClientError:
        return False


def odd_keys(bucket: ProbeBucket) -> bool:
    prefix, keys = _put_all(bucket, list(ODD_NAMES))
    are_kept = all(bucket.read(prefix + name) == name.encode() for name in ODD_NAMES)
    return are_kept and _keys(bucket, prefix) == sorted(keys, key=str.encode)


def line_breaks(bucket: ProbeBucket) -> bool:
    key = bucket.key() + "/two\nlines"
    return status_of(lambda: bucket.put(key)) == OK and _keys(bucket, key) == [key]


def long_key(bucket: ProbeBucket) -> int:
    key = bucket.key()
    return status_of(lambda: bucket.put(key + "x" * (LONGEST_KEY_BYTES + 1 - len(key))))


def missing_bucket(bucket: ProbeBucket) -> int:
    missing = f"{bucket.name}-missing"
    return status_of(lambda: bucket.client.put_object(Bucket=missing, Key="k", Body=b"x"))


def _delete(bucket: ProbeBucket, keys: list[str], *, is_quiet: bool) -> set[str]:
    result = bucket.client.delete_objects(
        Bucket=bucket.name, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": is_quiet}
    )
    return {deleted["Key"] for deleted in result.get("Deleted", [])}


def delete_missing_is_deleted(bucket: ProbeBucket) -> bool:
    prefix, keys = _put_all(bucket, ["a&b", "c"])
    named = [*keys, f"{prefix}missing"]
    return _delete(bucket, named, is_quiet=False) == set(named) and not _keys(bucket, prefix)


def delete_quiet(bucket: ProbeBucket) -> bool:
    prefix, keys = _put_all(bucket, ["a", "b"])
    return not _delete(bucket, keys, is_quiet=True) and not _keys(bucket, prefix)


def keeps_connections(bucket: ProbeBucket) -> bool:
    url = urlsplit(bucket.client.meta.endpoint_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=30)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        return not answer.will_close
    finally:
        connection.close()


CHECKS: Final[Mapping[str, Callable[[ProbeBucket], object]]] = {
    check.__name__: check
    for check in (
        failed_checks,
        lists_complete,
        lists_beyond_ascii,
        odd_keys,
        line_breaks,
        long_key,
        missing_bucket,
        delete_missing_is_deleted,
        delete_quiet,
        keeps_connections,
    )
}
