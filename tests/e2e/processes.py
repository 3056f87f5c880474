"""Processes that a test starts, and kills whenever it likes."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
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


def found_by(*words: str) -> list[int]:
    """Return the ids of the processes of this machine whose command lines have all these words."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if command and all(word.encode() in command for word in words):
                found.append(int(entry.name))
    return found
