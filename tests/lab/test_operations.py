"""Each request line that Spark, S3A, boto3 or the committer sends is named as S3 names it."""

import pytest

from repave_lab.proxy.operations import NAMES, Operation, classify

LINES = [
    ("GET", "/", "ListBuckets"),
    ("PUT", "/bkt", "CreateBucket"),
    ("PUT", "/bkt/", "CreateBucket"),
    ("HEAD", "/bkt", "HeadBucket"),
    ("DELETE", "/bkt", "DeleteBucket"),
    ("GET", "/bkt", "ListObjects"),
    ("GET", "/bkt/?delimiter=%2F&prefix=a%2F&max-keys=2", "ListObjects"),
    ("GET", "/bkt?list-type=2&prefix=a/&encoding-type=url", "ListObjectsV2"),
    ("GET", "/bkt/?uploads&prefix=a", "ListMultipartUploads"),
    ("GET", "/bkt?versions=", "ListObjectVersions"),
    ("GET", "/bkt?versioning", "GetBucketVersioning"),
    ("PUT", "/bkt?versioning", "PutBucketVersioning"),
    ("GET", "/bkt?location", "GetBucketLocation"),
    ("GET", "/bkt?lifecycle", "GetBucketLifecycleConfiguration"),
    ("PUT", "/bkt?lifecycle", "PutBucketLifecycleConfiguration"),
    ("DELETE", "/bkt?lifecycle", "DeleteBucketLifecycleConfiguration"),
    ("POST", "/bkt/?delete", "DeleteObjects"),
    ("POST", "/bkt?delete=", "DeleteObjects"),
    ("GET", "/bkt/a/b", "GetObject"),
    ("GET", "/bkt/a/b?versionId=x", "GetObject"),
    ("GET", "/bkt/a/b?partNumber=1", "GetObject"),
    ("HEAD", "/bkt/a/b", "HeadObject"),
    ("PUT", "/bkt/a/b", "PutObject"),
    ("PUT", "/bkt/a/b?x-id=PutObject", "PutObject"),
    ("DELETE", "/bkt/a/b", "DeleteObject"),
    ("GET", "/bkt/a/b?tagging", "GetObjectTagging"),
    ("PUT", "/bkt/a/b?tagging", "PutObjectTagging"),
    ("GET", "/bkt/a/b?acl", "GetObjectAcl"),
    ("POST", "/bkt/a/b?uploads", "CreateMultipartUpload"),
    ("POST", "/bkt/a/b?uploads=", "CreateMultipartUpload"),
    ("PUT", "/bkt/a/b?partNumber=1&uploadId=x%2By", "UploadPart"),
    ("POST", "/bkt/a/b?uploadId=x", "CompleteMultipartUpload"),
    ("DELETE", "/bkt/a/b?uploadId=x", "AbortMultipartUpload"),
    ("GET", "/bkt/a/b?uploadId=x&max-parts=5", "ListParts"),
    ("POST", "/bkt/a/b?select", "Other"),
    ("OPTIONS", "/bkt/a/b", "Other"),
    ("POST", "/", "Other"),
]


@pytest.mark.parametrize(("method", "target", "name"), LINES)
def test_a_request_line_has_the_name_that_s3_gives_it(method: str, target: str, name: str) -> None:
    assert classify(method, target, has_copy_source=False).name == name
    assert name in NAMES


@pytest.mark.parametrize(
    ("target", "name"),
    [("/bkt/b", "CopyObject"), ("/bkt/b?uploadId=x&partNumber=2", "UploadPartCopy")],
)
def test_a_put_with_a_source_is_a_copy(target: str, name: str) -> None:
    assert classify("PUT", target, has_copy_source=True).name == name


def test_keys_and_prefixes_are_decoded_as_s3_does() -> None:
    odd = classify("PUT", "/bkt/p%3D1/a%20b+c%2520/%C3%BC//x", has_copy_source=False)
    assert odd.key == "p=1/a b+c%20/ü//x"  # a plus in a path is a plus
    listing = classify("GET", "/bkt?list-type=2&prefix=p%3D1%2Fa+b", has_copy_source=False)
    assert listing == Operation(
        "ListObjectsV2", "bkt", "p=1/a b", {"list-type": "2", "prefix": "p=1/a b"}
    )


def test_the_upload_id_is_decoded() -> None:
    part = classify("PUT", "/bkt/k?partNumber=7&uploadId=a%2Bb%3D", has_copy_source=False)
    assert (part.query["uploadId"], part.query["partNumber"]) == ("a+b=", "7")
