"""The doctor writes as the jar does, so that it passes only where jobs do."""

from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

from repave import _bucket
from repave._doctor import Doctor
from repave._location import Location
from repave_lab.servers import S3Server

CHECKSUM = "Content-MD5"
REFUSAL = b"<Error><Code>InvalidRequest</Code><Message>a checksum is required</Message></Error>"


class Body:
    """As much of a connection's answer as botocore reads."""

    def stream(self, *_args: object, **_named: object) -> list[bytes]:
        return [REFUSAL]


class ObjectLock:
    """Stands before a bucket: refuses what is written without a checksum of the jar's kind."""

    def __init__(self) -> None:
        self.written: list[set[str]] = []

    def __call__(self, request: AWSPreparedRequest, **_named: object) -> AWSResponse | None:
        names = {name.lower() for name in request.headers}
        self.written.append(names)
        if CHECKSUM.lower() in names:
            return None
        return AWSResponse(request.url, 400, HTTPHeaders(), Body())


def tried_out(server: S3Server, bucket: str, before: ObjectLock) -> tuple[list[str], Any]:
    s3 = _bucket.client(server.endpoint)
    for operation in ("PutObject", "UploadPart"):
        s3.meta.events.register(f"before-send.s3.{operation}", before)
    doctor = Doctor(s3, Location.of(f"s3://{bucket}/sales"))
    return [one.text for one in doctor.try_out() if one.level == "problem"], s3


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch, server: S3Server) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.setenv("AWS_REGION", "us-east-1")


def test_the_doctor_writes_with_the_jars_checksum_and_no_other(
    server: S3Server, bucket: str
) -> None:
    lock = ObjectLock()
    problems, _ = tried_out(server, bucket, lock)
    assert problems == []
    assert len(lock.written) == 16  # 15 objects of the probe, one part
    for names in lock.written:
        assert not [name for name in names if name.startswith(("x-amz-checksum", "x-amz-sdk-"))]


def test_a_write_without_it_is_refused_here(server: S3Server, bucket: str) -> None:
    _, s3 = tried_out(server, bucket, ObjectLock())
    with pytest.raises(s3.exceptions.ClientError, match="InvalidRequest"):
        s3.put_object(Bucket=bucket, Key="without", Body=b"1")
