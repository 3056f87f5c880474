from collections.abc import Callable

import pytest

from benchmarks.folders import staging
from benchmarks.measure import Timed, figures, repeats
from benchmarks.run import REFUSALS, first_sentence
from benchmarks.run_context import Lake
from benchmarks.session import joined
from repave_lab.proxy.journal import Entry


def test_packages_of_both_sides_are_joined_and_the_rest_is_the_systems() -> None:
    common = {"spark.jars.packages": "a:b:1", "spark.jars.excludes": "x:y", "key": "common"}
    own = {"spark.jars.packages": "c:d:2", "spark.jars.excludes": "", "key": "own"}
    assert joined(common, own) == {
        "spark.jars.packages": "a:b:1,c:d:2",
        "spark.jars.excludes": "x:y",
        "key": "own",
    }


def test_figures_add_up_what_the_journal_tells() -> None:
    entries = [
        Entry(ts=1, op="CopyObject", bucket="lake", key="a", copied=7),
        Entry(ts=2, op="CopyObject", bucket="lake", key="b", copied=None),
        Entry(ts=3, op="PutObject", bucket="lake", key="c", stored=5),
    ]
    found = figures(entries, Timed(10.0, 14.0, tries=1), tasks_end=13.0, seen=None)
    assert found.requests == {"CopyObject": 2, "PutObject": 1}
    assert (found.bytes_copied, found.bytes_stored) == (7, 5)
    assert (found.seconds, found.task_seconds, found.commit_seconds) == (4.0, 3.0, 1.0)
    assert found.missing_seconds is None


def conflicts(number: int, text: str) -> Callable[[], None]:
    left = [text] * number

    def write() -> None:
        if left:
            raise RuntimeError(left.pop())

    return write


def test_a_conflict_is_repeated_and_counted() -> None:
    assert repeats(conflicts(0, ""), tries=1) == 0
    assert repeats(conflicts(3, "o.a.i.exceptions.CommitFailedException: stale"), tries=4) == 3
    assert repeats(conflicts(1, "io.delta.exceptions.ConcurrentAppendException"), tries=2) == 1


def test_other_errors_and_too_many_conflicts_end_the_run() -> None:
    with pytest.raises(RuntimeError, match="no space left"):
        repeats(conflicts(1, "no space left"), tries=4)
    with pytest.raises(RuntimeError, match="CommitConflict"):
        repeats(conflicts(2, "CommitConflictException"), tries=2)


def test_the_reason_is_the_line_with_the_refusal() -> None:
    refusal = REFUSALS[0]
    text = f"\nAn error occurred.\n: java.io.IOException: It {refusal}: M\n\tat x\n"
    assert first_sentence(text, refusal) == f": java.io.IOException: It {refusal}: M"
    assert first_sentence("\n Something else \nmore", refusal) == "Something else"
    assert first_sentence("", refusal) == "no reason was told"


@pytest.mark.parametrize(
    ("write", "conflict"),
    [("dynamic-overwrite", "replace"), ("static-overwrite", "replace"), ("append", "append")],
)
def test_staging_replaces_only_in_an_overwrite(write: str, conflict: str) -> None:
    pyspark = pytest.importorskip("pyspark")
    if not pyspark.__version__.startswith("4.0."):
        pytest.skip("packages.toml has no packages for this Spark")
    conf = staging().conf(write, Lake())  # type: ignore[arg-type]
    assert conf["spark.hadoop.fs.s3a.committer.staging.conflict-mode"] == conflict
