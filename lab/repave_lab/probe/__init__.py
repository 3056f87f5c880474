"""What a live server answers where S3 servers differ, as a `Dialect`.

The tests start with it: a server whose new release answers otherwise must not weaken them unseen.
"""

import secrets
from dataclasses import asdict
from typing import TYPE_CHECKING

from repave_lab.dialects import Dialect
from repave_lab.probe import conditions, objects, uploads
from repave_lab.probe.bucket import ProbeBucket

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CHECKS = {**uploads.CHECKS, **conditions.CHECKS, **objects.CHECKS}


def observe(client: "S3Client") -> Dialect:
    """Run every check, in a bucket of their own, against the client's server."""
    bucket = ProbeBucket(client, f"repave-probe-{secrets.token_hex(4)}")
    client.create_bucket(Bucket=bucket.name)
    observed: dict[str, object] = {name: check(bucket) for name, check in CHECKS.items()}
    return Dialect(**observed)  # type: ignore[arg-type]  # a test holds names and types together


def differences(declared: Dialect, observed: Dialect) -> list[str]:
    """Return a sentence for each answer that is not the declared one."""
    expected = asdict(declared)
    return [
        f"{name} is {value}, declared as {expected[name]}"
        for name, value in asdict(observed).items()
        if value != expected[name]
    ]
