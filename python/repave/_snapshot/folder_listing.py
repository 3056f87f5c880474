"""Lists a table's folder in parallel; the records tell where it can be divided."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Final, Protocol

from repave._bucket import LAST_CHARACTER
from repave._location import RECORDS, Location
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order

RECORDS_PREFIX: Final = f"{RECORDS}/"
# A little less than a page of a listing, so that a few other files need no page of their own.
KEYS_OF_A_PART: Final = 990

Part = tuple[str, str]


class Keys(Protocol):
    """Lists a folder."""

    def keys(self, folder: Location, skipped: str, after: str, until: str) -> Iterable[str]:
        """Yield the keys below a folder, relative to it, except those that begin with `skipped`.

        Only those after one key, up to another.
        """


class FolderListing:
    """The keys in a table's folder, without those of its records: 1 LIST for about a thousand.

    The first page is asked for at once, while the records are read. Most tables are small.
    """

    def __init__(self, store: Keys, table: Location) -> None:
        """Begin. The version whose files are compared must be known."""
        self.table = table
        self._store = store
        self._pool = ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-list")
        self._first = self._pool.submit(self._first_page)

    def close(self) -> None:
        """Forget what was not sent yet, and wait for the rest."""
        self._pool.shutdown(cancel_futures=True)

    def parts(self, recorded: AbstractSet[str]) -> Iterator[list[str]]:
        """Yield all keys in order; the recorded files tell where the listing is divided."""
        borders = sorted(recorded)[KEYS_OF_A_PART - 1 :: KEYS_OF_A_PART]
        parts = zip(["", *borders], [*borders, LAST_CHARACTER], strict=True)
        return (keys for _, keys in in_order(self._pool, self._part, parts))

    def _first_page(self) -> list[str]:
        """Return the first keys: 1 LIST, or 2 if the table's records are among them."""
        keys = self._store.keys(self.table, RECORDS_PREFIX, "", LAST_CHARACTER)
        return list(islice(keys, KEYS_OF_A_PART))

    def _part(self, part: Part) -> list[str]:
        after, until = part
        known: list[str] = []
        if not after:
            first = self._first.result()
            known = [key for key in first if key <= until]
            if len(known) < len(first) or len(first) < KEYS_OF_A_PART or first[-1] == until:
                return known
            after = first[-1]
        return known + list(self._store.keys(self.table, RECORDS_PREFIX, after, until))
