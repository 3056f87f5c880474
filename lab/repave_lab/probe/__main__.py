"""Compare an embedded server with its declared dialect, or show how any server answers."""

import argparse
import sys
from dataclasses import asdict

import boto3
from botocore.config import Config

from repave_lab.dialects import AMAZON, DIALECTS, Dialect
from repave_lab.probe import differences, observe
from repave_lab.servers import embedded_s3


def _show(observed: Dialect) -> None:
    amazon = asdict(AMAZON)
    for name, value in asdict(observed).items():
        remark = "" if value == amazon[name] else f"   Amazon S3: {amazon[name]}"
        print(f"{name:28} {value!s:6}{remark}".rstrip())  # noqa: T201 - a program's answer


def _observe_endpoint(endpoint: str) -> Dialect:
    """Probe with the credentials of the environment."""
    config = Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
    return observe(boto3.client("s3", endpoint_url=endpoint, config=config))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m repave_lab.probe", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", choices=DIALECTS, help="an embedded server to start")
    which.add_argument("--endpoint", help="a server that runs already; a bucket is left on it")
    options = parser.parse_args()
    if options.endpoint:
        _show(_observe_endpoint(options.endpoint))
        return
    with embedded_s3(options.name) as server:
        observed = observe(server.client())
    _show(observed)
    sys.exit("\n".join(differences(DIALECTS[options.name], observed)) or 0)


if __name__ == "__main__":
    main()
