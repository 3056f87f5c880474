"""Results made by hand; their figures were never measured."""

from benchmarks.result import Checked, Circumstances, Figures, Result

MODEL = "made-up"


def figures(seconds: float, commit: float | None = 1.0, requests: int = 300) -> Figures:
    return Figures(
        seconds=seconds,
        task_seconds=None if commit is None else seconds - commit,
        commit_seconds=commit,
        requests={"PutObject": requests - 100, "ListObjectsV2": 100},
        bytes_copied=2_000_000,
        bytes_stored=4_000_000,
        missing_seconds=5.0,
        missing_longest_seconds=0.5,
        missing_partitions=7,
        doubled_seconds=0.0,
    )


def result(  # noqa: PLR0913 - a test names what it needs
    system: str,
    seconds: float | None,
    *,
    repeat: int = 0,
    checked: Checked = "right",
    partitions: int = 100,
    reason: str = "",
    commit: float | None = 1.0,
    git_sha: str = "abc",
    workload: str = "nightly-small",
) -> Result:
    told = Circumstances(
        model=MODEL,
        seed=repeat,
        git_sha=git_sha,
        cores=2,
        started="2026-11-21T13:00:00+00:00",
        load=0.5,
        versions={"pyspark": "4.0.1"},
    )
    return Result(
        system=system,
        workload=workload,
        partitions=partitions,
        files=partitions,
        repeat=repeat,
        circumstances=told,
        checked=checked,
        figures=None if seconds is None else figures(seconds, commit),
        reason=reason,
    )
