"""A proxy that remembers listings answers them without its server."""

from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from repave_lab.proxy import Proxy

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def keys(client: "S3Client", bucket: str, **page: str) -> list[str]:
    listed = client.list_objects_v2(Bucket=bucket, **page)  # type: ignore[arg-type]
    return [it["Key"] for it in listed.get("Contents", [])]


def test_a_listing_is_repeated_until_it_is_forgotten(
    through: "S3Client", direct: "S3Client", proxy: Proxy, bucket: str
) -> None:
    direct.put_object(Bucket=bucket, Key="a", Body=b"1")
    proxy.remember_listings()
    assert keys(through, bucket) == ["a"]
    direct.put_object(Bucket=bucket, Key="b", Body=b"2")
    assert keys(through, bucket) == ["a"]
    assert keys(through, bucket, StartAfter="a") == ["b"], "another request has its own answer"
    proxy.reset()
    assert keys(through, bucket) == ["a"], "a reset begins a measurement, and keeps what it lists"
    assert proxy.counts() == {"ListObjectsV2": 1}
    proxy.forget_listings()
    assert keys(through, bucket) == ["a", "b"]


def test_objects_and_errors_are_not_remembered(
    through: "S3Client", direct: "S3Client", proxy: Proxy, bucket: str
) -> None:
    proxy.remember_listings()
    direct.put_object(Bucket=bucket, Key="a", Body=b"1")
    for body in (b"1", b"2"):
        direct.put_object(Bucket=bucket, Key="a", Body=body)
        assert through.get_object(Bucket=bucket, Key="a")["Body"].read() == body
    proxy.set_faults([{"do": "error", "op": "ListObjectsV2", "nth": 1}])
    with pytest.raises(ClientError):
        keys(through, bucket)
    assert keys(through, bucket) == ["a"]
