"""Opens a record: unpacks it, checks its checksum, and refuses damaged, foreign or newer ones.

Records are hostile input. The jar refuses the same records with the same messages; tests over
the folder `contract` check both.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Collection
from datetime import datetime
from itertools import chain
from typing import Any, Final

from repave._errors import InvalidRecordError
from repave._record_limits import has_too_many_values, is_within_limits
from repave._shapes import COMMIT, NEEDS, SHAPES, Shape

FORMAT: Final = 1
# A head with followers, or without its earliest versions, is of format 2.
NEWEST: Final = {"head": 2}
BYTES_MAX: Final = 64 << 20
NUMBER_MAX: Final = 1 << 53
GZIP_MAGIC: Final = b"\x1f"
CHECKSUM: Final = b',"checksum":"'
TAIL_BYTES: Final = len(CHECKSUM) + 64 + len(b'"}')
SHOWN_CHARS: Final = 80

# Of all places in a record that have one shape.
Values = Collection[Any]
# Refuses values; the texts are the record and the member's name, for the message.
Check = Callable[[Values, str, str], None]
RESTORE_IT: Final = (
    " Nothing was changed. Restore the newest undamaged version of this object from the bucket's "
    "older versions. A backup of head.json is not safe: an older head forgets commits."
)


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
    CHECKS[record]((members,), where, "record")
    wrong = _contradicting(members)
    if wrong:
        raise wrong_member(where, wrong)
    return members


def wrong_member(where: str, name: str) -> InvalidRecordError:
    """Return the error for a member that is missing, of another type, or not allowed here."""
    return _invalid(
        where,
        f"has no usable '{name}'. It was not written by Repave, or it is damaged.{RESTORE_IT}",
    )


def _contradicting(members: dict[str, Any]) -> str:
    """Return the name of a member that another one of the record rules out, "" if there is none."""
    shards = members.get("shards")
    if isinstance(shards, list):  # In a ledger it is their number.
        names = [shard if isinstance(shard, str) else shard["name"] for shard in shards]
        if len(set(names)) < len(names):
            return "shards"  # Its files would be doubled.
    if members.get("files-version", 0) > members.get("version", 0):
        return "files-version"
    behind = (one["next"] < one["from"] for one in members.get("followers", ()))
    return "next" if any(behind) else ""


def _checked(shape: Shape) -> Check:
    """Return a function that refuses values if one of them does not have the shape.

    A record has thousands of values of one shape. They are checked together, member by member,
    because a call for each value takes several times as long.
    """
    if isinstance(shape, dict):
        return _checked_each(shape["*"]) if "*" in shape else _checked_members(shape)
    if isinstance(shape, list):
        return _checked_lists(shape[0])
    if isinstance(shape, re.Pattern):
        return _checked_texts(shape)

    def check(values: Values, where: str, name: str) -> None:
        if not _fit(values, shape):
            raise wrong_member(where, name)

    return check


def _checked_lists(shape: Shape) -> Check:
    inner = _checked(shape)

    def check(values: Values, where: str, name: str) -> None:
        _check_type(values, list, where, name)
        inner(list(chain.from_iterable(values)), where, name)

    return check


def _checked_each(shape: Shape) -> Check:
    inner = _checked(shape)

    def check(values: Values, where: str, name: str) -> None:
        _check_type(values, dict, where, name)
        for value in values:
            for member, one in value.items():
                inner((one,), where, member)

    return check


def _checked_members(shape: dict[str, Any]) -> Check:
    members = [
        (member.removesuffix("?"), member.endswith("?"), _checked(inner))
        for member, inner in shape.items()
    ]
    all_optional = all(optional for _, optional, _ in members)
    names = {member for member, _, _ in members}

    def check(values: Values, where: str, name: str) -> None:
        _check_type(values, dict, where, name)
        if all_optional and any(map(names.isdisjoint, values)):
            raise wrong_member(where, name)  # It says nothing.
        for member, optional, inner in members:
            found = [value[member] for value in values if member in value]
            if not optional and len(found) < len(values):
                raise wrong_member(where, member)
            inner(found, where, member)
        for member, needed in NEEDS.items():
            for value in [value for value in values if member in value]:
                missing = [one for one in needed if one not in value]
                if missing:
                    raise wrong_member(where, missing[0])

    return check


def _checked_texts(form: re.Pattern[str]) -> Check:
    def check(values: Values, where: str, name: str) -> None:
        _check_type(values, str, where, name)
        if form is COMMIT or not all(map(form.fullmatch, values)):
            for value in values:
                _check_text(value, form, where)

    return check


def _check_type(values: Values, wanted: type, where: str, name: str) -> None:
    if not {wanted}.issuperset(map(type, values)):
        raise wrong_member(where, name)


def _fit(values: Values, shape: type | tuple[str, ...]) -> bool:
    if isinstance(shape, tuple):
        return {str}.issuperset(map(type, values)) and set(shape).issuperset(values)
    # A boolean is not a number, although Python treats it as one.
    if not {shape}.issuperset(map(type, values)):
        return False
    return shape is not int or not values or (min(values) >= 0 and max(values) <= NUMBER_MAX)


def _check_text(value: str, form: re.Pattern[str], where: str) -> None:
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
        members = json.loads(text, parse_constant=_no_constant)
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


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _bad_commit(value: str, why: str) -> InvalidRecordError:
    return InvalidRecordError(
        f"A record names the commit '{_shown(value)}', which {why}.{RESTORE_IT}"
    )


def _not_json(where: str) -> InvalidRecordError:
    return _invalid(where, f"is not the JSON that Repave writes.{RESTORE_IT}")


def _shown(value: str) -> str:
    return value if len(value) <= SHOWN_CHARS else f"{value[:SHOWN_CHARS]}…"


def _invalid(where: str, why: str) -> InvalidRecordError:
    return InvalidRecordError(f"The record {where} {why}")


CHECKS: Final = {record: _checked(shape) for record, shape in SHAPES.items()}
