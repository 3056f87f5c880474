"""Answers to listings, kept so that the server does not have to compute them again.

An embedded server computes one page after the other; S3 computes them in parallel. A proxy
that remembers pages answers like S3 there, while nothing writes to the server.
"""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

from repave_lab.proxy.framing import Head

REMEMBERED: Final = "ListObjectsV2"


class Answer:
    """One answer, in the place of the server's connection."""

    def __init__(self, head: Head, body: bytes) -> None:
        self._head = head
        self._body = body

    def is_usable(self) -> bool:
        return True

    async def send(self, data: bytes) -> None:
        """Take the request; nobody has to see it."""

    async def answer(self) -> tuple[Head, int]:
        return self._head, HTTPStatus.OK

    async def body(self, head: Head, status: int, method: str) -> AsyncIterator[bytes]:
        del head, status, method
        yield self._body

    def close(self) -> None:
        """There is no connection to close."""


class Remembered:
    """Answers by the first line of their request, which names the bucket, the prefix and the page.

    A listing has no other input. The most that is kept is what one measurement lists.
    """

    def __init__(self) -> None:
        self._answers: dict[bytes, Answer] = {}

    def get(self, request: Head) -> Answer | None:
        return self._answers.get(request.line)

    async def keep(
        self, request: Head, answer: Head, pieces: AsyncIterator[bytes]
    ) -> AsyncIterator[bytes]:
        whole = b""
        async for piece in pieces:
            whole += piece
            yield piece
        self._answers[request.line] = Answer(answer, whole)
