"""Opens Parquet files for pyarrow with the table's spelling of their columns.

They are those whose columns may not be as the table's. A file of which nothing is recorded is also
checked here for types that pyarrow filters wrongly.
"""

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import pyarrow as pa
from pyarrow import fs
from pyarrow import parquet as pq

from repave._snapshot.column_kinds import kinds_of, may_lose_rows, refuse_columns
from repave._snapshot.parquet_names import columns_of, footer_bytes, renamed
from repave._snapshot.process_end import lent
from repave._snapshot.spelling import other_names

# ruff: noqa: ANN401 - pyarrow has no types

# As much as pyarrow reads first.
TAIL_BYTES: Final = 64 << 10


class Respelled(fs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """Opens each file when it is scanned, not before.

    pyarrow finds columns by their exact names, so it is shown a footer with the table's names.
    """

    def __init__(self, filesystem: Any) -> None:
        """Take where the files are; the table's own columns, `schema`, are set later."""
        self._filesystem = filesystem
        self.schema: Any = ()

    def open_input_file(self, path: str) -> Any:
        """Return the file, or one that has the table's names in its footer."""
        source = self._filesystem.open_input_file(path)
        # Without a request: pyarrow asks for it when it opens a file.
        size = source.size()
        end = _read(source, size, min(size, TAIL_BYTES))
        tail = end.to_pybytes()
        length = footer_bytes(tail)
        if length is not None and len(end) < length <= size:
            end = _read(source, size, length)
            tail = end.to_pybytes()
        if length is not None and length <= len(end) and may_lose_rows(self.schema):
            refuse_columns(self.schema, kinds_of(pq.read_schema(pa.BufferReader(end))), path)
        names = self._names(path, tail, length)
        if not names:
            return pa.BufferReader(end) if len(end) == size else source
        assert length is not None  # noqa: S101 - there is no name without it
        start = len(tail) - length
        tail = tail[:start] + renamed(tail[start:-8], names)
        if start == size - length:
            return pa.BufferReader(_native(tail))
        spliced = _Spliced(source, size - length - start, _native(tail))
        return pa.PythonFile(lent(spliced), mode="r")

    def _names(self, path: str, tail: bytes, length: int | None) -> Mapping[tuple[int, int], str]:
        if length is None or length > len(tail):
            return {}
        root = columns_of(tail[-length:-8])
        return {} if root is None else other_names(root, self.schema, f"s3://{path}")

    def get_type_name(self) -> str:
        return "repave-respelled"

    def normalize_path(self, path: str) -> str:
        return path

    def open_input_stream(self, path: str) -> Any:
        return self.open_input_file(path)

    def get_file_info(self, paths: list[str]) -> Any:
        return self._filesystem.get_file_info(paths)

    def get_file_info_selector(self, selector: Any) -> Any:
        return self._filesystem.get_file_info(selector)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        message = "The files of a version are only read."
        raise NotImplementedError(message)

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = _refuse
    delete_file = move = copy_file = open_output_stream = open_append_stream = _refuse


class _Spliced:
    """A file with another end. pyarrow calls one method after the other."""

    closed = False

    def __init__(self, source: Any, cut: int, end: Any) -> None:
        self._source = source
        self._cut = cut
        self._end = end
        self._at = 0

    def read_buffer(self, size: int = -1) -> Any:
        """Return Arrow's own memory; pyarrow prefers this method to `read`."""
        last = self._cut + len(self._end)
        until = last if size < 0 else min(self._at + size, last)
        parts = []
        if self._at < min(until, self._cut):
            self._source.seek(self._at)
            parts.append(self._source.read_buffer(min(until, self._cut) - self._at))
        if until > self._cut:
            after = max(self._at - self._cut, 0)
            parts.append(self._end.slice(after, max(until - self._cut - after, 0)))
        self._at = max(self._at, until)
        return lent(parts[0] if len(parts) == 1 else _native(*parts))

    def read(self, size: int = -1) -> bytes:
        found: bytes = self.read_buffer(size).to_pybytes()
        return found

    def seek(self, to: int, whence: int = 0) -> int:
        self._at = to + (0, self._at, self._cut + len(self._end))[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True
        self._source.close()


def _read(source: Any, size: int, count: int) -> Any:
    """Return the last bytes of a file, in Arrow's own memory."""
    source.seek(size - count)
    return source.read_buffer(count)


def _native(*parts: Any) -> Any:
    """Return bytes in Arrow's own memory, which its threads release without Python's lock."""
    whole = pa.BufferOutputStream()
    for part in parts:
        whole.write(part)
    return whole.getvalue()
