"""Processes that a test starts, and kills whenever it likes."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def running(
    log: Path,
    words: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator["subprocess.Popen[str]"]:
    """Run a program in a session of its own; kill what is left of it when the block ends."""
    with log.open("w") as output:
        child = subprocess.Popen(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            yield child
        finally:
            kill(child)


def kill(child: "subprocess.Popen[str]") -> None:
    """End a program and its children at once, as a machine that loses its power does."""
    if child.poll() is None:
        os.killpg(child.pid, 9)
        child.wait()


def wait_for_line(log: Path, pattern: str, child: "subprocess.Popen[str]", seconds: float) -> None:
    """Wait until a driver has printed a line that matches from its start to its end."""
    line = re.compile(rf"^{pattern}$", re.MULTILINE)
    wait_for(lambda: line.search(log.read_text()) is not None, child, log, seconds)


def wait_for(
    holds: Callable[[], bool], child: "subprocess.Popen[str]", log: Path, seconds: float
) -> None:
    end = time.monotonic() + seconds
    while not holds():
        # A driver prints its last line before it ends: look again after it has ended.
        if (child.poll() is not None and not holds()) or time.monotonic() > end:
            told = [line for line in log.read_text().splitlines() if not line.startswith("\tat ")]
            message = f"{log.parent.name} ended early or took too long:\n" + "\n".join(told[-40:])
            raise RuntimeError(message)
        time.sleep(0.05)


def found_by(*words: str) -> list[int]:
    """Return the ids of the processes of this machine whose command lines have all these words."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if command and all(word.encode() in command for word in words):
                found.append(int(entry.name))
    return found
