"""Opens a record: unpacks it, checks its checksum, and refuses damaged, foreign or newer ones.

Records are hostile input. The jar refuses the same records with the same messages; tests over
the folder `contract` check both.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from repave._errors import InvalidRecordError
from repave._record_limits import has_too_many_values, is_within_limits
from repave._shapes import COMMIT, NEEDS, SHAPES, Shape

FORMAT: Final = 1
# A head with followers is of format 2.
NEWEST: Final = {"head": 2}
BYTES_MAX: Final = 64 << 20
NUMBER_MAX: Final = 1 << 53
GZIP_MAGIC: Final = b"\x1f"
CHECKSUM: Final = b',"checksum":"'
TAIL_BYTES: Final = len(CHECKSUM) + 64 + len(b'"}')
SHOWN_CHARS: Final = 80

# Refuses a value; the texts are the record and the member's name, for the message.
Check = Callable[[Any, str, str], None]
RESTORE_IT: Final = " Nothing was changed. Restore it from a backup or the bucket's older versions."


def open_record(content: bytes, record: str, where: str) -> dict[str, Any]:
    """Return the members of a record.

    Args:
        content: its bytes as they are stored.
        record: the type that it must have, say "head".
        where: its URI, for messages.

    Raises:
        InvalidRecordError: it cannot be read; the message says why.
    """
    sealed = _unpacked(content, where)
    body, tail = sealed[:-TAIL_BYTES], sealed[-TAIL_BYTES:]
    expected = CHECKSUM + hashlib.sha256(body + b"}").hexdigest().encode() + b'"}'
    if not body or tail != expected:
        raise _invalid(
            where,
            f"is damaged: its checksum does not match its content.{RESTORE_IT}",
        )
    members = _parsed(sealed, where)
    found = members.get("format")
    newest = NEWEST.get(record, FORMAT)
    if type(found) is int and found > newest:
        raise _invalid(
            where,
            f"has format {found}, newer than this version of Repave, which reads formats up to "
            f"{newest}. Nothing was changed; use a newer Repave.",
        )
    if type(found) is not int or found < 1 or members.get("record") != record:
        raise _invalid(where, f"is not of the type '{record}'.{RESTORE_IT}")
    CHECKS[record](members, where, "record")
    return members


def wrong_member(where: str, name: str) -> InvalidRecordError:
    """Return the error for a member that is missing, of another type, or not allowed here."""
    return _invalid(
        where,
        f"has no usable '{name}'. It was not written by Repave, or it is damaged.{RESTORE_IT}",
    )


def _checked(shape: Shape) -> Check:
    """Return a function that refuses a value that does not have the shape.

    A record has thousands of values of one shape, so what to do for it is worked out once.
    """
    if isinstance(shape, dict):
        return _checked_each(shape["*"]) if "*" in shape else _checked_members(shape)
    if isinstance(shape, list):
        return _checked_list(shape[0])
    if isinstance(shape, re.Pattern):
        return _checked_text(shape)

    def check(value: Any, where: str, name: str) -> None:  # noqa: ANN401 - JSON
        if not _fits(value, shape):
            raise wrong_member(where, name)

    return check


def _checked_list(shape: Shape) -> Check:
    inner = _checked(shape)

    def check(value: Any, where: str, name: str) -> None:  # noqa: ANN401 - JSON
        if not isinstance(value, list):
            raise wrong_member(where, name)
        for item in value:
            inner(item, where, name)

    return check


def _checked_each(shape: Shape) -> Check:
    inner = _checked(shape)

    def check(value: Any, where: str, name: str) -> None:  # noqa: ANN401 - JSON
        if not isinstance(value, dict):
            raise wrong_member(where, name)
        for member, one in value.items():
            inner(one, where, member)

    return check


def _checked_members(shape: dict[str, Any]) -> Check:
    members = [
        (member.removesuffix("?"), member.endswith("?"), _checked(inner))
        for member, inner in shape.items()
    ]
    all_optional = all(optional for _, optional, _ in members)

    def check(value: Any, where: str, name: str) -> None:  # noqa: ANN401 - JSON
        if not isinstance(value, dict):
            raise wrong_member(where, name)
        if all_optional and not any(member in value for member, _, _ in members):
            raise wrong_member(where, name)  # It says nothing.
        for member, optional, inner in members:
            if member in value or not optional:
                inner(value.get(member), where, member)
        for member, needed in NEEDS.items():
            missing = [one for one in needed if one not in value] if member in value else ()
            if missing:
                raise wrong_member(where, missing[0])

    return check


def _checked_text(form: re.Pattern[str]) -> Check:
    fits = form.fullmatch

    def check(value: Any, where: str, name: str) -> None:  # noqa: ANN401 - JSON
        if form is COMMIT or not isinstance(value, str) or not fits(value):
            _check_text(value, form, where, name)

    return check


def _fits(value: Any, shape: type | tuple[str, ...]) -> bool:  # noqa: ANN401
    if isinstance(shape, tuple):
        return value in shape
    # A boolean is not a number, although Python treats it as one.
    return type(value) is shape and (type(value) is not int or 0 <= value <= NUMBER_MAX)


def _check_text(value: Any, form: re.Pattern[str], where: str, name: str) -> None:  # noqa: ANN401
    if not isinstance(value, str):
        raise wrong_member(where, name)
    fits = form.fullmatch(value)
    if form is COMMIT:
        if not fits:
            raise _bad_commit(value, "is not a commit id of Repave")
        try:
            datetime.strptime(value[:20], "%Y%m%dT%H%M%S.%fZ")  # noqa: DTZ007 - only a check
        except ValueError:
            raise _bad_commit(value, "has no valid date") from None
    elif not fits:
        raise _invalid(
            where, f"names '{_shown(value)}', which is not a place inside this table.{RESTORE_IT}"
        )


def _parsed(sealed: bytes, where: str) -> dict[str, Any]:
    if has_too_many_values(sealed):
        raise _invalid(where, f"has more values than any record that Repave writes.{RESTORE_IT}")
    try:
        text = sealed.decode()
        members = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _not_json(where) from None
    if not isinstance(members, dict):
        raise _invalid(where, f"is not a JSON object.{RESTORE_IT}")
    if not is_within_limits(sealed, members):
        raise _not_json(where)
    return members


def _unpacked(content: bytes, where: str) -> bytes:
    if not content.startswith(GZIP_MAGIC):
        return content
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(content, BYTES_MAX + 1)
    except zlib.error:
        raise _invalid(where, f"cannot be unpacked.{RESTORE_IT}") from None
    if len(unpacked) > BYTES_MAX:
        raise _invalid(where, f"unpacks to more than 64 MiB.{RESTORE_IT}")
    if not stream.eof:
        raise _invalid(where, f"cannot be unpacked.{RESTORE_IT}")
    return unpacked


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        message = "a member appears twice"
        raise ValueError(message)
    return members


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _bad_commit(value: str, why: str) -> InvalidRecordError:
    return InvalidRecordError(
        f"A record names the commit '{_shown(value)}', which {why}. Nothing was changed. "
        "Restore the record from a backup or the bucket's older versions."
    )


def _not_json(where: str) -> InvalidRecordError:
    return _invalid(where, f"is not the JSON that Repave writes.{RESTORE_IT}")


def _shown(value: str) -> str:
    return value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}…"


def _invalid(where: str, why: str) -> InvalidRecordError:
    return InvalidRecordError(f"The record {where} {why}")


CHECKS: Final = {record: _checked(shape) for record, shape in SHAPES.items()}
