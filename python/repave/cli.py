"""The `repave` command."""

import click

from repave._jar import jar_path
from repave._version import __version__


@click.group()
@click.version_option(__version__)
def main() -> None:
    """Inspect and repair tables that Repave writes."""


@main.command()
def jar() -> None:
    """Print the path of the jar, for `spark-submit --jars`."""
    click.echo(jar_path())
