"""`repave bench`: the benchmark of the clone that this package is part of."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import click

from repave._errors import UsageError

CLONE: Final = Path(__file__).parents[3]
MODULE: Final = "benchmarks"


@click.command(
    add_help_option=False,  # The benchmark answers --help itself.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[run|report] [OPTIONS]")
def bench(arguments: tuple[str, ...]) -> None:
    """Measure Repave and its peers on the same work, on a modelled store or a real one.

    It needs a clone of the project, installed with `pip install -e '.[lab]'`. `repave bench --help`
    lists the options, benchmarks/README.md says what is measured.
    """
    if not (CLONE / MODULE / "__main__.py").is_file():
        message = (
            "`repave bench` needs a clone of the project, which holds the benchmark and its"
            " workloads: run it from there, installed with `pip install -e '.[lab]'`."
        )
        raise UsageError(message)
    paths = [str(CLONE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", MODULE, *arguments]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
