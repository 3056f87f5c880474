"""docs/permissions.md: the policies, enforced by a server that knows IAM's rules."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

# ruff: noqa: ANN401 - boto3 has no types

PAGE = (Path(__file__).parents[2] / "docs/permissions.md").read_text("utf-8")
DATA, RECORD, OTHER = "sales/day=1/part", "sales/_repave/head.json", "salaries/part"
AT = {"region_name": "us-east-1"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    url = f"http://127.0.0.1:{port}"
    admin = client("s3", url, "admin", "admin")
    admin.create_bucket(Bucket="lake")
    for key in (DATA, RECORD, OTHER):
        admin.put_object(Bucket="lake", Key=key, Body=b"1")
    yield url
    enforce(url, float("inf"))
    server.stop()


def enforce(url: str, requests_before: float) -> None:
    """Have the server check credentials and policies, after so many requests."""
    count = str(requests_before).encode()
    asked = Request(f"{url}/moto-api/reset-auth", count, {"Content-Type": "text/plain"})  # noqa: S310 - our own
    with urlopen(asked) as answer:  # noqa: S310 - our own
        answer.read()


def client(service: str, url: str, key: str, secret: str) -> Any:
    credentials = {"aws_access_key_id": key, "aws_secret_access_key": secret}
    return boto3.client(service, endpoint_url=url, **AT, **credentials)  # type: ignore[call-overload]


@pytest.fixture
def role(endpoint: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A client with the policy below the heading that the test names, and no other right."""
    enforce(endpoint, float("inf"))
    found = re.search(rf"^## {request.param}\n.*?```json\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    iam = client("iam", endpoint, "admin", "admin")
    name = request.param.replace(" ", "-") + f"-{id(request)}"
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="minimal", PolicyDocument=found.group(1))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    assert json.loads(found.group(1))["Version"]
    enforce(endpoint, 0)
    yield client("s3", endpoint, key["AccessKeyId"], key["SecretAccessKey"])
    enforce(endpoint, float("inf"))


def may(call: Any, **arguments: Any) -> bool:
    try:
        call(Bucket="lake", **arguments)
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("AccessDenied", "403"):
            raise
        return False
    return True


@pytest.mark.parametrize("role", ["A job"], indirect=True)
def test_a_job_may_write_its_table_and_no_other(role: Any) -> None:
    assert may(role.list_objects_v2, Prefix="sales/")
    assert may(role.list_multipart_uploads)
    for key in (DATA, RECORD):
        assert may(role.get_object, Key=key)
        assert may(role.put_object, Key=key, Body=b"2")
        upload = role.create_multipart_upload(Bucket="lake", Key=key)["UploadId"]
        assert may(role.abort_multipart_upload, Key=key, UploadId=upload)
    assert not may(role.put_object, Key=OTHER, Body=b"2")
    assert not may(role.get_object, Key=OTHER)
    assert not may(role.delete_object, Key=OTHER)


@pytest.mark.parametrize("role", ["A reader"], indirect=True)
def test_a_reader_may_change_nothing(role: Any) -> None:
    assert may(role.list_objects_v2, Prefix="sales/")
    for key in (DATA, RECORD):
        assert may(role.get_object, Key=key)
        assert not may(role.put_object, Key=key, Body=b"2")
        assert not may(role.delete_object, Key=key)
        assert not may(role.create_multipart_upload, Key=key)
    assert not may(role.list_multipart_uploads)
    assert not may(role.get_object, Key=OTHER)


@pytest.mark.parametrize("role", ["A vacuum"], indirect=True)
def test_a_vacuum_may_delete_data_and_write_records_alone(role: Any) -> None:
    assert may(role.list_objects_v2, Prefix="sales/")
    assert may(role.list_multipart_uploads)
    assert may(role.put_object, Key=RECORD, Body=b"2")
    assert not may(role.put_object, Key=DATA, Body=b"2")
    assert may(role.delete_object, Key="sales/day=1/old")
    assert not may(role.delete_object, Key=OTHER)
