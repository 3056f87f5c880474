"""Calls that these tests repeat."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

FIVE_MIB = 5 * 1024 * 1024


class Upload(NamedTuple):
    """An open multipart upload of one part."""

    bucket: str
    key: str
    upload: str
    etag: str

    def complete(self, client: "S3Client") -> None:
        client.complete_multipart_upload(
            Bucket=self.bucket,
            Key=self.key,
            UploadId=self.upload,
            MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": self.etag}]},
        )


def open_upload(client: "S3Client", bucket: str, key: str = "table/part-1") -> Upload:
    upload = client.create_multipart_upload(Bucket=bucket, Key=key)["UploadId"]
    part = client.upload_part(Bucket=bucket, Key=key, UploadId=upload, PartNumber=1, Body=b"rows")
    return Upload(bucket, key, upload, part["ETag"])


def error_of(call: Callable[[], object]) -> str:
    """Return what the client makes of the call: nothing, status and code, or how it broke."""
    try:
        call()
    except ClientError as error:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        return f"{status} {error.response['Error']['Code']}"
    except BotoCoreError as error:
        return "timed out" if type(error).__name__ == "ReadTimeoutError" else "broken"
    return ""


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until the condition holds. The machine may be busy: only the end is in a hurry."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def keys_in(client: "S3Client", bucket: str) -> list[str]:
    listing = client.list_objects_v2(Bucket=bucket)
    return [found["Key"] for found in listing.get("Contents", [])]
