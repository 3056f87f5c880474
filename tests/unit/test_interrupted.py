"""Ctrl-C ends a command that only reads, while the store does not answer."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from repave.cli import READING, main

pytestmark = pytest.mark.usefixtures("credentials")
COMMANDS = [("status", "--recursive"), ("status",), ("files",), ("costs",), ("order",)]
# Python would end after the last request has timed out for the last time.
SECONDS = 20


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_ctrl_c_does_not_wait_for_requests_that_hang(
    silent: socket.socket, words: tuple[str, ...]
) -> None:
    port = silent.getsockname()[1]
    line = [sys.executable, "-m", "repave", *words, "s3://lake/sales"]
    line += ["--endpoint-url", f"http://127.0.0.1:{port}"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        asked, _ = silent.accept()
        with asked:
            asked.recv(1)
            child.send_signal(signal.SIGINT)
            try:
                assert child.wait(SECONDS) == -signal.SIGINT
            finally:
                child.kill()


def test_what_ctrl_c_does_to_the_calling_program_stays() -> None:
    before = signal.getsignal(signal.SIGINT)
    for command in READING:
        assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0
    assert signal.getsignal(signal.SIGINT) is before
