"""The table that all forms of the report show."""

from collections.abc import Iterable, Mapping
from typing import Final

from benchmarks.result import Figures, Result
from benchmarks.summary import Place, Row

NONE: Final = "–"
HEADINGS: Final = (
    "system",
    "modelled s",
    "fastest, slowest",
    "tasks / commit s",
    "requests a file",
    "$ / M files",
    "MB copied",
    "missing s",
    "old and new s",
    "the same, polled",
    "heap MB",
    "read back",
)
LEGEND: Final = (
    "Modelled seconds on an embedded store behind a latency model, not the performance of S3."
    " Medians of the right runs. $: list price of the requests, for a million files written in"
    " jobs of this size. missing: a reader that lists found at least one partition empty"
    " (longest for one partition); old and new: it found both in one partition; polled: what a"
    " reader saw that listed again and again; – : its readers do not list. heap: the JVM's at its"
    " fullest, garbage and the tasks of local[4] included."
)


def title(place: Place) -> str:
    scale = "" if place.scale == 1 else f", {place.scale:g} times the rows"
    work = f"{place.workload}: {place.partitions} partitions, {place.files} files{scale}"
    return f"{work} ({place.model} latency, commit {place.git_sha})"


def cells(row: Row) -> list[str]:
    """Return a row's cells in the order of `HEADINGS`."""
    tasks = number(row.median(lambda one: one.task_seconds))
    commit = number(row.median(lambda one: one.commit_seconds))
    copied = row.median(lambda one: one.bytes_copied)
    missing = number(row.median(lambda one: one.missing_seconds))
    longest = number(row.median(lambda one: one.missing_longest_seconds))
    spread = row.spread
    return [
        row.system,
        number(row.seconds),
        f"{number(spread[0])}, {number(spread[1])}" if spread else NONE,
        NONE if tasks == commit == NONE else f"{tasks} / {commit}",
        number(row.requests_a_file),
        number(row.dollars_a_file * 1e6 if row.dollars_a_file is not None else None),
        NONE if copied is None else number(copied / 1e6),
        missing if missing in (NONE, "0.0") else f"{missing} ({longest})",
        number(row.median(lambda one: one.doubled_seconds)),
        _polled(row),
        number(row.median(_heap_megabytes)),
        row.outcome,
    ]


def _polled(row: Row) -> str:
    missing = number(row.median(lambda one: one.polled_missing_seconds))
    doubled = number(row.median(lambda one: one.polled_doubled_seconds))
    return NONE if missing == doubled == NONE else f"{missing}, {doubled}"


def _heap_megabytes(one: Figures) -> float | None:
    return None if one.heap_peak_bytes is None else one.heap_peak_bytes / 1e6


def number(value: float | None) -> str:
    """Return three figures at most after rounding to a tenth.

    >>> number(1.26), number(1234.5), number(None)
    ('1.3', '1,234', '–')
    """
    if value is None:
        return NONE
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004


def circumstances(results: Iterable[Result]) -> list[str]:
    """Return on what the figures were taken, each thing once; different ones stand side by side."""
    told = [one.circumstances for one in results]
    versions: dict[str, set[str]] = {}
    for one in told:
        for name, value in one.versions.items():
            versions.setdefault(name, set()).add(value)
    named = ", ".join(f"{name} {_joined(found)}" for name, found in versions.items())
    loads = [one.load for one in told]
    models = _joined(one.model for one in told)
    seeds = _joined(str(one.seed) for one in told)
    cores = _joined(str(one.cores) for one in told)
    return [
        f"latency model {models}, seeds {seeds}",
        f"commit {_joined(one.git_sha for one in told)}",
        f"{cores} cores, {_joined(one.priority for one in told)} priority",
        f"load before the runs {min(loads, default=0)} to {max(loads, default=0)}",
        named,
    ]


def commit_steps(rows: Iterable[Row]) -> list[str]:
    """Return what Repave's own reports say of each step, medians in milliseconds."""
    return [
        f"{row.system}'s commit, ms by its own report: {_parts(steps, 0)}"
        for row in rows
        if (steps := row.medians(lambda one: one.commit_millis))
    ]


def cpu_times(rows: Iterable[Row]) -> list[str]:
    """Return the CPU time of each process: divided by the cores, no run can be faster."""
    return [
        f"{row.system}'s CPU time, s: {sum(times.values()):.1f} ({_parts(times, 1)})"
        for row in rows
        if (times := row.medians(lambda one: one.cpu_seconds))
    ]


def _parts(values: Mapping[str, float], digits: int) -> str:
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def reasons(rows: Iterable[Row]) -> list[str]:
    """Return why systems refused or failed, each reason once."""
    found = [f"{row.system}: {one.reason}" for row in rows for one in row.results if one.reason]
    repeated = [
        f"{row.system}: repeated {one.tries - 1} writes that ended in a conflict"
        for row in rows
        for one in row.measured
        if one.tries > 1
    ]
    return list(dict.fromkeys([*found, *repeated]))


def _joined(values: Iterable[str]) -> str:
    return " and ".join(sorted(set(values))) or NONE
