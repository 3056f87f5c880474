"""A client's connection: its requests one after the other, as HTTP/1.1 keeps them."""

import asyncio
import contextlib
import socket
import struct

from repave_lab.proxy.answers import CONTINUE, refusal
from repave_lab.proxy.control import CONTROL_PATH, Control
from repave_lab.proxy.exchange import Exchange
from repave_lab.proxy.framing import Head, read_head, request_body
from repave_lab.proxy.operations import classify
from repave_lab.proxy.stage import Stage
from repave_lab.proxy.upstream import Upstream


class Connection:
    """Reads requests and hands each to an exchange, or to the proxy's control."""

    def __init__(
        self, stage: Stage, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._stage = stage
        self._reader = reader
        self._writer = writer
        self._upstream: Upstream | None = None
        self._closes = False

    async def serve(self) -> None:
        # The client leaves between two requests, or in one: its exchange has noted that.
        with contextlib.suppress(OSError, EOFError):
            try:
                while not self._closes and not self._writer.is_closing():
                    await self._serve_one(await read_head(self._reader))
            except (ValueError, asyncio.LimitOverrunError) as error:
                await self.send(refusal(f"This is not HTTP/1.1: {error}"))
            finally:
                self._writer.close()
                if self._upstream is not None:
                    self._upstream.close()

    async def _serve_one(self, head: Head) -> None:
        method, target, _version = head.line.decode("latin-1").split(" ", 2)
        if head.says(b"expect", b"100-continue"):
            await self.send(CONTINUE)
        body = request_body(self._reader, head)
        if target.startswith(CONTROL_PATH):
            whole = b"".join([piece async for piece in body])
            await self.send(Control(self._stage).answer(method, target, whole))
            return
        has_source = head.header(b"x-amz-copy-source") is not None
        operation = classify(method, target, has_copy_source=has_source)
        await Exchange(self._stage, self, method, operation).run(head, body)

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def left(self) -> None:
        """Return when the client has closed the connection."""
        while await self._reader.read(4096):
            pass
        self._closes = True

    def is_gone(self) -> bool:
        return self._reader.at_eof() or self._writer.is_closing()

    def reset(self) -> None:
        """Break the connection so that the client sees a reset, not an end."""
        self._closes = True
        with contextlib.suppress(OSError):
            at_once = struct.pack("ii", 1, 0)
            connection = self._writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self._writer.transport.abort()

    def close(self) -> None:
        """Close the connection when what was sent has gone out."""
        self._closes = True

    async def upstream(self) -> Upstream:
        """Return a connection to the server that carries nothing else."""
        if self._upstream is None or not self._upstream.is_usable():
            self._upstream = await Upstream.connect(self._stage.host, self._stage.port)
        return self._upstream
