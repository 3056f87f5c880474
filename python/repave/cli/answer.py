"""How answers look: a table on a terminal, one JSON document for a script."""

import codecs
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from repave._catalog_sql import CONTROL
from repave._errors import RepaveError
from repave._figures import counted, number, size
from repave._records import DataFile, PartitionSize

AS_JSON = "repave.as-json"
FOLDERS_SHOWN = 20
# Rich shortens the cells of a table that is wider than its console.
WIDTH = 1_000_000


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--json`; errors then are JSON too."""

    def remember(ctx: click.Context, _param: click.Parameter, value: bool) -> bool:  # noqa: FBT001
        ctx.find_root().meta[AS_JSON] = value
        return value

    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        callback=remember,
        is_eager=True,
        help="Print one JSON document (docs/json.md of the project).",
    )(command)


def print_json(document: Any) -> None:  # noqa: ANN401 - JSON
    """Print a document for a script."""
    # There is no standard output if the caller has closed it.
    utf8 = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name == "utf-8"
    text = json.dumps(document, indent=2, ensure_ascii=not utf8)
    # JSON leaves those of Latin-1 and Unicode as they are. Line ends are its own.
    click.echo(CONTROL.sub(lambda found: found[0] if found[0] == "\n" else _number(found), text))


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def console() -> Console:
    """Return the terminal, or a plain page for a pipe."""
    # A token or a file's name may hold what Rich takes for an emoji, such as `:x:`.
    return Console(highlight=False, emoji=False, width=WIDTH)


def table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return an empty table; the columns in `numbers` are right-aligned."""
    grid = Table(box=None, pad_edge=False, header_style="")
    for column in columns:
        justify: JustifyMethod = "right" if column in numbers else "left"
        grid.add_column(f"[bold]{column}[/]", justify=justify)
    return grid


def print_table(grid: Table) -> None:
    """Print a table. A terminal that is too narrow wraps its lines, and cuts no id or time."""
    page = console()
    with page.capture() as lines:
        page.print(grid)
    for line in lines.get().removesuffix("\n").split("\n"):
        click.echo(line.rstrip())


def visible(text: str) -> str:
    r"""Return text from a record without control characters, for a line of an answer.

    >>> visible("dt=[b]1" + chr(27))
    'dt=[b]1\\x1b'
    """
    return "".join(
        char if unicodedata.category(char)[0] != "C" else char.encode("unicode-escape").decode()
        for char in text
    )


def on_terminal() -> bool:
    """Return whether a person reads standard output."""
    # There is none if the caller has closed it.
    return sys.stdout is not None and sys.stdout.isatty()


def print_text(text: str, *, err: bool = False) -> None:
    """Print lines that may have names of a record in them, without control characters."""
    click.echo("\n".join(map(_line, text.split("\n"))), err=err)


def _line(text: str) -> str:
    # Lines of a JVM's log have tabs.
    return "\t".join(map(visible, text.split("\t")))


def print_statement(text: str) -> None:
    """Print a statement to paste. Its literals have no control characters; its names may.

    Other invisible characters stay, because an escape inside backticks would be another name.
    """
    shown = CONTROL.sub(lambda found: found[0] if found[0] in "\t\n" else visible(found[0]), text)
    click.echo(shown)


def plain(text: str) -> str:
    r"""Return text from a record without control characters and markup, for Rich.

    >>> plain("dt=[b]1" + chr(27))
    'dt=\\[b]1\\x1b'
    """
    return escape(visible(text))


def rows(count: int | None) -> str:
    """Return a number of rows as text, to follow a size; empty when it is unknown.

    >>> [rows(count) for count in (None, 0, 1, 1234)]
    ['', ', 0 rows', ', 1 row', ', 1,234 rows']
    """
    return "" if count is None else f", {counted(count, 'row')}"


def rows_of(files: Iterable[DataFile]) -> int | None:
    """Return the rows of some files; None unless they are known of every file."""
    total = 0
    for file in files:
        if file.rows is None:
            return None
        total += file.rows
    return total


def print_error(error: Exception) -> None:
    """Print an error: its sentence, or a document for a script."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.find_root().meta.get(AS_JSON):
        code = error.code if isinstance(error, RepaveError) else RepaveError.code
        try:
            print_json({"error": code, "message": str(error)})
        except BrokenPipeError:
            raise
        except OSError:
            # The disk that has standard output is full.
            pass
        else:
            return
    print_text(f"repave: {error}", err=True)


def print_sizes(partitions: Sequence[PartitionSize]) -> None:
    """Print the first of some folders, each with its files."""
    for one in partitions[:FOLDERS_SHOWN]:
        folder = visible(one.partition) or "(the table's folder)"
        click.echo(f"  {folder}: {files_and_bytes(one.files, one.bytes)}")
    if len(partitions) > FOLDERS_SHOWN:
        click.echo(f"  and {number(len(partitions) - FOLDERS_SHOWN)} more")


def files_and_bytes(files: int, total: int) -> str:
    """Return a number of files and their size as text."""
    return f"{counted(files, 'file')} ({size(total)})"
