"""A MiniStack for the tests of commands, and its credentials in the environment."""

from collections.abc import Iterator

import pytest

from repave_lab.servers import S3Server, embedded_s3


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with embedded_s3("ministack") as server:
        yield server


@pytest.fixture
def credentials(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
