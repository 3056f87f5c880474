"""The limits of docs/protocol.md §3 on the content of a record; the jar keeps them too.

A tree of very small values takes far more memory than its text, so values are counted before a
record is parsed. Everything else is checked afterwards, so that the text is known to be JSON.
"""

import json
import re
from itertools import chain, islice
from typing import Any, Final

TOKENS_MAX: Final = 3_000_000
NESTING_MAX: Final = 16
TEXT_CHARS_MAX: Final = 8_192
# As JSON may write them: \u0061.
TEXT_BYTES_MAX: Final = 6 * TEXT_CHARS_MAX

STRUCTURE: Final = b"[]{},:"
WITHOUT_STRUCTURE: Final = bytes(set(range(256)) - set(STRUCTURE))
TOKEN: Final = re.compile(rb'"[^"]*"|[][{}]|[^]\s,:[{}"]+')
# JSON writes half of a surrogate pair only so. As bytes it is not UTF-8.
SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def has_too_many_values(text: bytes) -> bool:
    """Return whether a text has more JSON tokens (names, values, brackets) than any record."""
    if len(text) <= TOKENS_MAX:
        return False
    # A comma or a colon ends all tokens that are no brackets, but for one. Texts may hold more.
    if len(text.translate(None, WITHOUT_STRUCTURE)) < TOKENS_MAX:
        return False
    tokens = TOKEN.finditer(_without_escapes(text))
    return next(islice(tokens, TOKENS_MAX, None), None) is not None


def is_within_limits(text: bytes, members: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether nesting and texts of a record are, and all of its texts can be written.

    And whether no object has a member twice, of which Python keeps the last.

    Args:
        text: the record.
        members: what it says.
    """
    count = _members(members)
    if count is None or not _says_each_once(text, count):
        return False
    return not (_has_long_text(text) or _has_half_pair(text, members))


def _members(record: Any) -> int | None:  # noqa: ANN401 - JSON
    """Return how many members the objects of a record have, None if it is too deep."""
    count = 0
    level = [record]
    for _ in range(NESTING_MAX):
        objects = [one for one in level if type(one) is dict]
        count += sum(map(len, objects))
        lists = [one for one in level if type(one) is list]
        inner = chain(*map(dict.values, objects), *lists)
        level = [one for one in inner if type(one) is dict or type(one) is list]
        if not level:
            return count
    return None


def _says_each_once(text: bytes, count: int) -> bool:
    """Return whether a text has so many members: each has one colon outside of JSON texts."""
    if text.count(b":") == count:
        return True
    outside = _without_escapes(text).split(b'"')[::2]
    return b"".join(outside).count(b":") == count


def _has_long_text(text: bytes) -> bool:
    """Jump from quote to quote as far as a text may reach: a record has few such jumps."""
    start = counted = quotes = 0
    while len(text) - start > TEXT_CHARS_MAX:
        end = _without_escapes(text[start : start + TEXT_CHARS_MAX + 1]).rfind(b'"')
        if end < 0:
            quotes += _without_escapes(text[counted:start]).count(b'"')
            counted = start
            if quotes % 2 == 0:
                end = text.find(b'"', start) - start
                if end < 0:
                    return False
            else:
                end = _without_escapes(text[start : start + TEXT_BYTES_MAX + 1]).find(b'"')
                if end < 0 or _is_long(text[start - 1 : start + end + 1]):
                    return True
        start += end + 1
    return False


def _without_escapes(text: bytes) -> bytes:
    """Return a text of the same length in which each quote begins or ends a JSON text."""
    if b"\\" not in text:
        return text
    return text.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def _is_long(quoted: bytes) -> bool:
    text: str = json.loads(quoted)
    # As Java counts: a pair of surrogates is two characters.
    return len(text) + sum(char > "\uffff" for char in text) > TEXT_CHARS_MAX


def _has_half_pair(text: bytes, members: Any) -> bool:  # noqa: ANN401 - JSON
    if b"\\" not in text or not SURROGATE.search(text):
        return False
    try:
        json.dumps(members, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
