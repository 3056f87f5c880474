"""Restart, crowd and a long commit, with real Spark behind the latency model.

`python -m campaigns.crowd [restart|crowd|long]…` prints the figures of docs/testing/crowds.md.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from campaigns.store import campaign_lake, described, listed_rows
from campaigns.writers import ROWS
from e2e.driver import driver
from e2e.lake import TableFolder
from e2e.processes import kill, wait_for, wait_for_line
from repave_lab.proxy.faults import Fault
from repave_lab.proxy.journal import Entry

SECONDS = 900
PLAN = r"/_repave/commits/[^/]*/manifest\.json\.gz$"
REPORT = r"/_repave/commits/[^/]*/report\.json$"
WAITING = 5


def overwrite(table: TableFolder, folder: Path, days: range, **conf: str) -> dict[str, Any]:
    """Return the work of an `e2e.driver` that replaces some days, a file each."""
    folder.mkdir(exist_ok=True)
    where = {"endpoint": table.lake.proxy.endpoint, "url": table.url}
    keys = {f"spark.hadoop.repave.{name.replace('_', '.')}": value for name, value in conf.items()}
    return {
        **where,
        "days": list(days),
        "note": folder.name,
        "tasks": 4,
        "conf": keys,
        "logs": True,
    }


def run_to_end(folder: Path, work: dict[str, Any]) -> float:
    """Return the seconds from the process's start to its success."""
    begin = time.monotonic()
    with driver(folder, work) as child:
        wait_for_line(folder / "driver.log", "committed", child, SECONDS)
        return time.monotonic() - begin


def restart(folder: Path, partitions: int) -> None:
    """Kill a driver after its Reserve; measure from there until the same job has succeeded."""
    days = range(partitions)
    with campaign_lake("typical") as lake:
        table = lake.table("restart")
        first = run_to_end(folder / "first", overwrite(table, folder / "first", days))
        before = run_to_end(folder / "before", overwrite(table, folder / "before", days))
        lake.proxy.set_faults([Fault("hang", op="PutObject", key=PLAN)])
        log = folder / "killed" / "driver.log"
        with driver(folder / "killed", overwrite(table, folder / "killed", days)) as child:
            wait_for(lambda: lake.proxy.status()["faults"][0]["hit"] > 0, child, log, SECONDS)
            kill(child)
        crash = time.monotonic()
        pending = len(table.open_uploads())
        lake.proxy.set_faults([])
        run_to_end(folder / "again", overwrite(table, folder / "again", days))
        again = time.monotonic() - crash
        after = run_to_end(folder / "after", overwrite(table, folder / "after", days))
        for name in ("before", "again", "after"):
            print(f"the job {name!r}: {steps_of(folder / name / 'driver.log')}")
        found = listed_rows(table)
    expected = Counter((day * 100 + n, "after", day) for day in days for n in range(2))
    print(
        f"restart: {pending} uploads pending at the crash; crash to success {again:.1f} s;"
        f" the same job without a crash {before:.1f} s before, {after:.1f} s after"
        f" (the first one {first:.1f} s); overhead {again - (before + after) / 2:.1f} s;"
        f" {compared(found, expected)}"
    )


def crowd(folder: Path, writers: int, writes: int, applications: int, tables: int) -> None:
    """Let threads of some applications replace partitions of their own in one table, or in many."""
    with campaign_lake("typical") as lake, ExitStack() as stack:
        table = lake.table("crowd")
        go = folder / "go"
        children = []
        for number in range(applications):
            home = folder / f"application-{number}"
            home.mkdir()
            work = {
                "endpoint": lake.proxy.endpoint,
                "url": table.url,
                "go": str(go),
                "master": f"local[{writers // applications}]",
                "days": list(range(number, writers, applications)),
                "writes": writes,
                "apart": tables > 1,
            }
            child = stack.enter_context(driver(home, work, "campaigns.writers"))
            children.append((child, home / "driver.log"))
        for child, log in children:
            wait_for_line(log, "ready", child, SECONDS)
        go.touch()
        for child, log in children:
            wait_for_line(log, "finished", child, SECONDS)
        done = [write for _, log in children for write in writes_of(log)]
        used = [table] if tables == 1 else [lake.table(f"crowd-{day}") for day in range(writers)]
        found = sum((listed_rows(one) for one in used), Counter())
        journal = [entry for one in used for entry in one.journal()]
        for number, (_, log) in enumerate(children):
            print(f"medians of application {number}: {steps_of(log)}")
    expected = Counter((n, f"{day}/{writes}", day) for day in range(writers) for n in range(ROWS))
    seconds = [write["end"] - write["begin"] for write in done]
    total = max(write["end"] for write in done) - min(write["begin"] for write in done)
    print(
        f"crowd: {writers} writers × {writes} in {applications} application(s),"
        f" {len(used)} table(s): total {total:.1f} s,"
        f" median write {statistics.median(seconds):.1f} s, slowest {max(seconds):.1f} s,"
        f" {len(done) / total:.1f} commits/s; {races(journal)}; {compared(found, expected)}"
    )


def long(folder: Path, seconds: int) -> None:
    """Let jobs wait for a commit that takes long; nobody may complete its files a second time."""
    files = max(20, seconds // 2)
    delay_ms = 1000 * seconds / files
    slow = Fault("delay", op="CompleteMultipartUpload", key=r"^long/day=", ms=delay_ms)
    with campaign_lake("typical") as lake, ExitStack() as stack:
        table = lake.table("long")
        home, go = folder / "waiting", folder / "go"
        home.mkdir()
        log = home / "driver.log"
        work = {
            "endpoint": lake.proxy.endpoint,
            "url": table.url,
            "go": str(go),
            "master": f"local[{WAITING}]",
            "days": list(range(WAITING)),
            "writes": 1,
        }
        waiting = stack.enter_context(driver(home, work, "campaigns.writers"))
        wait_for_line(log, "ready", waiting, SECONDS)
        lake.proxy.reset()
        lake.proxy.set_faults([slow])
        job = overwrite(table, folder / "long", range(files), commit_threads="1")
        owner = stack.enter_context(driver(folder / "long", job))
        own = folder / "long" / "driver.log"
        wait_for(lambda: lake.proxy.status()["faults"][0]["hit"] > 0, owner, own, SECONDS)
        go.touch()
        wait_for_line(own, "committed", owner, SECONDS)
        lake.proxy.set_faults([])
        wait_for_line(log, "finished", waiting, SECONDS)
        waits = [write["end"] - write["begin"] for write in writes_of(log)]
        found, journal = listed_rows(table), table.journal()
        helps = log.read_text().count(" finishes commit ")
    completes = [one for one in journal if one.op == "CompleteMultipartUpload"]
    each = Counter(one.upload for one in completes)
    slowed = [one for one in completes if one.fault]
    lasted = max(one.ts + one.ms / 1000 for one in slowed) - min(one.ts for one in slowed)
    expected = Counter((n, f"{day}/1", day) for day in range(WAITING) for n in range(ROWS))
    expected += Counter((d * 100 + n, "long", d) for d in range(WAITING, files) for n in range(2))
    print(
        f"long: completing {len(slowed)} files took {lasted:.0f} s beside {WAITING} waiting jobs,"
        f" which took {min(waits):.1f} to {max(waits):.1f} s;"
        f" {sum(count - 1 for count in each.values())} duplicate CompleteMultipartUpload,"
        f" {helps} times a waiting job finished the commit; {compared(found, expected)}"
    )


def writes_of(log: Path) -> list[dict[str, Any]]:
    lines = log.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"day"')]


def commits_of(log: Path) -> list[dict[str, Any]]:
    """Return what the driver logged about its commits, without those to warm-up tables."""
    found = (line.partition("repave-commit ")[2] for line in log.read_text().splitlines())
    commits: list[dict[str, Any]] = [json.loads(line) for line in found if line]
    return [one for one in commits if "-warm-" not in one["table"]]


def steps_of(log: Path) -> str:
    """Return the median milliseconds of the steps of a driver's commits."""
    commits = commits_of(log)
    if not commits:
        return "no commits logged"
    names = ["job-millis", "waited-millis", "requests"]
    figures = {name: statistics.median(one[name] for one in commits) for name in names}
    for step in commits[0]["millis"]:
        figures[step] = statistics.median(one["millis"][step] for one in commits)
    return ", ".join(f"{name} {value:.0f}" for name, value in figures.items())


def races(journal: list[Entry]) -> str:
    swaps = [one for one in journal if one.op == "PutObject" and one.key.endswith("/head.json")]
    lost = sum(one.status in (409, 412) for one in swaps)
    return f"{len(swaps)} writes of the head, {lost} lost; {len(journal)} requests"


def compared(found: Counter[Any], expected: Counter[Any]) -> str:
    lost, surplus = (expected - found).total(), (found - expected).total()
    if lost or surplus:
        sys.exit(f"wrong rows: {lost} lost, {surplus} surplus of {expected.total()}")
    return f"{found.total()} rows, {lost} lost, {surplus} surplus"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m campaigns.crowd", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="restart, crowd, long; or all")
    parser.add_argument("--partitions", type=int, default=1000, help="pending ones at a restart")
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--writes", type=int, default=4, help="of each writer")
    parser.add_argument(
        "--applications", type=int, default=1, help="that the writers are spread over"
    )
    parser.add_argument("--apart", action="store_true", help="each writer has its own table")
    parser.add_argument("--seconds", type=int, default=60, help="how long the long commit takes")
    chosen = parser.parse_args()
    for part in chosen.parts or ["restart", "crowd", "long"]:
        print(described(sys.argv[1:] or ["all"]), flush=True)
        with tempfile.TemporaryDirectory(prefix="repave-crowd-") as name:
            folder = Path(name)
            if part == "restart":
                restart(folder, chosen.partitions)
            elif part == "crowd":
                counts = (chosen.writers, chosen.writes, chosen.applications)
                crowd(folder, *counts, chosen.writers if chosen.apart else 1)
            elif part == "long":
                long(folder, chosen.seconds)
            else:
                parser.error(f"there is no part {part}: choose of restart, crowd, long")


if __name__ == "__main__":
    main()
