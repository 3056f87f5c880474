"""The results of an examination."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of an examination; `fix` says how to fix it."""

    level: Level
    text: str
    fix: str = ""


def ok(text: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding("ok", text)


def warning(text: str, fix: str = "") -> Finding:
    """Return a finding that costs something, but does not stop Repave."""
    return Finding("warning", text, fix)


def problem(text: str, fix: str = "") -> Finding:
    """Return a finding that stops Repave from working."""
    return Finding("problem", text, fix)
