"""Runs every system on every workload, interleaved, and goes on where it was stopped."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.readers import READERS
from benchmarks.result import Result, append_result, read_results, result_from
from benchmarks.systems import SYSTEMS
from benchmarks.toml import HERE
from benchmarks.workload import Workload

MODULE: Final = "benchmarks.run"
TAIL_LINES: Final = 15


@dataclass(frozen=True)
class Remote:
    """A store that is not ours: `endpoint` is a URL, or aws."""

    endpoint: str
    bucket: str
    prefix: str

    def options(self) -> dict[str, str]:
        return {"endpoint": self.endpoint, "bucket": self.bucket, "prefix": self.prefix}


@dataclass(frozen=True)
class Job:
    """A run that is to be made."""

    system: str
    workload: str
    partitions: int
    repeat: int
    model: str
    scale: float = 1.0
    remote: Remote | None = None

    @property
    def seed(self) -> int:
        """The same for every system in one repeat: the n-th PUT takes equally long."""
        return self.repeat

    def arguments(self) -> list[str]:
        values = {
            "system": self.system,
            "workload": self.workload,
            "partitions": self.partitions,
            "repeat": self.repeat,
            "model": self.model,
            "seed": self.seed,
            "scale": self.scale,
            **(self.remote.options() if self.remote else {}),
        }
        return [part for name, value in values.items() for part in (f"--{name}", str(value))]

    def key(self, store: str) -> tuple[str, str, int, float, int, str]:
        return (self.system, self.workload, self.partitions, self.scale, self.repeat, store)


@dataclass(frozen=True)
class Campaign:
    """What is to be run."""

    systems: list[str]
    """Empty: those that each workload names, or does not skip. A name is for each workload whose
    work it can do: writers write, and readers open and read."""
    workloads: list[Workload]
    repeats: int
    model: str
    remote: Remote | None = None

    def jobs(self) -> Iterator[Job]:
        """Yield the runs, interleaved: whatever slows the machine for a while hits all systems."""
        for repeat in range(self.repeats):
            for work in self.workloads:
                for system in self._systems_of(work):
                    yield Job(
                        system,
                        work.name,
                        work.partitions,
                        repeat,
                        self.model,
                        work.scale,
                        self.remote,
                    )

    def _systems_of(self, work: Workload) -> list[str]:
        able = names_for(work)
        if not self.systems:
            return work.left_to(able)
        chosen = [name for name in self.systems if name in able]
        if not chosen:
            message = (
                f"None of {', '.join(self.systems)} can do {work.name}: "
                f"choose from {', '.join(able)}, or leave out the workload."
            )
            raise ValueError(message)
        return chosen

    def missing(self, file: Path, git_sha: str, store: str) -> list[Job]:
        """Return the runs that the file does not hold for this commit."""
        there = {
            (
                one.system,
                one.workload,
                one.partitions,
                one.scale,
                one.repeat,
                one.circumstances.model,
            )
            for one in (read_results([file]) if file.exists() else [])
            if one.is_settled and one.circumstances.git_sha == git_sha
        }
        return [job for job in self.jobs() if job.key(store) not in there]


def names_for(work: Workload) -> list[str]:
    """Return the systems, or the readers, that can do this work."""
    return list(READERS if work.query else SYSTEMS)


class RunCrashError(RuntimeError):
    """A run's process printed no result."""


def run_apart(job: Job, seconds: float) -> Result:
    """Run in a process of its own.

    Raises:
        RunCrashError: the process ended without a result, or took too long.
    """
    command = [sys.executable, "-m", MODULE, *job.arguments()]
    try:
        told = subprocess.run(
            command, cwd=HERE.parent, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired as error:
        message = f"{job.system} on {job.workload} took more than {seconds:.0f} s: --timeout."
        raise RunCrashError(message) from error
    lines = told.stdout.splitlines()
    try:
        return result_from(json.loads(lines[-1]))
    except (IndexError, ValueError, TypeError, KeyError) as error:
        end = "\n".join(told.stderr.splitlines()[-TAIL_LINES:])
        message = f"{job.system} on {job.workload} ended without a result:\n{end}"
        raise RunCrashError(message) from error


def run_all(
    jobs: list[Job], file: Path, run: Callable[[Job], Result], tell: Callable[[str], None]
) -> int:
    """Run and write down one after the other; return how many crashed. Those run next time."""
    crashed = 0
    for number, job in enumerate(jobs, 1):
        name = f"[{number}/{len(jobs)}] {job.workload} × {job.partitions}, {job.system}"
        try:
            result = run(job)
        except RunCrashError as error:
            crashed += 1
            tell(f"{name}: {error}")
            continue
        append_result(file, result)
        seconds = f"{result.figures.seconds:.1f} s, " if result.figures else ""
        tell(f"{name}: {seconds}{result.checked} {result.reason}".rstrip())
    return crashed
