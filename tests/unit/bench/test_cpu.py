import os
import time
from pathlib import Path

import pytest

from benchmarks import cpu
from benchmarks.cpu import CpuTime


def test_what_a_process_takes_counts_from_the_begin_on() -> None:
    if not cpu.PROCESSES.is_dir():
        pytest.skip("Only Linux counts in /proc.")
    counted = CpuTime({"test": os.getpid()})
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    seconds = counted.seconds()
    assert 0.1 < seconds["test"] < 5
    assert seconds["compiler"] == 0


def test_threads_of_the_compiler_count_for_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(name: str, comm: str, ticks: int) -> None:
        folder = tmp_path / "7" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "comm").write_text(f"{comm}\n")
        (folder / "stat").write_text(f"7 ({comm}) S {'0 ' * 10}{ticks} {ticks} 0\n")

    second = os.sysconf("SC_CLK_TCK")
    monkeypatch.setattr(cpu, "PROCESSES", tmp_path)
    for name in (".", "task/7", "task/8"):
        told(name, "java", 0)
    counted = CpuTime({"spark": 7})
    told(".", "java", 4 * second)
    told("task/8", "C2 CompilerThre", second)
    told("task/9", "Executor) task", second)
    assert counted.seconds() == {"spark": 6.0, "compiler": 2.0}


def test_a_system_that_does_not_count_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "PROCESSES", tmp_path / "absent")
    assert CpuTime({"test": os.getpid()}).seconds() == {}
