"""`repave jar` and `repave conf`: what a cluster has to be given."""

import shlex
from collections.abc import Callable
from typing import Any

import click

from repave._conf import spark_conf
from repave._jar import jar_path
from repave._options import Option, options
from repave.cli.answer import json_option, print_json


def committer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a flag for each of the committer's options."""
    for option in reversed(options()):
        add = click.option(
            option.flag,
            option.name,
            metavar=option.kind.upper(),
            help=f"{option.text} {_values(option)}",
        )
        command = add(command)
    return command


def _values(option: Option) -> str:
    values = f"{option.range[0].upper()}{option.range[1:]}; default" if option.range else "Default"
    return f"{values}: {option.default or 'none'}."


@click.command()
def jar() -> None:
    """Print the path of the jar, for `spark-submit --jars`."""
    click.echo(jar_path())


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["spark-submit", "properties", "python"]),
    default="spark-submit",
    show_default=True,
    help="How the conf will be used.",
)
@click.option("--jar", "jar", metavar="URI", help="Where the jar lies on the cluster.")
@click.option("--connector", metavar="SPARK", help="Add the S3A connector of this Spark release.")
@json_option
@committer_options
def conf(
    form: str,
    jar: str | None,
    connector: str | None,
    as_json: bool,  # noqa: FBT001 - click passes it
    **chosen: str | None,
) -> None:
    """Print the conf that switches Repave on.

    Of the form spark-submit it is one line, for `spark-submit $(repave conf) job.py`.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    keys = spark_conf(jar=jar, connector=connector, **given)
    if as_json:
        print_json(keys)
        return
    click.echo("\n".join(PRINTERS[form](keys)))
    if form == "spark-submit" and any(_in_quotes(pair) for pair in keys.items()):
        # A shell splits what $(...) gives it, and takes the quotes for letters.
        click.echo(
            'A value stands in quotes: write eval "spark-submit $(repave conf …) job.py",'
            " or paste the line.",
            err=True,
        )


def _spark_submit(keys: dict[str, str]) -> list[str]:
    return [" ".join(f"--conf {shlex.quote('='.join(pair))}" for pair in keys.items())]


def _in_quotes(pair: tuple[str, str]) -> bool:
    return shlex.quote("=".join(pair)) != "=".join(pair)


def _properties(keys: dict[str, str]) -> list[str]:
    # Java reads a backslash as the beginning of an escape.
    return [f"{key} {value}".replace("\\", "\\\\") for key, value in keys.items()]


def _python(keys: dict[str, str]) -> list[str]:
    return [f".config({key!r}, {value!r})" for key, value in keys.items()]


PRINTERS = {"spark-submit": _spark_submit, "properties": _properties, "python": _python}
