"""Opening a version changes how often Python searches for garbage, and leaves no trace of that."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from repave._snapshot.garbage import OBJECTS_BETWEEN, RareCollections


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_collections_are_rare_until_the_last_of_several_threads_is_done() -> None:
    rare = RareCollections()
    one, other = ExitStack(), ExitStack()
    one.enter_context(rare.during())
    other.enter_context(rare.during())
    assert gc.get_threshold() == (OBJECTS_BETWEEN, 10, 10)
    one.close()
    assert gc.get_threshold() == (OBJECTS_BETWEEN, 10, 10)
    other.close()
    assert gc.get_threshold() == (700, 10, 10)


def test_an_error_restores_the_thresholds() -> None:
    with pytest.raises(ZeroDivisionError), RareCollections().during():
        1 / 0  # noqa: B018 - an error
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [0, OBJECTS_BETWEEN + 1])
def test_a_program_that_collects_less_often_is_left_alone(own: int) -> None:
    gc.set_threshold(own, 10, 10)
    with RareCollections().during():
        assert gc.get_threshold() == (own, 10, 10)
    assert gc.get_threshold() == (own, 10, 10)


def test_thresholds_that_a_program_sets_meanwhile_stay() -> None:
    with RareCollections().during():
        gc.set_threshold(5_000, 10, 10)
    assert gc.get_threshold() == (5_000, 10, 10)


FORKED = """
import gc, os, sys
from repave._snapshot.garbage import RARE_COLLECTIONS
before = gc.get_threshold()
with RARE_COLLECTIONS.during():
    RARE_COLLECTIONS._lock.acquire()
    child = os.fork()
    if child:
        RARE_COLLECTIONS._lock.release()
    else:
        assert gc.get_threshold() == before
        with RARE_COLLECTIONS.during():
            assert gc.get_threshold() != before
        os._exit(gc.get_threshold() != before)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_that_is_forked_meanwhile_waits_for_no_thread_of_the_other() -> None:
    """As with multiprocessing, while other threads open versions."""
    assert subprocess.run([sys.executable, "-c", FORKED], timeout=60, check=False).returncode == 0
