"""A child process on this machine, its log file, and its end."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

STOP_SECONDS = 5.0
LOG_TAIL_BYTES = 2000


class LabError(RuntimeError):
    """Something of the laboratory did not start or did not answer; the message says why."""


@dataclass(frozen=True)
class Child:
    """A running child. It ends by itself when this process does."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self.process.poll() is None

    def log_tail(self) -> str:
        """Return the last lines that the child wrote, for an error message."""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return file.read().decode("utf-8", "replace")

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
    arguments: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Child:
    """Start `python -m <arguments>` with this interpreter; what it prints goes to the log."""
    with log.open("ab") as output:
        return Child(_popen(arguments, environment or {}, output, output), log)


def start_announcing_child(arguments: Sequence[str], log: Path) -> tuple[Child, dict[str, Any]]:
    """Start a program that prints one line of JSON when it is ready; return that too."""
    with log.open("ab") as stderr:
        child = Child(_popen(arguments, {}, subprocess.PIPE, stderr), log)
    line = child.process.stdout.readline() if child.process.stdout else b""
    if not line:
        child.stop()
        message = f"`python -m {' '.join(arguments)}` did not start:\n{child.log_tail()}"
        raise LabError(message)
    announcement: dict[str, Any] = json.loads(line)
    return child, announcement


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
