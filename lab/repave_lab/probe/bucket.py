"""The bucket in which the checks run, and the calls that they share."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

OK = 200
NO_ANSWER = 0
"""In place of a status: the server broke the connection or gave no time."""
PART_BYTES = 5 * 1024 * 1024
"""The smallest part that S3 takes before the last."""
RACERS = 8
ROUNDS = 10


class Upload(NamedTuple):
    """An open multipart upload and its parts."""

    key: str
    upload: str
    parts: "tuple[CompletedPartTypeDef, ...]"


@dataclass(frozen=True)
class ProbeBucket:
    """A client and a bucket of the probe's own. Every key that a check asks for is new."""

    client: "S3Client"
    name: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def key(self) -> str:
        return f"probe/{next(self._numbers):05d}"

    def put(self, key: str, body: bytes = b"x", **conditions: str) -> str:
        """Put an object and return its ETag."""
        conditional: Mapping[str, Any] = conditions
        return self.client.put_object(Bucket=self.name, Key=key, Body=body, **conditional)["ETag"]

    def read(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def upload(self, key: str, bodies: Sequence[bytes] = (b"x",)) -> Upload:
        """Open an upload and send it these parts."""
        upload = self.client.create_multipart_upload(Bucket=self.name, Key=key)["UploadId"]
        parts: list[CompletedPartTypeDef] = [
            {"PartNumber": number, "ETag": self.part(key, upload, number, body)}
            for number, body in enumerate(bodies, 1)
        ]
        return Upload(key, upload, tuple(parts))

    def part(self, key: str, upload: str, number: int, body: bytes) -> str:
        return self.client.upload_part(
            Bucket=self.name, Key=key, UploadId=upload, PartNumber=number, Body=body
        )["ETag"]

    def complete(self, upload: Upload, **conditions: str) -> None:
        conditional: Mapping[str, Any] = conditions
        self.client.complete_multipart_upload(
            Bucket=self.name,
            Key=upload.key,
            UploadId=upload.upload,
            MultipartUpload={"Parts": upload.parts},
            **conditional,
        )

    def abort(self, upload: Upload) -> None:
        self.client.abort_multipart_upload(Bucket=self.name, Key=upload.key, UploadId=upload.upload)


def status_of(call: Callable[[], object]) -> int:
    """Return the HTTP status that a call ends with."""
    try:
        call()
    except ClientError as error:
        return error.response["ResponseMetadata"]["HTTPStatusCode"]
    except BotoCoreError:
        return NO_ANSWER
    return OK


def most_winners(calls_of_round: Callable[[], list[Callable[[], object]]]) -> int:
    """Let calls race in some rounds, and return how many of a round succeeded at most."""
    with ThreadPoolExecutor(RACERS) as pool:
        return max(_winners(pool, calls_of_round()) for _ in range(ROUNDS))


def _winners(pool: ThreadPoolExecutor, calls: list[Callable[[], object]]) -> int:
    start = Barrier(len(calls))

    def run(call: Callable[[], object]) -> int:
        start.wait()
        return status_of(call)

    return list(pool.map(run, calls)).count(OK)
