"""The `repave` command; docs/cli.md lists what it does and its exit codes."""

import difflib
import io
import signal
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from repave._errors import CommitStateUnknownError, RepaveError, UsageError
from repave._version import __version__
from repave.cli.answer import print_error, print_json
from repave.cli.exit_codes import PROBLEM, UNFINISHED, USAGE

# A command's module is imported when the command is asked for: `repave jar` needs no boto3.
COMMANDS = {
    "adopt": "repave.cli.adopt",
    "cancel": "repave.cli.change",
    "conf": "repave.cli.setup",
    "costs": "repave.cli.costs",
    "doctor": "repave.cli.doctor",
    "drop-partitions": "repave.cli.drop",
    "files": "repave.cli.files",
    "follow": "repave.cli.change",
    "history": "repave.cli.look",
    "jar": "repave.cli.setup",
    "manifest": "repave.cli.look",
    "order": "repave.cli.order",
    "recover": "repave.cli.change",
    "repair": "repave.cli.change",
    "report": "repave.cli.report",
    "rollback": "repave.cli.change",
    "status": "repave.cli.look",
    "submit": "repave.cli.submit",
    "symlinks": "repave.cli.symlinks",
    "sync": "repave.cli.change",
    "vacuum": "repave.cli.change",
}
# They change nothing, so Ctrl-C may end them at any moment; `symlinks --glue` can be repeated.
# `doctor` is not one of them, because it has to delete what it tries to write.
READING = ("costs", "files", "history", "manifest", "order", "report", "status", "symlinks")
# Test servers, demo and benchmark. It is installed from a clone and is in no wheel.
LAB = "repave_lab"
# The words of the command that was called, as the user wrote them.
WORDS = "repave.words"


class Commands(click.Group):
    """Finds commands by name, and prints errors as one sentence."""

    def main(self, *args: Any, **extra: Any) -> Any:  # noqa: ANN401 - click's own signature
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
            # A terminal that is not UTF-8 may lack a character of a file's name or of a table.
            sys.stdout.reconfigure(errors="backslashreplace")
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        module = _commands().get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(module), cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        ctx.meta[WORDS] = list(args)
        known = self.list_commands(ctx)
        near = difflib.get_close_matches(args[0], known, 1)
        if args[0] not in known and near:
            ctx.fail(f"There is no command {args[0]}. Did you mean {near[0]}?")
        if args[0] in READING:
            _end_at_once(ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        try:
            return super().invoke(ctx)
        except (RepaveError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                # The reader of the pipe has ended, as `head` does: click ends silently.
                raise
            print_error(error)
            ctx.exit(exit_code(error))
        except click.UsageError as error:
            if not _asks_for_json(ctx.meta.get(WORDS, [])):
                raise
            print_json({"error": UsageError.code, "message": error.format_message()})
            ctx.exit(USAGE)


def _end_at_once(ctx: click.Context) -> None:
    """Let Ctrl-C end the process. Python would wait for requests in other threads, for minutes."""
    before = signal.getsignal(signal.SIGINT)
    # A program that calls this command may have its own way, or another thread may run it.
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        ctx.call_on_close(lambda: signal.signal(signal.SIGINT, before))


def _asks_for_json(words: list[str]) -> bool:
    # What follows `submit` may be the application's own.
    return "--json" in words and words[0] != "submit"


def exit_code(error: Exception) -> int:
    """Return what the command exits with; docs/cli.md says what each means."""
    if isinstance(error, CommitStateUnknownError):
        return UNFINISHED
    return USAGE if isinstance(error, UsageError) else PROBLEM


@click.group(cls=Commands)
@click.version_option(__version__)
def main() -> None:
    """Look at the tables that Repave writes, repair them, and switch Repave on.

    \b
    Exit codes: 0 all is well; 1 a problem was found; 2 the command or a setting
    cannot work; 3 a commit is unfinished: `repave recover` finishes it.
    """  # noqa: D301 - click's mark that keeps the lines apart


def _commands() -> Mapping[str, str]:
    if find_spec(LAB) is None:
        return COMMANDS
    of_the_lab: Mapping[str, str] = import_module(f"{LAB}.commands").runnable_commands()
    return {**COMMANDS, **of_the_lab}
