"""Shows in a notebook how far a commit is, while its cell waits for the write.

Nothing happens outside of a notebook, in a cell that is over soon, or while a write still computes
its rows: Spark has a bar for that.
"""

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from repave._figures import number
from repave._jvm import GATEWAY, Jvm
from repave._report.markup import element, text
from repave._running import running_context

# ruff: noqa: ANN401 - IPython

PATIENCE_SECONDS: Final = 3.0
PAUSE_SECONDS: Final = 0.5
KERNEL: Final = "ZMQInteractiveShell"

Running = Sequence[Mapping[str, Any]]


class Line(Protocol):
    """A line of a cell's output."""

    def update(self, shown: "Html") -> None:
        """Replace it."""


class Html:
    """What a notebook shows; a console shows nothing."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return ""


class CellProgress:
    """Watches the commits of one cell, in a thread of its own."""

    def __init__(
        self,
        ask: Callable[[], Running],
        show: Callable[[Html], Line],
        patience: float = PATIENCE_SECONDS,
        pause: float = PAUSE_SECONDS,
    ) -> None:
        self._ask = ask
        self._show = show
        self._patience = patience
        self._pause = pause
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="repave-progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread, which takes its line away."""
        self._over.set()
        self._thread.join(timeout=2 * self._pause)

    def _watch(self) -> None:
        line: Line | None = None
        seconds = self._patience
        try:
            while not self._over.wait(seconds):
                seconds = self._pause
                html = Html(progress_html(self._ask()))
                if line is not None:
                    line.update(html)
                elif html._repr_html_():
                    line = self._show(html)
        except Exception:  # noqa: BLE001 - a session that ended; the write itself says so
            return
        finally:
            if line is not None:
                line.update(Html(""))


def progress_html(commits: Running) -> str:
    """Return a line for each commit.

    >>> told = {"table": "s3://lake/sales", "step": "complete-uploads", "done": 250, "total": 1000}
    >>> progress_html([told])
    '<p>Committing to <b>s3://lake/sales</b>: complete uploads, 250 of 1,000</p>'
    """
    return "".join(_line(one) for one in commits)


def _line(commit: Mapping[str, Any]) -> str:
    step = str(commit["step"]).replace("-", " ")
    count = f", {number(commit['done'])} of {number(commit['total'])}" if commit["total"] else ""
    told = text("Committing to ") + element("b", text(commit["table"])) + text(f": {step}{count}")
    return element("p", told)


class NotebookProgress:
    """Watches each cell of a notebook, from its beginning to its end."""

    def __init__(self, ask: Callable[[], Running], show: Callable[[Html], Line]) -> None:
        self._ask = ask
        self._show = show
        self._cell: CellProgress | None = None

    def begin(self, *_: Any) -> None:
        self.end()
        self._cell = CellProgress(self._ask, self._show)

    def end(self, *_: Any) -> None:
        if self._cell is not None:
            self._cell.stop()
            self._cell = None


def show_in_notebook() -> bool:
    """Show how far commits are below the cells that write; return whether this is a notebook."""
    shell = _shell()
    if shell is None:
        return False
    if not hasattr(shell, "_repave_progress"):
        from IPython.display import display  # type: ignore[import-not-found]  # noqa: PLC0415

        progress = NotebookProgress(running_commits, lambda html: display(html, display_id=True))
        shell.events.register("pre_run_cell", progress.begin)
        shell.events.register("post_run_cell", progress.end)
        shell._repave_progress = progress  # noqa: SLF001 - a mark of ours
    return True


def running_commits() -> Running:
    """Ask the JVM of the running session, if there is one with Repave."""
    context = running_context()
    if context is None or (jvm := Jvm(context)).loaded(GATEWAY) is None:
        return ()
    found: Running = json.loads(jvm.gateway_class().runningCommits())
    return found


def _shell() -> Any | None:
    """Return the shell of a notebook's kernel, None in a script or a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # A platform's notebook has a shell of its own, made from the kernel's.
    return shell if KERNEL in (one.__name__ for one in type(shell).__mro__) else None
