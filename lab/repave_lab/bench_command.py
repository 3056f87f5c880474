"""`repave bench`: the benchmark of the clone that this package is part of."""

import os
import subprocess
import sys

import click

from repave_lab.commands import BENCHMARK, CLONE


@click.command(
    short_help="Measure Repave and its peers on the same work.",
    add_help_option=False,  # The benchmark answers --help itself.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[run|report] [OPTIONS]")
def bench(arguments: tuple[str, ...]) -> None:
    """Measure Repave and its peers on the same work, on a modelled store or a real one.

    `repave bench --help` lists the options, benchmarks/README.md says what is measured.
    """
    paths = [str(CLONE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", BENCHMARK, *arguments]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
