"""Every slow test can be collected, and `make test-slow` runs its folder."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
COLLECT = ("pytest", "--collect-only", "-q", "-m", "slow", "tests")


def slow_tests() -> set[Path]:
    """Return the files that pytest finds slow tests in; an error in one of them fails."""
    words = [sys.executable, "-m", *COLLECT, "-p", "no:cacheprovider"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return {Path(name) for name in re.findall(r"^(tests/\S+?\.py)::", done.stdout, re.MULTILINE)}


def run_by_the_lane() -> set[str]:
    """Return the folders of the steps of `make test-slow`, and of the targets that it calls."""
    lane = MAKEFILE.partition("\ntest-slow:")[2].partition("\n\n")[0]
    called = re.findall(r"\$\(STEP\) (test-[\w-]+)", lane)
    rules = [MAKEFILE.partition(f"\n{name}:")[2].partition("\n\n")[0] for name in called]
    return set(re.findall(r"\btests/\w+", "\n".join([lane, *rules])))


def test_every_slow_test_is_collected_and_in_a_lane() -> None:
    found = slow_tests()
    assert found
    with_spark = re.search(r"^WITH_SPARK := (.*)$", MAKEFILE, re.MULTILINE)
    assert with_spark
    # Folders without Spark are in the step `python`, whatever they are called.
    folders = {"/".join(file.parts[:2]) for file in found} & set(with_spark[1].split())
    assert folders >= {"tests/e2e", "tests/delta", "tests/trino"}
    assert folders - run_by_the_lane() == set()


def test_the_lane_calls_the_targets_that_have_an_environment_of_their_own() -> None:
    lane = MAKEFILE.partition("\ntest-slow:")[2].partition("\n\n")[0]
    called = set(re.findall(r"\$\(STEP\) (test-[\w-]+)", lane))
    assert called >= {"test-duckdb-delta", "test-readers", "test-extras"}
