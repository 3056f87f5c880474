"""A job that is killed in its commit, and the program that it runs in.

with killed_in_commit(...) as it: the driver is dead, its work half done
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.ground import Ground, Lake
from benchmarks.phases import written_tasks
from benchmarks.session import start_session
from benchmarks.systems import SYSTEMS
from benchmarks.toml import HERE
from benchmarks.workload import Workload

MODULE: Final = "benchmarks.victim"
KILL_AFTER_SECONDS: Final = 0.3
"""Between the end of the last task, as the event log tells it, and the death."""
POLL_SECONDS: Final = 0.02


def kill_in_commit(
    system: str, workload: Workload, lake: Lake, conf: dict[str, str], folder: Path
) -> None:
    """Run the job in a process of its own and kill that when its tasks have ended.

    Raises:
        RuntimeError: the job ended before it could be killed.
    """
    events = folder / "victim-events"
    events.mkdir()
    told = {
        "system": system,
        "lake": [lake.bucket, lake.folder],
        "workload": [workload.name, workload.partitions, workload.scale],
        "conf": conf,
        "folder": str(folder),
        "events": str(events),
    }
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [sys.executable, "-m", MODULE, json.dumps(told)],
            cwd=HERE.parent,
            stdout=output,
            stderr=output,
            start_new_session=True,  # So that its JVM dies with it.
        )
        try:
            while written_tasks(events) < workload.tasks:
                if child.poll() is not None:
                    output.seek(0)
                    end = output.read().decode("utf-8", "replace")[-2000:]
                    message = f"The run that was to be killed ended by itself:\n{end}"
                    raise RuntimeError(message)
                time.sleep(POLL_SECONDS)
            time.sleep(KILL_AFTER_SECONDS)
        finally:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("told", type=json.loads)
    told = parser.parse_args().told
    from benchmarks.workload import load_workload  # noqa: PLC0415

    name, partitions, scale = told["workload"]
    workload = load_workload(name)[0].sized(partitions).scaled(scale)
    system, lake, folder = SYSTEMS[told["system"]](), Lake(*told["lake"]), Path(told["folder"])
    own = system.conf(workload.write, lake)
    spark = start_session(told["conf"], folder / "victim", Path(told["events"]), own)
    ground = Ground(spark, None, folder / "files", lake)  # type: ignore[arg-type] # S3A alone
    system.write(ground, workload.new(spark), workload.write)


if __name__ == "__main__":
    main()
