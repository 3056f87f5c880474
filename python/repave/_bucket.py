"""S3 through boto3, to read a table without Spark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_plus
from xml.etree import ElementTree as ET

from repave._aws import Addressing, check_endpoint, credential_errors, session
from repave._errors import InvalidRecordError, RepaveError
from repave._location import Location
from repave._store_errors import ABSENT, WebPageError, error_code, store_errors
from repave._temporary import TEMPORARY_STATUSES

# Those that botocore takes for a bucket in another region.
REDIRECTS = (301, 302, 307)
# One for each parallel request. By default boto3 keeps only ten connections open.
CONNECTIONS = 32
LAST_CHARACTER = "\U0010ffff"
# What `read_only_keys` puts into the answer to a listing.
KEYS = "RepaveKeys"
# The jar has the same limit.
EMPTY_PAGES_MAX = 100_000
KEY = re.compile(rb"<Key>([^<]*)</Key>")
# botocore repeats requests by the code of an error, and by statuses only from 500 on.
BUSY = b"<Error><Code>SlowDown</Code></Error>"
WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
ESCAPED = b"<EncodingType>url</EncodingType>"


def client(endpoint_url: str | None = None, profile: str | None = None) -> Any:  # noqa: ANN401 - boto3 has no types
    """Return an S3 client. With a custom endpoint, the bucket is in the path by default."""
    check_endpoint(endpoint_url)
    with credential_errors():
        return client_of(session(profile), endpoint_url)


def client_of(found: Any, endpoint_url: str | None) -> Any:  # noqa: ANN401 - boto3 has no types
    """Return an S3 client of a session. Call this inside `credential_errors`."""
    from botocore.config import Config  # noqa: PLC0415 - half a second that `repave jar` need not pay

    way = Addressing.of(found, endpoint_url)
    config = Config(
        s3={"addressing_style": way.style},  # type: ignore[arg-type]  # any style of the profile
        retries={"mode": "standard"},
        user_agent_extra="repave-cli",
        max_pool_connections=CONNECTIONS,
        # The doctor writes as the jar does: a checksum of boto3's own would hide a refusal.
        request_checksum_calculation="when_required",
    )
    s3 = found.client("s3", endpoint_url=way.endpoint_url, region_name=way.region, config=config)
    # A pattern, so that it comes before botocore's own search for an error.
    s3.meta.events.register("before-parse.s3.*", partial(_refuse_answer, s3.meta.endpoint_url))
    s3.meta.events.register(
        "before-parse.s3.HeadBucket", partial(_refuse_redirect, s3.meta.endpoint_url)
    )
    return s3


def _refuse_answer(endpoint_url: str, response_dict: dict[str, Any], **_: object) -> None:
    """Refuse a web page, unless it tells of a temporary failure, as proxies do."""
    body, status = response_dict["body"], response_dict["status_code"]
    is_temporary = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if status in TEMPORARY_STATUSES:
        response_dict["body"] = BUSY
        is_temporary = True
    # What a successful GET answers is a stream.
    if isinstance(body, bytes) and not is_temporary and WEB_PAGE.match(body):
        raise _no_store(endpoint_url)


def _refuse_redirect(endpoint_url: str, response_dict: dict[str, Any], **_: object) -> None:
    """Refuse a redirect that names no region.

    After any redirect botocore asks for the bucket's region. A redirect of this request too would
    make it ask again, until Python's stack is full.
    """
    headers = response_dict["headers"]
    redirects = response_dict["status_code"] in REDIRECTS
    if redirects and "x-amz-bucket-region" not in headers:
        message = (
            f"{endpoint_url} redirects to {headers.get('location', 'another address')}, which S3's "
            "clients do not follow. Check --endpoint-url (`endpoint_url` in Python): it may need "
            "https:// or another host."
        )
        raise RepaveError(message)


def _no_store(endpoint_url: str) -> RepaveError:
    """Return the error for a web page, which botocore would read as an empty answer."""
    error = RepaveError(
        f"{endpoint_url} answers with a web page, so it is not the address of an S3 store: it may "
        "be the store's console, or a proxy on the way. Check --endpoint-url (`endpoint_url` in "
        "Python) and the network."
    )
    error.__cause__ = WebPageError()
    return error


class BucketRegion:
    """The region of the bucket that a client reads: "" until an answer of Amazon names it.

    Amazon does when it refuses a request in another region, which boto3 then repeats in this one.
    """

    def __init__(self, s3: Any) -> None:  # noqa: ANN401 - boto3 has no types
        self.name = ""
        s3.meta.events.register("response-received.s3", self._note)

    def _note(self, response_dict: dict[str, Any] | None, **_: object) -> None:
        if response_dict is not None:
            self.name = response_dict["headers"].get("x-amz-bucket-region") or self.name


def read_only_keys(s3: Any) -> None:  # noqa: ANN401 - boto3 has no types
    """Let a client answer the keys of listings alone, faster than with all members."""
    # The pattern of any service makes it come before botocore's own search for an error, which
    # parses all of the page. The client knows no other service than S3.
    s3.meta.events.register("before-parse.*.ListObjectsV2", _only_keys)


def _only_keys(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    if response_dict["status_code"] != HTTPStatus.OK:
        return
    body = response_dict["body"]
    found = _cut(body) or _parsed(body)
    if found is not None:
        # botocore adds these to the page.
        customized_response_dict[KEYS], response_dict["body"] = found


def _cut(body: bytes) -> tuple[list[str], bytes] | None:
    """Return a page's keys, and the page without them; None if it is not written as S3 does."""
    start, end = body.find(b"<Contents>"), body.rfind(b"</Contents>") + len(b"</Contents>")
    contents = body[start:end]
    keys: list[bytes] = KEY.findall(contents)
    page = body[:start] + body[end:]
    text = b"".join(keys)
    plain = not any(one in text for one in (b"&", b"\n", b"\r"))
    plain = plain and b"<!" not in body and b"<Contents" not in page
    joined = contents.count(b"</Contents><Contents>") + 1
    if start < 0 or not plain or not len(keys) == contents.count(b"<Contents") == joined:
        return None
    if ESCAPED not in page:
        return [key.decode() for key in keys], page
    if b"%0A" in contents or b"%0a" in contents:
        return [unquote_plus(key.decode()) for key in keys], page
    # One call for all keys is ten times as fast.
    return unquote_plus(b"\n".join(keys).decode()).split("\n"), page


def _parsed(body: bytes) -> tuple[list[str], bytes] | None:
    """Return the same of any page; None if botocore has to explain it."""
    try:
        page = ET.fromstring(body)  # noqa: S314 - as botocore does
    except ET.ParseError:
        return None
    namespace = page.tag[: page.tag.rfind("}") + 1]
    if page.tag != f"{namespace}ListBucketResult":
        return None
    contents, key = f"{namespace}Contents", f"{namespace}Key"
    keys = [one.findtext(key, "") for one in page.findall(contents)]
    page[:] = [one for one in page if one.tag != contents]
    if page.findtext(f"{namespace}EncodingType") == "url":
        keys = list(map(unquote_plus, keys))
    return keys, ET.tostring(page)


@dataclass(frozen=True, slots=True)
class Listed:
    """An object of a listing; its path is relative to the folder."""

    path: str
    bytes: int
    modified: datetime


class BucketObjects:
    """Reads objects by GET."""

    def __init__(self, s3: Any) -> None:  # noqa: ANN401 - boto3 has no types
        self._s3 = s3

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        """Return an object's content, None if there is none."""
        with store_errors(location):
            try:
                answer = self._s3.get_object(Bucket=location.bucket, Key=location.key)
            except self._s3.exceptions.ClientError as error:
                if error_code(error) in ABSENT:
                    return None
                raise
            with answer["Body"] as body:
                content: bytes = body.read(bytes_max + 1)
        if WEB_PAGE.match(content):
            raise _no_store(self._s3.meta.endpoint_url)
        if len(content) > bytes_max:
            message = f"{location} is larger than {bytes_max} bytes, so Repave did not write it."
            raise InvalidRecordError(message)
        return content

    def modified(self, location: Location) -> datetime | None:
        """Return when an object was written, None if there is none: 1 HEAD."""
        with store_errors(location):
            try:
                answer = self._s3.head_object(Bucket=location.bucket, Key=location.key)
            except self._s3.exceptions.ClientError as error:
                if error_code(error) in ABSENT:
                    return None
                raise
        found: datetime = answer["LastModified"]
        return found

    def listed(self, folder: Location) -> Iterator[Listed]:
        """Yield the objects below a folder, by their keys: 1 LIST for each 1,000."""
        prefix = folder.prefix
        after = prefix
        while True:
            page = self._page(folder, prefix, after)
            for one in page.get("Contents", ()):
                after = one["Key"]
                yield Listed(after[len(prefix) :], one["Size"], one["LastModified"])
            if not page.get("IsTruncated"):
                return

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterator[str]:
        """Yield the keys below a folder, relative to it, except those that begin with `skipped`.

        Only those after one key, up to another. Requests: 1 LIST for each 1,000 keys, and 1 to
        jump over the skipped ones.
        """
        prefix = folder.prefix
        after = f"{prefix}{after}"
        while True:
            page = self._page(folder, prefix, after)
            keys = _keys_of(page)
            found = [key[len(prefix) :] for key in keys]
            yield from (key for key in found if key <= until and not key.startswith(skipped))
            if not page.get("IsTruncated") or found[-1] >= until:
                return
            last = f"{skipped}{LAST_CHARACTER}" if found[-1].startswith(skipped) else found[-1]
            after = f"{prefix}{last}"

    def _page(self, folder: Location, prefix: str, after: str) -> Any:  # noqa: ANN401 - JSON
        """Return the next page that has keys, or the last one.

        S3 may answer an empty page that is not the last, after many delete markers.
        """
        start = {"StartAfter": after}
        for _ in range(EMPTY_PAGES_MAX):
            with store_errors(folder):
                page = self._s3.list_objects_v2(Bucket=folder.bucket, Prefix=prefix, **start)
            if _keys_of(page) or not page.get("IsTruncated"):
                return page
            start = {"ContinuationToken": page["NextContinuationToken"]}
        message = (
            f"The store answers a listing of {folder} with {EMPTY_PAGES_MAX} pages without keys, "
            "one after the other. Nothing was changed. Look into the store's logs."
        )
        raise RepaveError(message)


def _keys_of(page: Any) -> list[str]:  # noqa: ANN401 - JSON
    own: list[str] | None = page.get(KEYS)
    return [one["Key"] for one in page.get("Contents", ())] if own is None else own
