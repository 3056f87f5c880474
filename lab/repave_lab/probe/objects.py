"""Checks of listings, bulk deletes, keys and the connection."""

import http.client
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from repave.lab.probe.ground import OK, Ground, status_of

ODD_NAMES: Final = ("p=1/a b+c%20d.txt", "ü€/\U0001f600", "a//b", "_x/&y<z>'\".txt", "dir/")
LONGEST_KEY_BYTES: Final = 1024


def _keys(ground: Ground, prefix: str, page_keys: int = 1000) -> list[str]:
    """List by token. A page may be short: only IsTruncated says that it is the last."""
    keys: list[str] = []
    token: dict[str, Any] = {}
    while True:
        page = ground.client.list_objects_v2(
            Bucket=ground.bucket, Prefix=prefix, MaxKeys=page_keys, **token
        )
        keys += [found["Key"] for found in page.get("Contents", [])]
        if not page.get("IsTruncated"):
            return keys
        token = {"ContinuationToken": page["NextContinuationToken"]}


def _put_all(ground: Ground, names: list[str]) -> tuple[str, list[str]]:
    prefix = ground.key() + "/"
    for name in names:
        ground.put(prefix + name, name.encode())
    return prefix, [prefix + name for name in names]


def lists_complete(ground: Ground) -> bool:
    prefix, keys = _put_all(ground, ["b", "a-", "a/1", "a", "a.", "B", "a/10"])
    return _keys(ground, prefix, page_keys=3) == sorted(keys) == _keys(ground, prefix)


def lists_beyond_ascii(ground: Ground) -> bool:
    prefix, keys = _put_all(ground, ["\U0001f600", "\uffee", "é", "e"])
    in_order = sorted(keys, key=str.encode)
    try:
        return _keys(ground, prefix, page_keys=1) == in_order == _keys(ground, prefix)
    except ClientError:
        return False


def odd_keys(ground: Ground) -> bool:
    prefix, keys = _put_all(ground, list(ODD_NAMES))
    are_kept = all(ground.read(prefix + name) == name.encode() for name in ODD_NAMES)
    return are_kept and _keys(ground, prefix) == sorted(keys, key=str.encode)


def line_breaks(ground: Ground) -> bool:
    key = ground.key() + "/two\nlines"
    return status_of(lambda: ground.put(key)) == OK and _keys(ground, key) == [key]


def long_key(ground: Ground) -> int:
    key = ground.key()
    return status_of(lambda: ground.put(key + "x" * (LONGEST_KEY_BYTES + 1 - len(key))))


def missing_bucket(ground: Ground) -> int:
    bucket = f"{ground.bucket}-missing"
    return status_of(lambda: ground.client.put_object(Bucket=bucket, Key="k", Body=b"x"))


def _delete(ground: Ground, keys: list[str], *, is_quiet: bool) -> set[str]:
    result = ground.client.delete_objects(
        Bucket=ground.bucket, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": is_quiet}
    )
    return {deleted["Key"] for deleted in result.get("Deleted", [])}


def delete_missing_is_deleted(ground: Ground) -> bool:
    prefix, keys = _put_all(ground, ["a&b", "c"])
    named = [*keys, f"{prefix}missing"]
    return _delete(ground, named, is_quiet=False) == set(named) and not _keys(ground, prefix)


def delete_quiet(ground: Ground) -> bool:
    prefix, keys = _put_all(ground, ["a", "b"])
    return not _delete(ground, keys, is_quiet=True) and not _keys(ground, prefix)


def keeps_connections(ground: Ground) -> bool:
    url = urlsplit(ground.client.meta.endpoint_url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=30)
    try:
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        return not answer.will_close
    finally:
        connection.close()


CHECKS: Final[Mapping[str, Callable[[Ground], object]]] = {
    check.__name__: check
    for check in (
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
