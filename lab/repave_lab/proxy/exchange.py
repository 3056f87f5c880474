"""One S3 request on its way through the proxy, and its answer on the way back."""

import asyncio
import html
import re
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import unquote

from repave_lab.proxy.answers import s3_error
from repave_lab.proxy.faults import DELAYS
from repave_lab.proxy.framing import Head
from repave_lab.proxy.journal import Entry
from repave_lab.proxy.operations import Operation
from repave_lab.proxy.remembered import REMEMBERED
from repave_lab.proxy.sizes import payload_size
from repave_lab.proxy.stage import Stage
from repave_lab.proxy.upstream import ServerLeftError, Upstream
from repave_lab.proxy.verdict import Verdict, decide

JOINED_BYTES: Final = 64 * 1024
"""Pieces of an answer below this size go out in one write."""
TICK_SECONDS: Final = 0.0005
"""Timers are no finer: what is due within a tick goes out at once."""
STATUS_CUT: Final = b"HTTP/1.1 20"
KEYS = re.compile(rb"<Key>(.*?)</Key>", re.DOTALL)


class Client(Protocol):
    """The connection that the request came by."""

    async def send(self, data: bytes) -> None: ...

    async def left(self) -> None:
        """Return when the client has closed the connection."""

    def is_gone(self) -> bool: ...

    def reset(self) -> None: ...

    def close(self) -> None: ...

    async def upstream(self) -> Upstream: ...


class Exchange:
    """Sees one request through and writes its line in the journal, before its last byte goes out.

    It does not look whether the client is still there: what S3 has got it may apply, however late.
    """

    def __init__(self, stage: Stage, client: Client, method: str, operation: Operation) -> None:
        self._stage = stage
        self._client = client
        self._method = method
        self._operation = operation
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._released = stage.released
        self._is_recorded = False
        self._quoted = ""
        self._entry = Entry(time.time(), operation.name, operation.bucket, operation.key)

    async def run(self, head: Head, body: AsyncIterator[bytes]) -> None:
        self._stage.in_flight += 1
        try:
            await self._run(head, body)
        except ServerLeftError:
            self._record(None, "server left")
            self._client.reset()
        except (OSError, EOFError):
            if not self._is_recorded:  # else it left before its answer was through
                self._record(None, "client left")
            raise

    async def _run(self, head: Head, body: AsyncIterator[bytes]) -> None:
        self._describe(head)
        keys = [self._entry.key]
        if self._entry.op == "DeleteObjects":
            whole = b"".join([piece async for piece in self._counted(body)])
            found = KEYS.findall(whole)
            keys = [html.unescape(key.decode("utf-8", "replace")) for key in found]
            self._entry.keys = keys
            body = _once(whole)
        else:
            body = self._counted(body)
        verdict = decide(self._stage, self._entry, keys, self._started)
        self._quoted = _quoted(head, verdict.action.quotes)
        if verdict.action.is_applied:
            await self._apply(verdict, head, body)
        elif verdict.action.answer == "reset":
            self._break_off()
        else:
            async for _ in body:
                pass
            await self._answer_instead(verdict)

    def _describe(self, head: Head) -> None:
        entry = self._entry
        entry.upload = self._operation.query.get("uploadId")
        if entry.op in ("PutObject", "UploadPart"):
            entry.stored = payload_size(head)
        elif entry.op in ("CopyObject", "UploadPartCopy"):
            source = (head.header(b"x-amz-copy-source") or b"").decode("latin-1")
            entry.source = unquote(source.partition("?")[0]).lstrip("/")
            entry.copied = self._stage.sizes.copied_by(head, entry.source)

    async def _counted(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in body:
            self._entry.bytes_in += len(piece)
            yield piece

    async def _apply(self, verdict: Verdict, head: Head, body: AsyncIterator[bytes]) -> None:
        if verdict.forward_at > self._started:
            # The whole request is here before it waits, so that it lands without its client too.
            body = _once(b"".join([piece async for piece in body]))
            await self._until(verdict.forward_at)
        forwarded = self._loop.time()
        remembered = self._stage.remembered if self._entry.op == REMEMBERED else None
        kept = remembered.get(head) if remembered else None
        upstream = kept or await self._client.upstream()
        try:
            await upstream.send(head.raw)
            async for piece in body:
                await upstream.send(piece)
            answer, status = await upstream.answer()
            self._entry.server_status = status
            self._note_size(answer, status)
            pieces = upstream.body(answer, status, self._method)
            if remembered and not kept and status == HTTPStatus.OK:
                pieces = remembered.keep(head, answer, pieces)
            if verdict.action.answer == "own":
                await self._hand_on(verdict, answer, pieces, forwarded)
            else:
                whole = b"".join([piece async for piece in pieces])
                self._entry.server_ms = self._ms_since(forwarded)
                await self._answer_instead(verdict, answer.raw, whole)
        except BaseException:
            upstream.close()  # in the middle of a request or an answer: of no more use
            raise
        if not upstream.is_usable():
            self._client.close()

    async def _hand_on(
        self, verdict: Verdict, answer: Head, pieces: AsyncIterator[bytes], forwarded: float
    ) -> None:
        ready = answer.raw
        rate = verdict.bytes_per_second
        async for piece in pieces:
            if len(ready) + len(piece) <= JOINED_BYTES:
                ready += piece
            else:
                await self._until(verdict.answer_at + (self._entry.bytes_out / rate if rate else 0))
                await self._client.send(ready)
                ready = piece
            self._entry.bytes_out += len(piece)
        self._entry.server_ms = self._ms_since(forwarded)
        await self._until(verdict.answer_at + (self._entry.bytes_out / rate if rate else 0))
        self._record(self._entry.server_status, self._entry.fault)
        await self._client.send(ready)

    async def _answer_instead(
        self, verdict: Verdict, answer: bytes = b"", body: bytes = b""
    ) -> None:
        """Do to the client what the fault says, now that the server is done or never asked."""
        action = verdict.action
        await self._until(verdict.answer_at)
        if action.answer == "error":
            self._record(action.status, self._entry.fault)
            error = s3_error(action.status, action.code, self._method, self._quoted)
            await self._client.send(error)
        elif action.answer == "none":
            self._record(None, self._entry.fault)
            await self._client.left()
        elif action.answer == "half":
            self._record(self._entry.server_status, self._entry.fault)
            # Clients take a head without its end for whole; a status line of two digits none does.
            await self._client.send(answer + body[: len(body) // 2] if body else STATUS_CUT)
            self._client.close()
        else:
            self._break_off()

    def _break_off(self) -> None:
        self._record(None, self._entry.fault)
        self._client.reset()

    def _note_size(self, answer: Head, status: int) -> None:
        if status < 300:  # noqa: PLR2004 - it was applied
            entry = self._entry
            shown = answer.content_length() if entry.op == "HeadObject" else None
            size = next((n for n in (entry.copied, entry.stored, shown) if n is not None), None)
            self._stage.sizes.note(self._operation, size)

    def _record(self, status: int | None, fault: str | None) -> None:
        entry = self._entry
        self._is_recorded = True
        entry.status, entry.fault = status, fault
        if status is not None and self._client.is_gone():
            entry.status, entry.fault = None, fault or "client left"
        entry.ms = self._ms_since(self._started)
        self._stage.journal.add(entry)
        self._stage.in_flight -= 1

    def _ms_since(self, start: float) -> float:
        return round((self._loop.time() - start) * 1000, 3)

    async def _until(self, moment: float) -> None:
        left = moment - self._loop.time()
        if left <= TICK_SECONDS:
            return
        if self._entry.fault in DELAYS:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._released.wait(), left)
        else:
            await asyncio.sleep(left)


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


def _quoted(head: Head, header: str) -> str:
    value = head.header(header.lower().encode()) if header else None
    return "" if value is None else f", {header}: {value.decode('latin-1')}"
