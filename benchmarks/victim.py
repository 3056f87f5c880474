"""A job whose driver is killed in its commit, and the program that it runs in."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from benchmarks.run_context import Lake, RunContext
from benchmarks.session import start_session
from benchmarks.systems import SYSTEMS
from benchmarks.toml import HERE
from benchmarks.workload import Workload, load_workload
from repave_lab.proxy import Fault

MODULE: Final = "benchmarks.victim"
POLL_SECONDS: Final = 0.02
UNFIT: Final = "cannot be killed in its commit here"


@dataclass(frozen=True)
class Death:
    """The request of a commit at which its driver dies: the first, or that of half the files."""

    op: str
    key: str = ""
    is_per_file: bool = False

    def fault(self, files: int, table: str) -> Fault:
        key = self.key.replace("TABLE", table)
        return Fault("hang", op=self.op, key=key, nth=files // 2 + 1 if self.is_per_file else 1)


COMPLETE: Final = Death("CompleteMultipartUpload", is_per_file=True)
RENAME: Final = Death("CopyObject", "^TABLE/part=", is_per_file=True)
DEATHS: Final = {
    "repave-listing": COMPLETE,
    "repave-snapshot": Death("PutObject", "/_repave/commits/.*/manifest"),
    "emrfs-stand-in": COMPLETE,
    "iceberg": Death("PutObject", r"metadata\.json"),
    "delta": Death("PutObject", r"_delta_log/.*\.json"),
    "staging": COMPLETE,
    "magic": COMPLETE,
    "magic-in-memory": COMPLETE,
    "stock-v2": RENAME,
    "stock-v1": RENAME,
}


def death_of(system: str) -> Death:
    """Return where the system's driver dies.

    Raises:
        ValueError: it has no commit, or one that leaves nothing when its driver is dead.
    """
    if system not in DEATHS:
        message = f"{system} {UNFIT}: it has none, or its catalog dies with its driver."
        raise ValueError(message)
    return DEATHS[system]


def kill_when(
    is_there: Callable[[], bool], system: str, workload: Workload, lake: Lake, conf: dict[str, str]
) -> None:
    """Run the job in a process of its own, and kill that as soon as it is there.

    Raises:
        RuntimeError: the job ended by itself.
    """
    with (
        tempfile.TemporaryDirectory(prefix="repave-victim-") as folder,
        tempfile.TemporaryFile() as output,
    ):
        told = {
            "system": system,
            "lake": [lake.bucket, lake.folder],
            "workload": [workload.name, workload.partitions, workload.scale],
            "conf": conf,
            "folder": folder,
        }
        child = subprocess.Popen(
            [sys.executable, "-m", MODULE, json.dumps(told)],
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,  # So that its JVM dies with it.
        )
        try:
            while not is_there():
                if child.poll() is not None:
                    raise RuntimeError(_end(output))
                time.sleep(POLL_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):  # It ended by itself.
                os.killpg(child.pid, signal.SIGKILL)
            child.communicate()


def _end(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read().decode("utf-8", "replace").splitlines()
    told = next((line for line in reversed(lines) if "Exception" in line or "Error" in line), "")
    return f"The run that was to be killed ended by itself: {told or lines[-1:]}"


def _die_with_the_parent() -> None:
    """Wait for the end of standard input: a campaign's --timeout kills the parent alone."""
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("told", type=json.loads)
    told = parser.parse_args().told
    name, partitions, scale = told["workload"]
    workload = load_workload(name)[0].sized(partitions).scaled(scale)
    system, lake, folder = SYSTEMS[told["system"]](), Lake(*told["lake"]), Path(told["folder"])
    events = folder / "events"
    events.mkdir()
    own = system.conf(workload.write, lake)
    spark = start_session(told["conf"], folder, events, own)
    context = RunContext(spark, None, folder / "files", lake)  # type: ignore[arg-type] # S3A alone
    system.write(context, workload.new(spark), workload.write)


if __name__ == "__main__":
    main()
