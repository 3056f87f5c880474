"""Orders as SQL's `ORDER BY` writes them; the jar reads `repave.order` by the same rules."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repave._catalog_sql import quoted
from repave._errors import UsageError

COLUMNS_MAX: Final = 8
COLUMN: Final = re.compile(
    r"\s*(?:`((?:[^`]|``)*)`|([^\s,`.]+))(?:\s+(asc|desc))?(?:\s+nulls\s+(first|last))?\s*(,|$)",
    re.IGNORECASE | re.ASCII,
)
PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SortColumn:
    """A column of an order. Nulls come first or last, whatever the direction."""

    name: str
    descending: bool = False
    nulls_last: bool = False

    @property
    def quoted(self) -> str:
        """The name as Spark reads it, whatever characters it has.

        >>> SortColumn("a.`b`").quoted
        '`a.``b```'
        """
        return quoted(self.name)

    def __str__(self) -> str:
        """Return the column as records have it."""
        name = self.name if PLAIN.fullmatch(self.name) else self.quoted
        direction = " desc" if self.descending else ""
        if self.nulls_last == self.descending:
            return name + direction
        return f"{name}{direction} nulls {'last' if self.nulls_last else 'first'}"


def order_of(text: str | Sequence[str]) -> tuple[SortColumn, ...]:
    """Return the columns of an order.

    >>> [str(one) for one in order_of("id, ts DESC, `a b` nulls last")]
    ['id', 'ts desc', '`a b` nulls last']
    >>> order_of(["id", "ts desc nulls first"])[1]
    SortColumn(name='ts', descending=True, nulls_last=False)

    Raises:
        UsageError: it is no order.
    """
    named = [text] if isinstance(text, str) else text
    if not isinstance(named, Sequence) or not all(isinstance(one, str) for one in named):
        raise _no_order(repr(text))
    whole = ", ".join(named)
    columns: list[SortColumn] = []
    at, more = 0, True
    while more:
        found = COLUMN.match(whole, at)
        if found is None:
            raise _no_order(whole)
        escaped, name, direction, nulls, comma = found.groups()
        descending = (direction or "").lower() == "desc"
        last = descending if nulls is None else nulls.lower() == "last"
        column = SortColumn(name or escaped.replace("``", "`"), descending, last)
        known = {one.name.lower() for one in columns}
        if not column.name or column.name.lower() in known or len(columns) == COLUMNS_MAX:
            raise _no_order(whole)
        columns.append(column)
        at, more = found.end(), comma == ","
    return tuple(columns)


def order_text(columns: Sequence[SortColumn]) -> str:
    """Return the text that records have for an order."""
    return ", ".join(map(str, columns))


def _no_order(text: str) -> UsageError:
    return UsageError(
        f"'{text}' is not an order such as 'id, ts desc nulls last': different columns, at most "
        f"{COLUMNS_MAX}, each with asc or desc and nulls first or nulls last if need be. Write a "
        "name with spaces, dots or commas in backticks."
    )
