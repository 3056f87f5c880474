"""The driver of `make test` and `make check`."""

from pathlib import Path

import pytest

import steps


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_steps_run_in_order_and_leave_a_log_each(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert steps.main(["run", "one=echo 1 >> order", "two=echo 2 >> order; echo said"]) == 0
    assert (elsewhere / "order").read_text("utf-8") == "1\n2\n"
    assert (elsewhere / ".work/logs/run-two.log").read_text("utf-8") == "said\n"
    out = capsys.readouterr().out
    assert out.index("[1/2] one") < out.index("[2/2] two")


def test_a_failing_step_ends_the_run_and_names_its_log(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert steps.main(["run", "bad=echo the cause; false | cat", "next=touch reached"]) == 1
    out = capsys.readouterr().out
    assert not (elsewhere / "reached").exists()
    assert "failed in step bad. The end of .work/logs/run-bad.log" in out
    assert "the cause" in out
    assert "not run" in out


def test_keep_going_runs_every_step_and_still_fails(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert steps.main(["--keep-going", "run", "bad=false", "next=touch reached"]) == 1
    assert (elsewhere / "reached").exists()
    assert "failed in step bad" in capsys.readouterr().out


def test_the_runners_own_closing_lines_stay_visible(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0",
        "===== 3 passed, 1 skipped in 0.47s =====",
        "5000 schedules, 0 violations",
    ]
    noise = "[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in io.A"
    echoes = "; ".join(f"echo '{line}'" for line in [noise, *lines])
    assert steps.main(["run", f"all={echoes}"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line in {noise, *lines}] == lines


def test_a_step_has_no_standard_input_to_wait_for() -> None:
    assert steps.main(["run", "ask=! read -t 5 answer"]) == 0
