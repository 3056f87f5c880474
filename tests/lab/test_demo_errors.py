"""What a program says while the demo starts it goes to the log, and nothing else does."""

import subprocess
import sys
from pathlib import Path

import pytest

from repave import RepaveError
from repave_lab.child import LabError
from repave_lab.demo.errors import errors_into, failure_into


def test_a_program_keeps_the_log_and_this_one_gets_its_own_back(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "spark.log"
    talk = "import sys, time; time.sleep(0.5); print('noise', file=sys.stderr)"
    with errors_into(log):
        program = subprocess.Popen([sys.executable, "-c", talk])
    print("a message", file=sys.stderr, flush=True)
    program.wait()
    assert log.read_text("utf-8") == "noise\n"
    assert capfd.readouterr().err == "a message\n"


def test_a_failure_is_one_sentence_and_its_trace_is_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    with (
        pytest.raises(RepaveError, match=r"failed with KeyError\. Details are in .*spark\.log"),
        failure_into(log),
    ):
        raise KeyError(log.name)
    assert "KeyError: 'spark.log'" in log.read_text("utf-8")


def interrupted() -> None:
    try:
        raise KeyboardInterrupt
    finally:
        message = "The fault proxy does not answer."
        raise LabError(message) from ConnectionRefusedError()


def test_what_fails_after_an_interrupt_is_an_interrupt(tmp_path: Path) -> None:
    """Ctrl-C ends the proxy too, which the demo then asks to end its faults."""
    with pytest.raises(KeyboardInterrupt), failure_into(tmp_path / "spark.log"):
        interrupted()
