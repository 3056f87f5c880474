"""The names of columns in the footer of a Parquet file, and the footer with other names.

A footer is a struct of Thrift's compact protocol. Only its schema is read here. The chunks of
columns name the columns too, but readers find them by their place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# What follows a footer: its length in 4 bytes, and this.
MAGIC: Final = b"PAR1"
TRAILER: Final = 8

# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
# The value of a truth is in its type; in a list it takes a byte.
_BYTES: Final = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}
_DEPTH_MAX: Final = 100
# Of a number.
_BITS_MAX: Final = 64
# Numbers of members: of a footer its schema, of a column its repetition, name and children.
_SCHEMA, _REPETITION, _NAME, _CHILDREN = 2, 3, 4, 5
_REPEATED: Final = 2


@dataclass
class Column:
    """A column of a file's schema, or a group of columns."""

    name: str = ""
    repeated: bool = False
    count: int = 0
    children: list["Column"] = field(default_factory=list)
    start: int = 0
    end: int = 0

    def place(self) -> tuple[int, int]:
        """Return where its name is in the footer, with the length before it."""
        return self.start, self.end


def footer_bytes(tail: bytes) -> int | None:
    """Return the length of the footer and what follows it; None if this is no end of a file."""
    if len(tail) < TRAILER or not tail.endswith(MAGIC):
        return None
    return int.from_bytes(tail[-TRAILER : -len(MAGIC)], "little") + TRAILER


def columns_of(footer: bytes) -> Column | None:
    """Return the root of the schema; None if it cannot be read, which pyarrow explains better."""
    try:
        return _Reader(footer).schema()
    except (IndexError, UnicodeDecodeError, ValueError):
        return None


def renamed(footer: bytes, names: Mapping[tuple[int, int], str]) -> bytes:
    r"""Return the end of a file whose columns have other names, by their places.

    >>> renamed(b"..\x02ID..", {(2, 5): "id"})
    b'..\x02id..\x07\x00\x00\x00PAR1'
    """
    pieces, at = [], 0
    for (start, end), name in sorted(names.items()):
        encoded = name.encode()
        pieces += [footer[at:start], _varint(len(encoded)), encoded]
        at = end
    whole = b"".join((*pieces, footer[at:]))
    return whole + len(whole).to_bytes(4, "little") + MAGIC


class _Reader:
    def __init__(self, footer: bytes) -> None:
        self._bytes = footer
        self._at = 0

    def schema(self) -> Column | None:
        number = 0
        while kind := self._byte():
            number = self._number(number, kind)
            if number == _SCHEMA and kind & 15 == _LIST:
                return _tree([self._column() for _ in range(self._list()[0])])
            self._skip(kind & 15, 0)
        return None

    def _column(self) -> Column:
        found, number = Column(), 0
        while kind := self._byte():
            number = self._number(number, kind)
            if number == _NAME:
                found.start = self._at
                size = self._unsigned()
                found.name = self._bytes[self._at : self._at + size].decode()
                self._at += size
                found.end = self._at
            elif number == _REPETITION:
                found.repeated = self._signed() == _REPEATED
            elif number == _CHILDREN:
                found.count = self._signed()
            else:
                self._skip(kind & 15, 0)
        return found

    def _number(self, before: int, kind: int) -> int:
        step = kind >> 4
        return before + step if step else self._signed()

    def _byte(self) -> int:
        found = self._bytes[self._at]
        self._at += 1
        return found

    def _unsigned(self) -> int:
        found = 0
        for shift in range(0, _BITS_MAX, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128 and found < 1 << _BITS_MAX:  # noqa: PLR2004 - the sign of the last byte
                return found
        raise ValueError

    def _signed(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)

    def _list(self) -> tuple[int, int]:
        """Return how many elements a list has, and their type."""
        head = self._byte()
        return self._unsigned() if head >> 4 == 15 else head >> 4, head & 15  # noqa: PLR2004

    def _skip(self, kind: int, depth: int) -> None:
        if depth > _DEPTH_MAX or self._at >= len(self._bytes):
            raise ValueError
        if kind in _BYTES:
            self._at += _BYTES[kind]
        elif kind == _BINARY:
            self._at += self._unsigned()
        elif kind in (_LIST, _SET):
            count, of = self._list()
            for _ in range(count):
                self._skip(_BYTE if of in (_TRUE, _FALSE) else of, depth + 1)
        elif kind == _STRUCT:
            number = 0
            while one := self._byte():
                number = self._number(number, one)
                self._skip(one & 15, depth + 1)
        elif kind == _MAP:
            raise ValueError
        else:
            self._unsigned()


def _tree(columns: list[Column]) -> Column | None:
    """Return the root of columns that come depth first; None if their numbers are wrong."""
    if not columns:
        return None
    open_ones = [columns[0]]
    for column in columns[1:]:
        while open_ones and len(open_ones[-1].children) == open_ones[-1].count:
            open_ones.pop()
        if not open_ones:
            return None
        open_ones[-1].children.append(column)
        if column.count:
            open_ones.append(column)
    return columns[0]


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:  # noqa: PLR2004 - the sign of a further byte
        found.append(number & 127 | 128)
        number >>= 7
    return bytes((*found, number))
