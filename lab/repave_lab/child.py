"""A child process on this machine, what it prints, and its end."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

STOP_SECONDS = 5.0
TAIL_BYTES = 2000


class LabError(RuntimeError):
    """Something of the lab did not start or did not answer; the message says why."""


@dataclass(frozen=True)
class Child:
    """A running child. It ends by itself when this process does."""

    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the process: ask by closing its standard input, then insist."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        for insist in (self.process.terminate, self.process.kill):
            if self._ends_in_time():
                return
            insist()
        self.process.wait()

    def _ends_in_time(self) -> bool:
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return True


def start_child(
    arguments: Sequence[str], output: IO[bytes], environment: Mapping[str, str]
) -> Child:
    """Start `python -m <arguments>` with this interpreter; what it prints goes to the file."""
    return Child(_popen(arguments, environment, output, output))


def start_announcing_child(
    arguments: Sequence[str], errors: IO[bytes]
) -> tuple[Child, dict[str, Any]]:
    """Start a program that prints one line of JSON when it is ready; return that too."""
    child = Child(_popen(arguments, {}, subprocess.PIPE, errors))
    line = child.process.stdout.readline() if child.process.stdout else b""
    if not line:
        child.stop()
        message = f"`python -m {' '.join(arguments)}` did not start:\n{tail(errors)}"
        raise LabError(message)
    announcement: dict[str, Any] = json.loads(line)
    return child, announcement


def tail(output: IO[bytes]) -> str:
    """Return the last lines that a child wrote, for an error message."""
    file = output.fileno()
    start = max(0, os.fstat(file).st_size - TAIL_BYTES)
    # Seeking would move the place at which the child writes: they share it.
    return os.pread(file, TAIL_BYTES, start).decode("utf-8", "replace")


def _popen(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        env={**os.environ, **environment},
    )


def free_port() -> int:
    """Return a loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
