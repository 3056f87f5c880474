"""What an examination finds, one thing at a time."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; a mend says how to put it right."""

    level: Level
    text: str
    mend: str = ""


def ok(text: str) -> Finding:
    """Return a finding that needs nothing."""
    return Finding("ok", text)


def warning(text: str, mend: str = "") -> Finding:
    """Return a finding that costs something and stops nothing."""
    return Finding("warning", text, mend)


def problem(text: str, mend: str = "") -> Finding:
    """Return a finding that stops Repave from working."""
    return Finding("problem", text, mend)
