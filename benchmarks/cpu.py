"""The CPU time of a run's processes, as Linux counts it; nothing elsewhere."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PROCESSES: Final = Path("/proc")
COMPILERS: Final = ("C1 CompilerThre", "C2 CompilerThre")
COMPILER: Final = "compiler"
"""The JVM's compiler (JIT), which is counted apart from the process that it belongs to."""


class CpuTime:
    """Counts what each process takes from now on."""

    def __init__(self, processes: Mapping[str, int]) -> None:
        self._processes = processes
        self._before = self._now()

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each process, and of compilers. They add up to all CPU time."""
        return {
            name: round(seconds - self._before[name], 2) for name, seconds in self._now().items()
        }

    def _now(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, pid in self._processes.items() if PROCESSES.is_dir() else ():
            compiling = compiler_seconds(pid)
            found[name] = cpu_seconds(PROCESSES / str(pid) / "stat") - compiling
            found[COMPILER] = found.get(COMPILER, 0) + compiling
        return found


def compiler_seconds(pid: int) -> float:
    """Return the CPU seconds of the compiler's threads that are alive."""
    total = 0.0
    for thread in (PROCESSES / str(pid) / "task").iterdir():
        try:
            if (thread / "comm").read_text("utf-8").strip() in COMPILERS:
                total += cpu_seconds(thread / "stat")
        except OSError:
            continue  # It has ended.
    return total


def cpu_seconds(stat: Path) -> float:
    """Return the CPU seconds of a process or a thread, by its file `stat`."""
    # The name, in parentheses, may have spaces.
    words = stat.read_text("utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
