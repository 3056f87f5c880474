"""Finds the tables below a prefix without listing their files.

A folder with `_repave/head.json` is a table: one GET. Tables are not searched, so
their files are never listed. Other folders are listed with a delimiter, which skips what is inside
of their subfolders. The folders of one partition column and Spark's data files sort together, so
one jump (`StartAfter`) skips all of them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Final

from repave._bucket import BucketObjects
from repave._errors import InvalidRecordError, RepaveError
from repave._hidden import is_hidden
from repave._location import RECORDS, Location, is_partition_folder
from repave._read import TableRecords
from repave._store_errors import is_denied, is_unreadable, is_web_page, store_errors

WORKERS: Final = 8
DATA_FILE: Final = re.compile(r"part-\d")
# The character after `=`, and the one after the digits: the first names beyond such a family.
AFTER_EQUALS: Final = ">"
AFTER_DIGITS: Final = ":"


class CountedObjects:
    """Reads objects and counts the requests."""

    def __init__(self, objects: BucketObjects) -> None:
        self._objects = objects
        self._lock = Lock()
        self.gets = 0

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        """Return an object's content, None if there is none."""
        with self._lock:
            self.gets += 1
        return self._objects.read(location, bytes_max)


class TableWalk:
    """One walk over all folders below a place; holds one page of names for each level."""

    def __init__(self, s3: Any, below: Location) -> None:  # noqa: ANN401 - boto3 has no types
        self._s3 = s3
        self._below = below
        self._objects = CountedObjects(BucketObjects(s3))
        self._lists = 0

    @property
    def requests(self) -> Counter[str]:
        """The requests so far, by kind."""
        return Counter(get=self._objects.gets, list=self._lists)

    def tables(self) -> Iterator[tuple[Location, dict[str, Any] | RepaveError]]:
        """Yield every table with its overview, or with the error of its unreadable head.

        A folder that the credentials may not read is yielded with that error: it may be a table,
        and those after it are found all the same. So is one for which a proxy answers a web page,
        one whose head is archived or encrypted by a KMS key that cannot be used, and one that has
        records and no head.

        Raises:
            RepaveError: that folder is the one to search, or S3 did not answer.
        """
        with ThreadPoolExecutor(WORKERS) as pool:
            name = self._below.key.rpartition("/")[2]
            yield from self._visit([] if is_partition_folder(name) else [self._below], pool)
            if is_partition_folder(name):
                yield from self._inside(self._below, pool)

    def enclosing(self) -> Location | None:
        """Return the table around the place."""
        return TableRecords(self._objects, self._below).enclosing()

    def _visit(
        self, folders: list[Location], pool: ThreadPoolExecutor
    ) -> Iterator[tuple[Location, dict[str, Any] | RepaveError]]:
        for folder, found in zip(folders, pool.map(self._overview, folders), strict=True):
            if found is not None:
                yield folder, found
            else:
                yield from self._inside(folder, pool)

    def _inside(
        self, folder: Location, pool: ThreadPoolExecutor
    ) -> Iterator[tuple[Location, dict[str, Any] | RepaveError]]:
        try:
            yield from self._searched(folder, pool)
        except RepaveError as error:
            yield folder, self._skippable(folder, error)

    def _searched(
        self, folder: Location, pool: ThreadPoolExecutor
    ) -> Iterator[tuple[Location, dict[str, Any] | RepaveError]]:
        for names in self._pages(folder):
            if RECORDS in names:
                names.remove(RECORDS)
                # No table is in a partition's folder: what is there belongs to the one above.
                if not is_partition_folder(folder.key.rpartition("/")[2]):
                    yield folder, head_is_missing()
            plain = [folder.under(name) for name in names if not is_partition_folder(name)]
            yield from self._visit(plain, pool)
            # A folder such as region=eu is not a table, but may hold some.
            for name in names:
                if is_partition_folder(name):
                    yield from self._inside(folder.under(name), pool)

    def _overview(self, folder: Location) -> dict[str, Any] | RepaveError | None:
        try:
            return TableRecords(self._objects, folder).overview()
        except InvalidRecordError as error:
            return error
        except RepaveError as error:
            return self._skippable(folder, error)

    def _skippable(self, folder: Location, error: RepaveError) -> RepaveError:
        """Return an error that concerns one folder of many; raise any other."""
        concerns_one = is_denied(error) or is_web_page(error) or is_unreadable(error)
        if folder == self._below or not concerns_one:
            raise error
        return error

    def _pages(self, folder: Location) -> Iterator[list[str]]:
        """Yield the names of the subfolders that may hold tables or records, page by page."""
        searched: dict[str, bool] = {}
        prefix = folder.prefix
        request: dict[str, str] = {}
        while True:
            page = self._list(folder, **request)
            names = []
            for name in _folders(page, prefix):
                column = name.partition("=")[0]
                if is_partition_folder(name) and column not in searched:
                    searched[column] = self._holds_folders(folder.under(name))
                shown = name == RECORDS or not is_hidden(name)
                if searched.get(column, True) if is_partition_folder(name) else shown:
                    names.append(name)
            yield names
            if not page.get("IsTruncated"):
                return
            beyond = _jump(_last(page)[len(prefix) :], searched)
            if beyond:
                request = {"StartAfter": prefix + beyond}
            else:
                request = {"ContinuationToken": page["NextContinuationToken"]}

    def _holds_folders(self, partition: Location) -> bool:
        """Return whether there are folders below a `column=value` that are not partitions."""
        prefix = f"{partition.key}/"
        deeper = None
        for name in _folders(self._list(partition), prefix):
            if is_partition_folder(name):
                deeper = deeper or name
            elif not is_hidden(name):
                return True
        return deeper is not None and self._holds_folders(partition.under(deeper))

    def _list(self, folder: Location, **more: str) -> dict[str, Any]:
        self._lists += 1
        prefix = folder.prefix
        with store_errors(folder):
            answer: dict[str, Any] = self._s3.list_objects_v2(
                Bucket=folder.bucket, Prefix=prefix, Delimiter="/", **more
            )
        return answer


def head_is_missing() -> InvalidRecordError:
    """Return the error of a folder that has records and no head."""
    return InvalidRecordError(
        "There are records in _repave/, but no head.json. Either the table's first job is running "
        "or has died, or the head was deleted: then stop all jobs of the table, and restore the "
        'newest version of the head (docs/operations.md, "A deleted head").'
    )


def _folders(page: dict[str, Any], prefix: str) -> Iterator[str]:
    for one in page.get("CommonPrefixes", ()):
        name = one["Prefix"][len(prefix) : -1]
        if name:
            yield name


def _last(page: dict[str, Any]) -> str:
    folders = [one["Prefix"] for one in page.get("CommonPrefixes", ())[-1:]]
    files = [one["Key"] for one in page.get("Contents", ())[-1:]]
    # S3 may answer an empty page that is not the last, after many delete markers.
    return str(max(folders + files, key=str.encode, default=""))


def _jump(name: str, searched: dict[str, bool]) -> str | None:
    """Return the name after which to go on, None to go on with the next page.

    >>> _jump("day=2026-11-21/", {"day": False}), _jump("part-00017-a.parquet", {})
    ('day>', 'part-:')
    """
    column = name.partition("=")[0]
    if name.endswith("/") and searched.get(column) is False:
        return column + AFTER_EQUALS
    if not name.endswith("/") and DATA_FILE.match(name):
        return "part-" + AFTER_DIGITS
    return None
