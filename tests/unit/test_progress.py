"""What a notebook shows of a commit while its cell runs, and when it shows nothing."""

import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from repave import _progress
from repave._progress import CellProgress, Html, Running, running_commits, show_in_notebook

# ruff: noqa: ANN401 - fakes of IPython

COMMIT = {"table": "s3://lake/<i>", "step": "retire", "done": 250, "total": 1000}


class FakeOutput:
    """Keeps what a cell showed."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.threads: set[str] = set()

    def show(self, html: Html) -> "FakeOutput":
        self.update(html)
        return self

    def update(self, html: Html) -> None:
        self.threads.add(threading.current_thread().name)
        self.shown.append(html._repr_html_())


def watched(ask: Callable[[], Running], output: FakeOutput, patience: float = 0) -> CellProgress:
    return CellProgress(ask, output.show, patience=patience, pause=0.01)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_one_line_follows_the_commit_and_goes_with_the_cell() -> None:
    answers = iter([[], [COMMIT], [{**COMMIT, "done": 500}], [{**COMMIT, "step": "finish"}]])
    output = FakeOutput()
    cell = watched(lambda: next(answers, []), output)
    wait_for(lambda: output.shown[-1:] == [""])
    cell.stop()
    assert "<b>s3://lake/&lt;i&gt;</b>: retire, 250 of 1,000" in output.shown[0]
    assert "500 of 1,000" in output.shown[1]
    assert "finish" in output.shown[2]
    assert set(output.shown[3:]) == {""}
    assert output.threads == {"repave-progress"}


def test_a_cell_that_is_over_soon_asks_nothing() -> None:
    asked: list[int] = []
    output = FakeOutput()
    cell = watched(lambda: asked.append(1) or [COMMIT], output, patience=30)  # type: ignore[func-returns-value]
    began = time.monotonic()
    cell.stop()
    assert time.monotonic() - began < 10
    assert (asked, output.shown) == ([], [])


def test_a_session_that_ends_ends_the_line_and_not_the_cell() -> None:
    answers = iter([[COMMIT]])
    output = FakeOutput()
    cell = watched(lambda: next(answers), output)
    wait_for(lambda: output.shown[-1:] == [""])
    cell.stop()
    assert len(output.shown) == 2


class FakeEvents:
    def __init__(self) -> None:
        self.registered: list[str] = []

    def register(self, event: str, call: Callable[..., None]) -> None:
        self.registered.append(event)
        call()


def shell_named(name: str) -> Any:
    return type(name, (), {})()


def test_only_a_notebook_is_watched_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not show_in_notebook() or "IPython" in sys.modules
    shell = cast("Any", shell_named("TerminalInteractiveShell"))
    fake = SimpleNamespace(get_ipython=lambda: shell, display=None)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    assert not show_in_notebook()
    shell = cast("Any", shell_named("ZMQInteractiveShell"))
    shell.events = FakeEvents()
    display = SimpleNamespace(display=lambda *_, **__: FakeOutput())
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(_progress, "PATIENCE_SECONDS", 30)
    assert show_in_notebook()
    assert show_in_notebook()
    assert shell.events.registered == ["pre_run_cell", "post_run_cell"]


def test_without_a_session_there_is_nothing_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "running_context", lambda: None)
    assert running_commits() == ()
