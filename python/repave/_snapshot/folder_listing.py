"""Lists a table's folder in parallel, beside the records that tell where it can be divided."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice, pairwise
from typing import Any, Final, Protocol

from repave._bucket import LAST_CHARACTER
from repave._location import Location
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order

RECORDS: Final = "_repave/"
# A little less than a page of a listing, so that a few other files need no page of their own.
KEYS_OF_A_PART: Final = 990
KEYS_TO_THE_FIRST: Final = 900
# So many parts at the most are asked for before all records are read.
PARTS_AHEAD: Final = 64

Part = tuple[str, str]


class Keys(Protocol):
    """Lists a folder."""

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterable[str]:
        """Yield the keys below a folder, relative to it, except those that begin with `skipped`.

        Only those after one key, up to another.
        """


class FolderListing:
    """The keys in a table's folder, without those of its records: 1 LIST for about a thousand.

    The first page is asked for at once, because most tables are small. A large record names files
    from which the borders of more pages follow; these are asked for while its files are read.
    """

    def __init__(self, store: Keys, table: Location) -> None:
        """Begin. The version whose files are compared must be known."""
        self.table = table
        self._store = store
        self._pool = ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-list")
        self._ahead: list[tuple[Part, Future[list[str]]]] = []
        self._first = self._pool.submit(self._first_page)

    def close(self) -> None:
        """Forget what was not sent yet, and wait for the rest."""
        self._pool.shutdown(cancel_futures=True)

    def expect(self, partitions: list[dict[str, Any]], files: str) -> None:
        """Hear of a record's partitions, whose member `files` names live files, as a rule.

        Nothing in it has to be true: any borders divide the listing.
        """
        borders = _borders(partitions, files)
        if len(borders) > 1 and borders[0] >= self._asked_until():
            self._ask(list(pairwise(borders)))

    def keys(self, recorded: AbstractSet[str]) -> Iterator[str]:
        """Yield all keys in order; the recorded files tell where to divide what is left."""
        if self._ahead:
            self._ask(_parts(self._asked_until(), LAST_CHARACTER, recorded))
        first = self._first.result()
        yield from first
        if len(first) < KEYS_OF_A_PART:
            return
        at = first[-1]
        for (after, until), listed in self._ahead:
            yield from self._between(at, after, recorded)
            at = max(at, after)
            yield from (key for key in listed.result() if key > at)
            at = max(at, until)
        yield from self._between(at, LAST_CHARACTER, recorded)

    def _asked_until(self) -> str:
        return self._ahead[-1][0][1] if self._ahead else ""

    def _ask(self, parts: list[Part]) -> None:
        for part in parts[: PARTS_AHEAD - len(self._ahead)]:
            self._ahead.append((part, self._pool.submit(self._part, part)))

    def _first_page(self) -> list[str]:
        """Return the first keys: 1 LIST, or 2 if the table's records are among them."""
        return list(
            islice(self._store.keys(self.table, RECORDS, "", LAST_CHARACTER), KEYS_OF_A_PART)
        )

    def _part(self, part: Part) -> list[str]:
        return list(self._store.keys(self.table, RECORDS, *part))

    def _between(self, after: str, until: str, recorded: AbstractSet[str]) -> Iterator[str]:
        if after < until:
            for _, keys in in_order(self._pool, self._part, _parts(after, until, recorded)):
                yield from keys


def _parts(after: str, until: str, recorded: AbstractSet[str]) -> list[Part]:
    known = sorted(key for key in recorded if after < key < until)
    borders = known[KEYS_OF_A_PART::KEYS_OF_A_PART]
    return list(zip([after, *borders], [*borders, until], strict=True))


def _borders(partitions: list[dict[str, Any]], files: str) -> list[str]:
    """Return about every thousandth file that a record names, in order.

    The first one comes earlier, so that the first page reaches it with a few other files.

    >>> days = [{"partition": f"day={n}", "in": [{"name": "a"}, {"name": "b"}]} for n in range(999)]
    >>> _borders(days, "in")
    ['day=449/b', 'day=944/b']
    """
    borders = []
    count = KEYS_OF_A_PART - KEYS_TO_THE_FIRST
    for one in partitions:
        named = one.get(files, ())
        count += len(named)
        if count >= KEYS_OF_A_PART:
            count = 0
            key = (
                f"{one['partition']}/{named[-1]['name']}" if one["partition"] else named[-1]["name"]
            )
            if not key.startswith(OUTSIDE) and _is_text(key):
                borders.append(key)
    return sorted(borders)


def _is_text(key: str) -> bool:
    """Return whether a key can be sent. A bad one is refused where the files are read."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True
