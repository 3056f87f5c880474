"""Opens a record: unpacks it, proves its checksum, refuses what is damaged, foreign or too new."""

import hashlib
import json
import zlib
from typing import Any, Final

from repave._errors import RecordRefusedError

FORMAT: Final = 1
BYTES_MAX: Final = 64 << 20
GZIP_MAGIC: Final = b"\x1f"
CHECKSUM: Final = b',"checksum":"'
TAIL_BYTES: Final = len(CHECKSUM) + 64 + len(b'"}')


def open_record(content: bytes, record: str, where: str) -> dict[str, Any]:
    """Return the members of a record.

    Args:
        content: its bytes as they are stored.
        record: the type that it must have, say "head".
        where: its URI, for messages.

    Raises:
        RecordRefusedError: it must not be read; the message says why.
    """
    sealed = _unpacked(content, where)
    body, tail = sealed[:-TAIL_BYTES], sealed[-TAIL_BYTES:]
    expected = CHECKSUM + hashlib.sha256(body + b"}").hexdigest().encode() + b'"}'
    if not body or tail != expected:
        raise _refused(where, "is damaged: its checksum does not fit its content; restore it")
    try:
        members = json.loads(sealed, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _refused(where, "is not the JSON that Repave writes") from None
    found = members.get("format") if isinstance(members, dict) else None
    if not isinstance(found, int) or found < 1 or members.get("record") != record:
        raise _refused(where, f"is not of the type {record}")
    if found > FORMAT:
        raise _refused(
            where, f"has format {found}, this version reads {FORMAT}: use a newer Repave"
        )
    return dict(members)


def _unpacked(content: bytes, where: str) -> bytes:
    if not content.startswith(GZIP_MAGIC):
        return content
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(content, BYTES_MAX + 1)
    except zlib.error:
        raise _refused(where, "cannot be unpacked") from None
    if len(unpacked) > BYTES_MAX:
        raise _refused(where, "unpacks to more than 64 MiB")
    return unpacked


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        message = "a member stands twice"
        raise ValueError(message)
    return members


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _refused(where: str, why: str) -> RecordRefusedError:
    return RecordRefusedError(f"The record {where} {why}. Nothing was changed.")
