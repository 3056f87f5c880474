"""A MiniStack for the tests of commands, its credentials in the environment, moto's Glue."""

import signal
from collections.abc import Iterator

import pytest

from repave_lab.servers import S3Server, embedded_s3
from unit.glue_catalog import Catalog, serving


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Heed interrupts, also if a shell has started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with embedded_s3("ministack") as server:
        yield server


@pytest.fixture
def credentials(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.delenv("AWS_PROFILE", raising=False)


@pytest.fixture(scope="module")
def glue_url() -> Iterator[str]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def glue(glue_url: str, request: pytest.FixtureRequest) -> Catalog:
    """A catalog whose database has the test's name."""
    return Catalog(glue_url, request.node.name)
