"""`repave jar` and `repave conf`: what a cluster needs."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click

from repave._conf import spark_conf
from repave._conf_lists import LISTS, PACKAGES_KEY, join_lists
from repave._defaults import defaults_file, spark_defaults
from repave._errors import UsageError
from repave._jar import jar_path
from repave._options import Option, options
from repave._session import beside
from repave._spark_home import find_spark
from repave._submit_options import FLAGS
from repave.cli.answer import json_option, on_terminal, print_json

# A session's token is refused, with the way to give one to a write. No help should suggest it.
OF_ONE_WRITE = "token"
ARGUMENTS: Final = "spark-submit"
PYTHON: Final = "python"
# No option of spark-submit: it answers "Unrecognized option" and starts nothing.
FAILED: Final = "--repave-conf-failed"
# A shell splits what $(…) gives it at blanks, and reads patterns of file names in it.
CHANGED_BY_SHELL: Final = frozenset(" \t\n*?[")


def committer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command a flag for each of the committer's options."""
    for option in reversed(options()):
        add = click.option(
            option.flag,
            option.name,
            metavar=option.kind.upper(),
            help=f"{option.text} {_values(option)}",
            hidden=option.name == OF_ONE_WRITE,
        )
        command = add(command)
    return command


def list_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command spark-submit's flags for lists of jars."""
    for flag in reversed(FLAGS):
        text = f"Your own {flag} of spark-submit, joined with Repave's."
        command = click.option(flag, metavar="LIST", help=text)(command)
    return command


def _name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _environment() -> dict[str, str]:
    """Return the environment with the home of Spark, if there is one."""
    try:
        home = str(find_spark(os.environ))
    except UsageError:
        home = ""  # the conf is for another machine
    return {**os.environ, "SPARK_HOME": home}


def _warn_of_unread_lists(file: Path | None, form: str) -> None:
    """Warn that the site may have lists which what is printed would hide."""
    if file is None:
        unread = "Spark was not found here, so its spark-defaults.conf was not read"
    elif form == "properties" and not file.is_file():
        unread = f"There is no {file}, so no other spark-defaults.conf was read"
    else:
        return
    click.echo(
        f"{unread}. If that file has lists of jars, packages or extensions, the printed keys "
        "replace them: set SPARK_CONF_DIR to its folder and run this again.",
        err=True,
    )


def _with_lists(
    site: Mapping[str, str], keys: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, str]:
    """Return the keys with the user's own lists, so that none of the site's keys is replaced."""
    lists = {key: value for key, value in keys.items() if key in LISTS}
    scalars = beside(site, keys)
    present = join_lists({**site, **own}, lists, {})
    joined = {key: value for key, value in present.items() if key in lists or key in own}
    found = {**scalars, **joined}
    # Ours first, in their order, as `spark_conf` returns them.
    return {key: found[key] for key in (*keys, *found) if key in found}


def _values(option: Option) -> str:
    values = f"{option.range[0].upper()}{option.range[1:]}; default" if option.range else "Default"
    return f"{values}: {option.default or 'none'}."


@click.command()
def jar() -> None:
    """Print the path of the jar, for `spark-submit --jars`."""
    click.echo(jar_path())


class ConfCommand(click.Command):
    """Prints a word that spark-submit refuses if it fails in `spark-submit $(repave conf)`.

    A shell ignores the exit code of a command in $(…), even after `set -e`. Without the word
    spark-submit would run the job, and Spark's own protocol would commit its writes.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401 - what click passes
    ) -> click.Context:
        """Read the words of the command line."""
        with _failing_loudly(arguments="--json" not in args and _form(args) == ARGUMENTS):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        """Run the command."""
        chosen = ctx.params
        with _failing_loudly(arguments=not chosen["as_json"] and chosen["form"] == ARGUMENTS):
            return super().invoke(ctx)


@contextmanager
def _failing_loudly(*, arguments: bool) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        helped = isinstance(error, click.exceptions.Exit) and error.exit_code == 0
        if arguments and not helped and not on_terminal():
            # The first error counts, also where nothing can be printed.
            with suppress(OSError):
                click.echo(FAILED)
        raise


def _form(words: list[str]) -> str:
    """Return the format that words name, which may be wrong in other ways.

    >>> _form(["--format", "properties", "--bogus"]), _form(["--format=python"]), _form([])
    ('properties', 'python', 'spark-submit')
    """
    form = ARGUMENTS
    for word, after in pairwise([*words, ""]):
        if word == "--format":
            form = after
        elif word.startswith("--format="):
            form = word.removeprefix("--format=")
    return form


@click.command(cls=ConfCommand)
@click.option(
    "--format",
    "form",
    type=click.Choice([ARGUMENTS, "properties", PYTHON]),
    default=ARGUMENTS,
    show_default=True,
    help="How the conf will be used.",
)
@click.option("--jar", "jar", metavar="URI", help="The jar's location on the cluster.")
@click.option("--connector", metavar="SPARK", help="Add the S3A connector of this Spark release.")
@click.option("--rdd-saves", is_flag=True, help="Commit what RDDs save, too.")
@list_options
@json_option
@committer_options
def conf(
    form: str,
    jar: str | None,
    connector: str | None,
    rdd_saves: bool,  # noqa: FBT001 - click passes it
    as_json: bool,  # noqa: FBT001 - click passes it
    **chosen: Any,  # noqa: ANN401 - what click passes
) -> None:
    """Print the conf that switches Repave on.

    With --format spark-submit (the default) it prints one line, for
    `spark-submit $(repave conf) job.py`. If it fails, it prints a word that
    spark-submit refuses, so the job does not run without Repave. A --jars of your
    own would hide Repave's jar: give your lists to this command, or use
    `repave submit`. Lists in spark-defaults.conf are joined too, so you can append
    what this prints to that file, even twice. Set SPARK_CONF_DIR or SPARK_HOME so
    that it finds the file; otherwise it warns.

    --format python cannot bring packages, such as the connector: use
    repave.configure_session.
    """
    own = {key: value for flag, key in FLAGS.items() if (value := chosen.pop(_name(flag)))}
    given = {name: value for name, value in chosen.items() if value is not None}
    keys = spark_conf(jar=jar, connector=connector, rdd_saves=rdd_saves, **given)
    environment = _environment()
    site = spark_defaults(environment)
    keys = _with_lists(site, keys, own)
    _warn_of_unread_lists(defaults_file(environment), form)
    if as_json:
        print_json(keys)
        return
    if form == PYTHON:
        _refuse_packages({**site, **keys})
    click.echo("\n".join(PRINTERS[form](keys)))


def _spark_submit(keys: dict[str, str]) -> list[str]:
    pairs = ["=".join(pair) for pair in keys.items()]
    if on_terminal():
        # It will be pasted, and a shell takes quotes away only from what is typed.
        pairs = [shlex.quote(pair) for pair in pairs]
    else:
        _refuse_what_a_shell_changes(keys)
    return [" ".join(f"--conf {pair}" for pair in pairs)]


def _refuse_what_a_shell_changes(keys: Mapping[str, str]) -> None:
    for key, value in keys.items():
        if CHANGED_BY_SHELL & set(value):
            message = (
                f"A shell would split the value of {key} at blanks, or read it as a pattern of "
                f"file names, so $(repave conf) cannot pass it to spark-submit: {value!r}. Use "
                "`repave submit` in place of `spark-submit`."
            )
            raise UsageError(message)


def _properties(keys: dict[str, str]) -> list[str]:
    # The first line ends the last one of a file to which this is appended. Java reads a backslash
    # as the beginning of an escape.
    lines = [f"{key} {value}".replace("\\", "\\\\") for key, value in keys.items()]
    return ["", *lines]


def _refuse_packages(conf: Mapping[str, str]) -> None:
    if PACKAGES_KEY in conf:
        message = (
            f"--format {PYTHON} cannot bring packages, or a jar next to packages: spark.jars on a "
            "builder would replace the list to which Spark adds what it fetches for "
            f"{PACKAGES_KEY}, and executors would lack it. Call "
            "repave.configure_session(SparkSession.builder) instead."
        )
        raise UsageError(message)


def _python(keys: dict[str, str]) -> list[str]:
    return [f".config({key!r}, {value!r})" for key, value in keys.items()]


PRINTERS = {ARGUMENTS: _spark_submit, "properties": _properties, PYTHON: _python}
