"""The commands that this package adds to `repave`."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

CLONE: Final = Path(__file__).parents[2]
BENCHMARK: Final = "benchmarks"
READERS_OF_THE_DEMO: Final = ("pyspark", "pyarrow", "duckdb")


def runnable_commands() -> Mapping[str, str]:
    """Return the module of each command that can run here."""
    commands = {}
    if (CLONE / BENCHMARK / "__main__.py").is_file():
        commands["bench"] = "repave_lab.bench_command"
    if all(find_spec(name) is not None for name in READERS_OF_THE_DEMO):
        commands["demo"] = "repave_lab.demo_command"
    return commands
