"""HTTP bodies end where they say, wherever the bytes are cut."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repave_lab.proxy.framing import Head, answer_body, has_open_end, read_head, request_body

HEAD = b"PUT /bkt/k HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-Odd:  a b \r\n\r\n"
CHUNKED = b"PUT /bkt/k HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n"
CHUNKS = b"4;chunk-signature=ab\r\nWiki\r\n0\r\nx-amz-checksum-crc32:AAAA\r\nx: y\r\n\r\n"


async def read_in_steps(
    data: bytes, step: int, body_of: Callable[[asyncio.StreamReader, Head], AsyncIterator[bytes]]
) -> tuple[Head, bytes, bytes]:
    reader = asyncio.StreamReader()

    async def feed() -> None:
        for at in range(0, len(data), step):
            reader.feed_data(data[at : at + step])
            await asyncio.sleep(0)
        reader.feed_eof()

    feeding = asyncio.create_task(feed())
    head = await read_head(reader)
    body = b"".join([piece async for piece in body_of(reader, head)])
    await feeding
    return head, body, await reader.read()


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_a_body_of_known_length_ends_there(step: int) -> None:
    head, body, rest = asyncio.run(read_in_steps(HEAD + b"12345NEXT", step, request_body))
    assert (head.raw, body, rest) == (HEAD, b"12345", b"NEXT")


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_a_chunked_body_keeps_its_framing_and_trailers(step: int) -> None:
    _, body, rest = asyncio.run(read_in_steps(CHUNKED + CHUNKS + b"NEXT", step, request_body))
    assert (body, rest) == (CHUNKS, b"NEXT")


def test_a_body_that_breaks_off_is_an_error() -> None:
    with pytest.raises(EOFError):
        asyncio.run(read_in_steps(HEAD + b"123", 2, request_body))


def test_headers_are_found_whatever_their_case() -> None:
    head = Head(HEAD)
    assert head.header(b"x-odd") == b"a b"
    assert head.content_length() == 5
    assert head.header(b"length") is None


@pytest.mark.parametrize(
    ("head", "status", "method", "is_open"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", 200, "GET", True),
        (b"HTTP/1.1 200 OK\r\n\r\n", 200, "HEAD", False),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, "DELETE", False),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", 304, "GET", False),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, "GET", False),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", 200, "GET", False),
    ],
)
def test_only_an_answer_without_length_lasts_until_the_end(
    head: bytes, status: int, method: str, *, is_open: bool
) -> None:
    assert has_open_end(Head(head), status, method) is is_open


def test_an_answer_to_head_has_no_body_whatever_length_it_tells() -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"
    read = read_in_steps(answer + b"NEXT", 5, lambda r, h: answer_body(r, h, 200, "HEAD"))
    _, body, rest = asyncio.run(read)
    assert (body, rest) == (b"", b"NEXT")


@settings(deadline=None)  # other work on the machine may stop it for a while
@given(
    chunks=st.lists(st.binary(min_size=1, max_size=300), max_size=8),
    trailers=st.lists(st.sampled_from([b"x-amz-checksum-crc32:AAAA", b"x: y"]), max_size=2),
    rest=st.binary(max_size=20),
    step=st.integers(min_value=1, max_value=400),
)
def test_any_chunked_body_ends_where_it_ends(
    chunks: list[bytes], trailers: list[bytes], rest: bytes, step: int
) -> None:
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    framed += b"0\r\n" + b"".join(trailer + b"\r\n" for trailer in trailers) + b"\r\n"
    read = read_in_steps(CHUNKED + framed + rest, step, request_body)
    assert asyncio.run(read)[1:] == (framed, rest)
