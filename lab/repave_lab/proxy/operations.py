"""Which S3 operation a request is."""

from typing import Final, NamedTuple
from urllib.parse import unquote, unquote_plus


class Operation(NamedTuple):
    """An S3 request in S3's words. A listing's key is its prefix."""

    name: str
    bucket: str
    key: str
    query: dict[str, str]


OBJECT_CALLS: Final = {
    "GET": "GetObject",
    "HEAD": "HeadObject",
    "PUT": "PutObject",
    "DELETE": "DeleteObject",
}
UPLOAD_CALLS: Final = {
    "GET": "ListParts",
    "PUT": "UploadPart",
    "POST": "CompleteMultipartUpload",
    "DELETE": "AbortMultipartUpload",
}
BUCKET_CALLS: Final = {
    "GET": "ListObjects",
    "HEAD": "HeadBucket",
    "PUT": "CreateBucket",
    "DELETE": "DeleteBucket",
}
COPIES: Final = {"PutObject": "CopyObject", "UploadPart": "UploadPartCopy"}
BUCKET_LISTS: Final = {
    "uploads": "ListMultipartUploads",
    "versions": "ListObjectVersions",
    "list-type": "ListObjectsV2",
}
SUBRESOURCES: Final = {
    "acl": "Acl",
    "encryption": "Encryption",
    "lifecycle": "LifecycleConfiguration",
    "location": "Location",
    "object-lock": "ObjectLockConfiguration",
    "policy": "Policy",
    "tagging": "Tagging",
    "versioning": "Versioning",
}
VERBS: Final = {"GET": "Get", "PUT": "Put", "DELETE": "Delete"}
OTHER: Final = "Other"

WRITES: Final = frozenset(
    {
        "AbortMultipartUpload",
        "CompleteMultipartUpload",
        "CopyObject",
        "CreateMultipartUpload",
        "DeleteObject",
        "DeleteObjects",
        "PutObject",
        "UploadPart",
        "UploadPartCopy",
    }
)
NAMES: Final = frozenset(
    {
        *OBJECT_CALLS.values(),
        *UPLOAD_CALLS.values(),
        *BUCKET_CALLS.values(),
        *COPIES.values(),
        *BUCKET_LISTS.values(),
        *(
            f"{verb}{level}{name}"
            for verb in VERBS.values()
            for level in ("Bucket", "Object")
            for name in SUBRESOURCES.values()
        ),
        "CreateMultipartUpload",
        "DeleteObjects",
        "ListBuckets",
        OTHER,
    }
)


def classify(method: str, target: str, *, has_copy_source: bool) -> Operation:
    """Name a request by its request line (path-style addresses only)."""
    path, _, query_string = target.partition("?")
    query = _parse(query_string) if query_string else {}
    bucket, _, raw_key = path[1:].partition("/")
    key = unquote(raw_key) if "%" in raw_key else raw_key
    if key:
        name = _object_call(method, query)
        return Operation(COPIES.get(name, name) if has_copy_source else name, bucket, key, query)
    if not bucket:
        return Operation("ListBuckets" if method == "GET" else OTHER, "", "", query)
    return Operation(_bucket_call(method, query), bucket, query.get("prefix", ""), query)


def _object_call(method: str, query: dict[str, str]) -> str:
    if "uploadId" in query:
        return UPLOAD_CALLS.get(method, OTHER)
    if "uploads" in query and method == "POST":
        return "CreateMultipartUpload"
    return _subresource_call(method, query, "Object") or OBJECT_CALLS.get(method, OTHER)


def _bucket_call(method: str, query: dict[str, str]) -> str:
    if method == "POST":
        return "DeleteObjects" if "delete" in query else OTHER
    if method == "GET":
        for parameter, name in BUCKET_LISTS.items():
            if parameter in query:
                return name
    return _subresource_call(method, query, "Bucket") or BUCKET_CALLS.get(method, OTHER)


def _subresource_call(method: str, query: dict[str, str], level: str) -> str | None:
    for parameter, name in SUBRESOURCES.items() if query else ():
        if parameter in query and method in VERBS:
            return f"{VERBS[method]}{level}{name}"
    return None


def _parse(query: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in query.split("&"))
    return {name: unquote_plus(value) for name, _, value in pairs}
