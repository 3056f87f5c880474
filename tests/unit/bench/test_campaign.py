from pathlib import Path

import pytest

from benchmarks.campaign import Campaign, Job, RunCrashError, names_for, run_all
from benchmarks.readers import READERS
from benchmarks.result import Result, append_result, read_results
from benchmarks.systems import SYSTEMS
from benchmarks.workload import load_workload, workload_names
from unit.bench.samples import MODEL, result

CAMPAIGN = Campaign(["delta", "iceberg"], load_workload("nightly-small"), 2, "a-model.toml")


def test_every_system_runs_once_before_any_runs_twice() -> None:
    found = [(job.system, job.repeat, job.seed) for job in CAMPAIGN.jobs()]
    assert found == [("delta", 0, 0), ("iceberg", 0, 0), ("delta", 1, 1), ("iceberg", 1, 1)]


def test_a_workload_leaves_out_what_it_skips_unless_asked_for_by_name() -> None:
    (work,) = load_workload("nightly-small")
    left = {job.system for job in Campaign([], [work], 1, "m").jobs()}
    assert left == set(SYSTEMS) - set(work.skips) != set(SYSTEMS)
    assert [job.system for job in Campaign(["magic"], [work], 1, "m").jobs()] == ["magic"]


def test_workloads_name_only_systems_that_there_are() -> None:
    for name in workload_names():
        (work, *_) = load_workload(name)
        assert {*work.skips, *work.only} < set(names_for(work))


def test_what_reads_is_done_by_readers() -> None:
    work = load_workload("read-partition")[0]
    assert {job.system for job in Campaign([], [work], 1, "m").jobs()} == set(READERS)


def test_named_systems_run_only_the_work_that_they_can_do() -> None:
    works = [*load_workload("append"), *load_workload("read-partition")[:1]]
    campaign = Campaign(["delta", "spark-delta"], works, 1, "m")
    assert [(job.workload, job.system) for job in campaign.jobs()] == [
        ("append", "delta"),
        ("read-partition", "spark-delta"),
    ]


def test_a_workload_that_no_named_system_can_do_is_refused() -> None:
    campaign = Campaign(["delta"], load_workload("read-partition"), 1, "m")
    with pytest.raises(ValueError, match="None of delta can do read-partition: choose from spark-"):
        list(campaign.jobs())


def test_a_stopped_campaign_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    append_result(file, result("delta", 8.0))
    append_result(file, result("iceberg", None, checked="failed"))
    append_result(file, result("iceberg", 6.0, repeat=1, git_sha="earlier"))
    append_result(file, result("delta", 9.0, repeat=1, checked="wrong"))
    left = [(job.system, job.repeat) for job in CAMPAIGN.missing(file, "abc", MODEL)]
    assert left == [("iceberg", 0), ("iceberg", 1)]


def test_a_crash_is_told_and_the_others_still_run(tmp_path: Path) -> None:
    told: list[str] = []

    def run(job: Job) -> Result:
        if job.system == "delta":
            message = "it ended without a result"
            raise RunCrashError(message)
        return result(job.system, 6.0, repeat=job.repeat)

    file = tmp_path / "results.jsonl"
    assert run_all(list(CAMPAIGN.jobs()), file, run, told.append) == 2
    assert [(one.system, one.repeat) for one in read_results([file])] == [
        ("iceberg", 0),
        ("iceberg", 1),
    ]
    assert "[1/4] nightly-small × 100, delta: it ended without a result" in told


def test_an_interrupted_campaign_makes_each_run_once(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    made: list[tuple[str, int]] = []

    def run(job: Job) -> Result:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append((job.system, job.repeat))
        return result(job.system, 6.0, repeat=job.repeat)

    with pytest.raises(KeyboardInterrupt):
        run_all(CAMPAIGN.missing(file, "abc", MODEL), file, run, lambda _: None)
    with file.open("a") as lines:
        lines.write('{"system": "del')  # What a kill in the middle of a line leaves.
    left = CAMPAIGN.missing(file, "abc", MODEL)
    run_all(left, file, lambda job: result(job.system, 6.0, repeat=job.repeat), lambda _: None)
    assert made == [("delta", 0), ("iceberg", 0)]
    assert [(job.system, job.repeat) for job in left] == [("delta", 1), ("iceberg", 1)]
    assert len(read_results([file])) == 4
    assert CAMPAIGN.missing(file, "abc", MODEL) == []
