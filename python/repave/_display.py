"""How results look in a notebook: HTML tables, in which every text is escaped."""

from collections.abc import Sequence
from typing import Final

from repave._figures import counted, number, utc
from repave._findings import Finding
from repave._records import HistoryEntry, Status
from repave._report.markup import element, grid, text

ROWS_MAX: Final = 100
COLUMNS: Final = (
    *("version", "commit", "published", "kind", "state"),
    *("rows in", "rows out", "files in", "out"),
)


class History(list[HistoryEntry]):
    """The commits of a table; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return history_html(self)


def history_html(entries: Sequence[HistoryEntry]) -> str:
    """Return commits as a table, the first 100 of them."""
    rows = (
        (
            one.version or "–",
            one.commit,
            utc(one.published) if one.published else "–",
            one.kind,
            one.state,
            *map(number, (one.rows_in, one.rows_out, one.files_in, one.files_out)),
        )
        for one in entries[:ROWS_MAX]
    )
    more = len(entries) - ROWS_MAX
    rest = element("p", text(f"{counted(more, 'more commit')}.")) if more > 0 else ""
    return grid(COLUMNS, rows, numbers=4) + rest


def table_html(path: str, status: Status, newest: Sequence[HistoryEntry]) -> str:
    """Return a table's state, its unfinished commits and its newest ones."""
    if not status.known:
        told = f"{path}: Repave has not written to this table."
        return element("p", text(told))
    told = f"version {status.version}, readers={status.readers}"
    if status.active:
        count = counted(len(status.active), "unfinished commit")
        told += f"; {count}: recover() finishes those of dead drivers"
    heading = element("b", text(path)) + text(f" {told}")
    return element("p", heading) + history_html(newest)


def session_html(heading: str, facts: dict[str, str], findings: Sequence[Finding]) -> str:
    """Return what `verify_session` found."""
    rows = ((one.level, one.text, one.fix) for one in findings)
    return (
        element("p", element("b", text(heading)))
        + grid(("what", "which"), facts.items())
        + grid(("level", "finding", "fix"), rows)
    )
