"""Reads a table again and again, and prints what each read saw as a line of JSON.

Every read is judged row by row: `overwriter` says which rows a version has.
"""

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

from campaigns.overwriter import ROWS

Row = tuple[int, int, int]
COLUMNS = ["id", "day", "round"]
ERROR_CHARS = 300


def poll(read: Callable[[], Iterable[Row]], polls: int, days: int) -> None:
    """Read so many times; a read that fails is printed with its error."""
    for _ in range(polls):
        begin = time.monotonic()
        try:
            seen: dict[str, Any] = judged(read(), days)
        except Exception as error:  # noqa: BLE001 - each library has its own
            seen = {"error": str(error)[:ERROR_CHARS]}
        print(json.dumps({**seen, "seconds": time.monotonic() - begin}), flush=True)


def judged(rows: Iterable[Row], days: int) -> dict[str, Any]:
    """Return whether rows are missing or there twice, and which jobs wrote them.

    >>> whole = [(id, id % 2, 7) for id in range(2 * ROWS)]
    >>> judged(whole, 2)
    {'gap': False, 'duplicate': False, 'rounds': [7]}
    >>> judged([*whole[1:], (1, 1, 6)], 2)
    {'gap': True, 'duplicate': True, 'rounds': [6, 7]}

    Raises:
        ValueError: a row that no job wrote.
    """
    found = list(rows)
    ids = {number for number, _, _ in found}
    for row in found:
        if not 0 <= row[0] < days * ROWS or row[1] != row[0] % days:
            message = f"no job wrote the row {row}"
            raise ValueError(message)
    return {
        "gap": len(ids) < days * ROWS,
        "duplicate": len(found) > len(ids),
        "rounds": sorted({number for _, _, number in found}),
    }
