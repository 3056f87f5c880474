"""The bars that show how far a command is."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn

from repave._figures import number
from repave._jar_command import ProgressListener
from repave.cli.answer import plain

COLUMNS = (
    SpinnerColumn(finished_text=" "),
    TextColumn("{task.description}"),
    BarColumn(),
    TextColumn("{task.fields[count]}"),
)


@contextmanager
def bars(what: str, *, silent: bool) -> Iterator[ProgressListener]:
    """Show how far a command is, unless it is silent."""
    # On standard error, and only on a terminal: what a script reads stays clean.
    console = Console(stderr=True)
    shown = Progress(
        *COLUMNS,
        console=console,
        transient=True,
        disable=silent or not console.is_terminal,
    )
    with shown:
        shown.add_task(plain(what), total=None, count="")
        yield Bars(shown).at


class Bars:
    """A bar for each step of a commit."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._tasks: dict[str, TaskID] = {}

    def at(self, step: str, done: int, total: int) -> None:
        """Show how far a step is; the ones before it are over."""
        if step not in self._tasks:
            for over in self._tasks.values():
                self._shown.update(over, total=1, completed=1)
            name = plain(step.replace("-", " "))
            self._tasks[step] = self._shown.add_task(name, total=None, count="")
        count = f"{number(done)} of {number(total)}" if total else ""
        self._shown.update(self._tasks[step], completed=done, total=total or None, count=count)
