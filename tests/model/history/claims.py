"""What must hold of a table's history in every state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .table import ABSENT, PUBLISHED, chain, has

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .table import Lifetime, Place, Table


def broken(table: Table) -> str:
    """Name the first claim about the store that does not hold."""
    return next((words for words in findings(table) if words), "")


def findings(table: Table) -> Iterator[str]:
    """Check one claim after the other."""
    yield readable(table)
    yield followable(table)
    yield recorded(table)
    yield removable(table)
    yield table.wrong  # H4, H5 and H6: found when a commit is decided


def readable(table: Table) -> str:
    """The live files of the head's version can be worked out from records that are there."""
    newest = table.named(table.checkpoint)
    files = table.named(newest.files)
    for name in {table.checkpoint, newest.files} - {0}:
        if not has(table.indexes, name):
            return f"H1 UNREADABLE: checkpoint {name} is gone"
    if files.shards & ~table.shards:
        return "H1 UNREADABLE: shards are gone"
    for version in range(files.version + 1, table.version + 1):
        if not has(table.plans, version):
            return f"H1 UNREADABLE: the plan of version {version} is gone"
    return ""


def followable(table: Table) -> str:
    """Log and checkpoints name every commit from where the history begins."""
    for name in chain(table):
        if not has(table.indexes, name):
            return f"H2 BROKEN CHAIN: checkpoint {name} is gone"
    newest = table.named(table.checkpoint).version
    return "" if table.log_from <= newest + 1 else "H2 BROKEN CHAIN: the log begins too late"


def recorded(table: Table) -> str:
    """A commit that the history names has its records, and its token stays known."""
    for version in range(table.history_from, table.version + 1):
        known = table.commits[version - 1] < 0 or has(table.tokens, version)
        if not has(table.plans, version) or not known:
            return f"H3 RECORDS of version {version} are gone, and the history names it"
    return ""


def removable(table: Table) -> str:
    """A later vacuum finds every replaced file: a plan that the history names tells of it."""
    for version in range(1, table.history_from):
        if has(table.leftovers, version):
            return f"H8 LEFT FOR EVER: the file that version {version} replaced"
    return ""


def wrong_end(life: Lifetime, table: Table, job: int, place: Place) -> str:
    """Check what a driver reports against what truly happened."""
    name = life.jobs[job].name
    own = table.statuses[job]
    if place.step == "done" and own != PUBLISHED:
        token = life.jobs[job].token
        same = [n for n, other in enumerate(life.jobs) if token and other.token]
        if not any(table.statuses[n] == PUBLISHED for n in same):
            return f"H7 FALSE SUCCESS of {name}"
    if place.step == "failed" and (own != ABSENT or has(table.late, job)):
        return f"H7 FALSE FAILURE: {name} said it failed and is, or may be, decided"
    return ""
