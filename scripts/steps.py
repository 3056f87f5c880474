#!/usr/bin/env python3
"""Runs named steps one after the other: progress, seconds, a log file each, a table at the end.

    scripts/steps.py check format="make format-check" types="make types"

A step's output goes to .work/logs/<run>-<step>.log. What a step prints in its closing lines (the
test runners' own counts) is shown. A failing step ends the run, unless --keep-going comes first;
the log of each that failed is named and its end shown.
"""

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

LOGS = Path(".work/logs")
CLOSING = re.compile(
    r"Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$"  # surefire's total
    r"|^=+ .*(passed|failed|error|no tests ran).* =+$|^\d+ (passed|failed)"  # pytest's
    r"|^(All checks passed|Success: no issues found|Found \d+ error)"  # ruff's and mypy's
    r"|\d schedules?\b.*\bviolation|\d states?\b|^mutants caught"  # the simulation, the model
)
SHOWN = 200 if os.environ.get("CI") else 40  # lines of a failed step's log
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Outcome(NamedTuple):
    name: str
    seconds: float
    code: int


class Ticker:
    """A line that shows a living step's age; only on a terminal, so that logs stay readable."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> None:
        if sys.stdout.isatty():
            self._thread.start()
        else:
            print(f"{self._title} …", flush=True)

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _tick(self) -> None:
        started = time.monotonic()
        while not self._done.wait(0.5):
            print(f"\r{self._title} … {time.monotonic() - started:4.0f} s", end="", flush=True)
        print("\r\x1b[K", end="", flush=True)


def run(name: str, command: str, title: str, log: Path) -> Outcome:
    started = time.monotonic()
    with log.open("wb") as out, Ticker(title):
        code = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    return Outcome(name, time.monotonic() - started, code)


def closing_lines(log: Path) -> list[str]:
    lines = [COLOUR.sub("", line) for line in log.read_text("utf-8", "replace").splitlines()]
    return [line for line in lines if CLOSING.search(line)][-8:]


def report(outcome: Outcome, log: Path) -> None:
    verdict = "ok" if outcome.code == 0 else f"FAILED (exit {outcome.code})"
    print(f"  {verdict} in {outcome.seconds:.1f} s", flush=True)
    for line in closing_lines(log):
        print(line, flush=True)


def summary(outcomes: list[Outcome], waiting: list[str]) -> None:
    width = max(len(name) for name in [*(o.name for o in outcomes), *waiting])
    print()
    for outcome in outcomes:
        verdict = "ok" if outcome.code == 0 else "FAILED"
        print(f"{outcome.name:{width}}  {outcome.seconds:7.1f} s  {verdict}")
    for name in waiting:
        print(f"{name:{width}}        –    not run")


def main(arguments: list[str]) -> int:
    keep_going = arguments[0] == "--keep-going"
    title, *pairs = arguments[keep_going:]
    steps = [pair.split("=", 1) for pair in pairs]
    LOGS.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for index, (name, command) in enumerate(steps, 1):
        log = LOGS / f"{title}-{name}.log"
        outcome = run(name, command, f"[{index}/{len(steps)}] {name}", log)
        outcomes.append(outcome)
        report(outcome, log)
        if outcome.code != 0 and not keep_going:
            break
    summary(outcomes, [name for name, _ in steps[len(outcomes) :]])
    failed = [outcome.name for outcome in outcomes if outcome.code != 0]
    for name in failed:
        log = LOGS / f"{title}-{name}.log"
        lines = log.read_text("utf-8", "replace").rstrip().splitlines()
        print(f"\n`make {title}` failed in step {name}. The end of {log}:\n")
        print("\n".join(lines[-SHOWN:]))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
