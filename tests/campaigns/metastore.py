"""A Hive metastore that follows a table: kills at each of its calls, and what a move costs.

`python -m campaigns.metastore kills` and `… locations` print the figures of
docs/testing/metastore.md.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyspark

from campaigns.metastore_driver import CREATE
from campaigns.store import campaign_lake, described

MOMENTS = ("before", "after")

# One table by days, and one without partitions. A creation happens once, so each has its own table.
CALLS = {
    "days": ("ADD_PARTITION", "ALTER_PARTITION", "DROP_PARTITION"),
    "whole": ("ALTER_TABLE",),
}
KILLS = [
    *((table, moment, call) for table in CALLS for call in CALLS[table] for moment in MOMENTS),
    *((f"created_{moment}", moment, CREATE) for moment in MOMENTS),
]
HALTED = 137
SYNC_SECONDS_MAX = 2.0
RATIO_MAX = 0.2


def compiled(folder: Path) -> str:
    """Compile the listener that ends the JVM, against Spark's own jars."""
    jars = Path(pyspark.__path__[0]) / "jars" / "*"
    source = Path(__file__).with_name("KillAtCall.java")
    command = ["javac", "--release", "17", "-cp", str(jars), "-d", str(folder), str(source)]
    subprocess.run(command, check=True)
    return str(folder)


def run(work: dict[str, Any], wanted: int) -> list[Any]:
    """Run a driver, which must end with a code; return its lines."""
    command = [sys.executable, "-m", "campaigns.metastore_driver", json.dumps(work)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=1_800)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    # PySpark ends with a code of its own when its JVM is gone.
    died = "nothing died" not in done.stderr and done.returncode != 0 and len(lines) == 1
    if not (died if wanted == HALTED else done.returncode == 0):
        raise RuntimeError(done.stdout[-2_000:] + done.stderr[-4_000:])
    return lines


def kills(work: dict[str, Any]) -> None:
    """Kill a driver at each call; the next one checks what it left."""
    before = None
    for round_, kill in enumerate([*KILLS, None]):
        lines = run({**work, "round": round_, "check": before, "kill": kill}, HALTED if kill else 0)
        died = "then died {1} {2} on {0}".format(*kill) if kill else "then ended"
        print(f"round {round_}: {lines[0]}, {died}", flush=True)
        before = kill
    print(f"{len(KILLS)} kills, 0 violations")


def locations(work: dict[str, Any], partitions: int, rounds: int) -> None:
    """Compare one sync with single ALTERs; fail where it takes too long."""
    (found,) = run({**work, "partitions": partitions, "rounds": rounds}, 0)
    single, together = (statistics.median(found[key]) for key in ("single", "together"))
    ratio = together / single
    print(f"single ALTERs s: {[round(one, 2) for one in found['single']]}, median {single:.2f}")
    print(f"sync s: {[round(one, 2) for one in found['together']]}, median {together:.2f}")
    print(f"ratio {ratio:.3f}, load {os.getloadavg()[1]:.1f}", flush=True)
    if together > SYNC_SECONDS_MAX or ratio > RATIO_MAX:
        sys.exit(f"The goal is {SYNC_SECONDS_MAX} s, and {RATIO_MAX} of the single ALTERs.")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", choices=("kills", "locations"))
    options.add_argument("--partitions", type=int, default=1_000)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    print(f"Spark {pyspark.__version__}: {described(sys.argv[1:])}", flush=True)
    with campaign_lake(None) as lake, tempfile.TemporaryDirectory(prefix="repave-meta-") as folder:
        work = {
            "folder": folder,
            "endpoint": lake.proxy.endpoint,
            "url": lake.table(chosen.what).url,
            "classes": compiled(Path(folder)),
        }
        if chosen.what == "kills":
            kills(work)
        else:
            locations(work, chosen.partitions, chosen.rounds)


if __name__ == "__main__":
    main()
