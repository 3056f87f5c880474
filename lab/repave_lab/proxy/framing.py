"""HTTP/1.1 heads and bodies, passed on byte for byte."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

PIECE_BYTES: Final = 256 * 1024
HEAD_LIMIT_BYTES: Final = 256 * 1024
"""A longer head is refused: the sender does not speak HTTP."""


class Head:
    """A start line and its header lines, with their exact bytes."""

    __slots__ = ("_lower", "line", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.line = raw[: raw.index(b"\r\n")]
        # Searching is cheaper than splitting: of some twenty headers three or four are read.
        self._lower = raw.lower()

    def header(self, name: bytes) -> bytes | None:
        """Return the header's value; the name is given in lower case."""
        at = self._lower.find(b"\r\n" + name + b":")
        if at < 0:
            return None
        start = at + len(name) + 3
        return self.raw[start : self.raw.index(b"\r\n", start)].strip()

    def says(self, name: bytes, value: bytes) -> bool:
        """Whether the header has this value, given in lower case."""
        found = self.header(name)
        return found is not None and found.lower() == value

    def is_chunked(self) -> bool:
        return self.says(b"transfer-encoding", b"chunked")

    def content_length(self) -> int | None:
        value = self.header(b"content-length")
        return None if value is None else int(value)


async def read_head(reader: asyncio.StreamReader) -> Head:
    return Head(await reader.readuntil(b"\r\n\r\n"))


def request_body(reader: asyncio.StreamReader, head: Head) -> AsyncIterator[bytes]:
    if head.is_chunked():
        return _chunks(reader)
    return _sized(reader, head.content_length() or 0)


def has_open_end(head: Head, status: int, method: str) -> bool:
    """Whether only the end of the connection ends this answer's body."""
    has_body = method != "HEAD" and status not in (204, 304)
    return has_body and not head.is_chunked() and head.content_length() is None


def answer_body(
    reader: asyncio.StreamReader, head: Head, status: int, method: str
) -> AsyncIterator[bytes]:
    if has_open_end(head, status, method):
        return _rest(reader)
    if method == "HEAD" or status in (204, 304):
        return _sized(reader, 0)
    return request_body(reader, head)


async def _sized(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    left = size
    while left:
        piece = await reader.read(min(left, PIECE_BYTES))
        if not piece:
            raise asyncio.IncompleteReadError(piece, left)
        left -= len(piece)
        yield piece


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Pass the framing on too: chunk signatures and trailers stay what they are."""
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.partition(b";")[0], 16)
        if size == 0:
            break
        yield line
        async for piece in _sized(reader, size + 2):
            yield piece
    yield line
    while line != b"\r\n":
        line = await reader.readuntil(b"\r\n")
        yield line


async def _rest(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await reader.read(PIECE_BYTES):
        yield piece
