"""One MiniStack and one proxy for all these tests; each has its own bucket and a clean proxy."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from repave_lab.proxy import Proxy
from repave_lab.servers import S3Server, embedded_s3

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NUMBERS = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask the servers for their dialects first: it explains what else may fail."""
    items.sort(key=lambda item: "lab/test_dialects.py" not in item.nodeid)


@pytest.fixture(scope="session")
def server() -> Iterator[S3Server]:
    with embedded_s3("ministack") as running:
        yield running


@pytest.fixture(scope="session")
def running_proxy(server: S3Server) -> Iterator[Proxy]:
    with Proxy(server.endpoint) as running:
        yield running


@pytest.fixture
def proxy(running_proxy: Proxy) -> Proxy:
    running_proxy.set_model(None)
    running_proxy.forget_listings()
    running_proxy.reset(seed=0)
    return running_proxy


@pytest.fixture(scope="session")
def direct(server: S3Server) -> "S3Client":
    """A client that does not go through the proxy."""
    return server.client()


@pytest.fixture(scope="session")
def through(server: S3Server, running_proxy: Proxy) -> "S3Client":
    """A client of the proxy that tries once."""
    return server.client(running_proxy.endpoint)


@pytest.fixture(scope="session")
def impatient(server: S3Server, running_proxy: Proxy) -> "S3Client":
    """A client of the proxy that gives up after half a second."""
    return server.client(running_proxy.endpoint, read_timeout=0.5)


@pytest.fixture
def bucket(direct: "S3Client") -> str:
    name = f"lab-{next(NUMBERS)}"
    direct.create_bucket(Bucket=name)
    return name
