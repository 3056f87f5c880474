"""The proxy's connection to the server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from repave_lab.proxy.framing import HEAD_LIMIT_BYTES, Head, answer_body, has_open_end, read_head


class ServerLeftError(ConnectionError):
    """The server refused or closed the connection before its answer was whole."""


class Upstream:
    """Carries one request at a time. Each client's connection has its own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._closes = False

    @staticmethod
    async def connect(host: str, port: int) -> "Upstream":
        with _server_errors():
            return Upstream(*await asyncio.open_connection(host, port, limit=HEAD_LIMIT_BYTES))

    def is_usable(self) -> bool:
        return not (self._closes or self._writer.is_closing() or self._reader.at_eof())

    async def send(self, data: bytes) -> None:
        with _server_errors():
            self._writer.write(data)
            await self._writer.drain()

    async def answer(self) -> tuple[Head, int]:
        """Return the answer's head and status; interim answers are the proxy's own business."""
        with _server_errors():
            while True:
                head = await read_head(self._reader)
                status = int(head.line.split(b" ", 2)[1])
                if status >= 200:  # noqa: PLR2004 - 1xx announces an answer
                    break
        self._closes = head.says(b"connection", b"close")
        return head, status

    async def body(self, head: Head, status: int, method: str) -> AsyncIterator[bytes]:
        self._closes = self._closes or has_open_end(head, status, method)
        with _server_errors():
            async for piece in answer_body(self._reader, head, status, method):
                yield piece

    def close(self) -> None:
        self._closes = True
        self._writer.transport.abort()


@contextlib.contextmanager
def _server_errors() -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, asyncio.LimitOverrunError) as error:
        message = "the server left before its answer was whole"
        raise ServerLeftError(message) from error
