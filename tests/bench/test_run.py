"""One run of the benchmark, whole, as a campaign makes it."""

import pytest

from benchmarks.campaign import Job, run_apart
from benchmarks.packages import bench_jar
from benchmarks.result import Figures

pytest.importorskip("pyspark")
pytestmark = [pytest.mark.e2e, pytest.mark.slow]
FILES = 4


def measured(system: str) -> Figures:
    """Overwrite four partitions; whatever the figures, the table must read right."""
    result = run_apart(Job(system, "nightly-small", FILES, repeat=0, model="typical"), 500)
    assert (result.checked, result.reason) == ("right", "")
    assert result.figures
    assert result.figures.bytes_stored > FILES * 10_000
    tasks, commit = result.figures.task_seconds, result.figures.commit_seconds
    assert tasks is not None
    assert commit is not None
    assert result.figures.seconds == pytest.approx(tasks + commit, abs=0.01)
    return result.figures


def test_repave_leaves_no_hole_and_copies_nothing() -> None:
    figures = measured("repave-listing")
    assert figures.requests["CompleteMultipartUpload"] == FILES
    assert (figures.missing_seconds, figures.bytes_copied) == (0, 0)
    # New files appear before old ones go: the benchmark must not hide that.
    assert figures.doubled_seconds is not None
    assert figures.doubled_seconds > 0


def test_the_stand_in_deletes_before_it_completes() -> None:
    try:
        bench_jar()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    figures = measured("emrfs-stand-in")
    assert figures.requests["CompleteMultipartUpload"] == FILES
    assert (figures.missing_partitions, figures.doubled_seconds) == (FILES, 0)
    assert figures.bytes_copied == 0


def test_stock_sparks_holes_and_copies_are_seen() -> None:
    figures = measured("stock-v2")
    assert figures.missing_seconds is not None
    assert figures.missing_seconds > 0
    assert figures.missing_partitions == FILES
    assert figures.bytes_copied > 0
