"""The types of partition columns: Spark's own rule, and Spark's own conversions.

Spark infers types from the folders' names. A reader without Spark should get the same values in the
same types, so this follows Spark's rule exactly, including surprises ("1d" is a double).
tests/e2e/test_readers.py compares it with Spark.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timezone, tzinfo
from decimal import Context, Decimal, InvalidOperation
from itertools import groupby
from typing import Final

NULL_NAME: Final = "__HIVE_DEFAULT_PARTITION__"
DECIMAL_DIGITS_MAX: Final = 38
# As many digits as any int or bigint has.
DIGITS: Final = {"int": 10, "bigint": 20}
INT_MAX, BIGINT_MAX = (1 << 31) - 1, (1 << 63) - 1
# Room for every number that a folder's name can hold.
_EXACT: Final = Context(prec=2_000, Emax=999_999, Emin=-999_999)

Value = int | float | Decimal | date | datetime | str | bool | None

INTEGER = re.compile(r"[+-]?\d+")
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
DOUBLE = re.compile(r"([+-]?)(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[dDfF]?)", re.ASCII)
HEX_DOUBLE = re.compile(
    r"([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+)[dDfF]?", re.ASCII
)
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d)?", re.ASCII)
# Values that each program converts to the same, so that pyarrow may do it, which is much faster.
# Numbers with so many digits always fit into their type.
PLAIN: Final = {
    "string": re.compile("[^%]+"),
    "int": re.compile("-?[01]?[0-9]{1,9}"),
    "bigint": re.compile("-?[0-9]{1,18}"),
    "date": re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
}
# Java strips these from a double: a blank and what comes before it.
STRIPPED: Final = "".join(map(chr, range(33)))
ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class PartitionType:
    """A type as Spark SQL calls it; `precision` and `scale` are a decimal's."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        """Return the name that SQL writes."""
        return f"decimal({self.precision},{self.scale})" if self.name == "decimal" else self.name


NULL: Final = PartitionType("void")
STRING: Final = PartitionType("string")
WHOLE: Final = ((PartitionType("int"), INT_MAX), (PartitionType("bigint"), BIGINT_MAX))
# What holds two types; a string holds any others.
WIDER: Final = {
    frozenset({"int", "bigint"}): PartitionType("bigint"),
    frozenset({"int", "double"}): PartitionType("double"),
    frozenset({"date", "timestamp"}): PartitionType("timestamp"),
}


def unescaped(name: str) -> str:
    """Return a folder's name without escapes; each escape is one character, as in Spark.

    >>> unescaped("a%20b%3Dc%"), unescaped("%zz")
    ('a b=c%', '%zz')
    """
    if "%" not in name:
        return name
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)), name)


def infer_all(names: Iterable[str]) -> PartitionType:
    """Return the type that holds all values of a column.

    >>> [str(infer_all(it)) for it in (["1", "07"], ["1", "a"], [NULL_NAME, "2026-11-21"])]
    ['int', 'string', 'date']
    >>> str(infer_all([NULL_NAME]))
    'string'
    """
    known = [name for name in names if name != NULL_NAME]
    if all(map(PLAIN["int"].fullmatch, known)):
        return PartitionType("int") if known else STRING
    found = NULL
    # Thousands of values next to each other have one type, which is compared once.
    for kind, _ in groupby(map(infer, known)):
        found = _wider(found, kind)
        if found == STRING:
            break
    return found


def infer(name: str) -> PartitionType:
    """Return the type of one value, as written in the folder's name.

    >>> [str(infer(it)) for it in ("1", "3000000000", "1.5", "2026-11-21", "2026-11", "1d")]
    ['int', 'bigint', 'double', 'date', 'string', 'double']
    """
    if name == NULL_NAME:
        return NULL
    number = _number(name)
    if number is not None:
        return number
    if TIMESTAMP.fullmatch(unescaped(name)) and _moment(unescaped(name), timezone.utc):
        return PartitionType("timestamp")
    return PartitionType("date") if DATE.fullmatch(name) and _date(name) else STRING


def _number(name: str) -> PartitionType | None:
    if INTEGER.fullmatch(name):
        number = int(name)
        for kind, most in WHOLE:
            if -most - 1 <= number <= most:
                return kind
    digits = _digits(name)
    if digits:
        return PartitionType("decimal", digits)
    return None if _double(name) is None else PartitionType("double")


def is_plain(kind: PartitionType, names: Iterable[str]) -> bool:
    """Return whether each program converts these names to the same values.

    >>> [is_plain(PartitionType("date"), [NULL_NAME, it]) for it in ("2026-11-21", "2026-11-31")]
    [True, False]
    """
    form = PLAIN.get(kind.name)
    known = [name for name in names if name != NULL_NAME]
    if form is None or not all(map(form.fullmatch, known)):
        return False
    return kind.name != "date" or None not in map(_date, known)


def converter(kind: PartitionType, zone: tzinfo) -> Callable[[str], Value]:
    """Return a function that converts a folder's name to a value of a type, or to None.

    Args:
        kind: the column's type.
        zone: in which timestamps are meant that name none.
    """
    convert = _CONVERTERS.get(kind.name)
    if kind.name == "timestamp":
        return lambda name: _moment(unescaped(name), zone)
    if kind.name == "decimal":
        return lambda name: _decimal(name, kind)
    if convert is None:
        raise KeyError(kind.name)
    return convert


def _wider(one: PartitionType, other: PartitionType) -> PartitionType:
    if NULL in (one, other) or one == other:
        return other if one == NULL else one
    names = {one.name, other.name}
    if "decimal" in names and names <= {"decimal", "int", "bigint"}:
        digits = max(it.precision or DIGITS[it.name] for it in (one, other))
        return PartitionType("decimal", min(digits, DECIMAL_DIGITS_MAX))
    return WIDER.get(frozenset(names), STRING)


def _digits(name: str) -> int:
    """Return how many digits a number has that is whole as it is written; 0 for any other."""
    number = _exact(name)
    if number is None:
        return 0
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or exponent > DECIMAL_DIGITS_MAX:
        return 0
    found = len(digits) + exponent
    return found if exponent >= 0 and found <= DECIMAL_DIGITS_MAX else 0


def _exact(name: str) -> Decimal | None:
    if not DECIMAL.fullmatch(name):
        return None
    try:
        return Decimal(name)
    except InvalidOperation:
        # Its exponent is too large for a decimal, here and in Java.
        return None


def _decimal(name: str, kind: PartitionType) -> Decimal | None:
    number = _exact(name)
    if number is None or (number and number.adjusted() >= kind.precision - kind.scale):
        return None
    found = number.quantize(Decimal(1).scaleb(-kind.scale), context=_EXACT)
    return found if found == number else None


def _double(name: str) -> float | None:
    plain = name.strip(STRIPPED)
    found = DOUBLE.fullmatch(plain)
    if found:
        return float(found[1] + (found[3] or found[2]))
    found = HEX_DOUBLE.fullmatch(plain)
    try:
        return float.fromhex(found[1]) if found else None
    except OverflowError:
        return float("-inf" if plain.startswith("-") else "inf")


def _whole(low: int, high: int) -> Callable[[str], Value]:
    def convert(name: str) -> int | None:
        number = int(name) if INTEGER.fullmatch(name) else None
        return number if number is not None and low <= number <= high else None

    return convert


def _date(name: str) -> date | None:
    found = DATE.match(name)
    if not found or name[10:11] not in ("", " ", "T"):
        return None
    try:
        return date(*map(int, found.groups()))
    except ValueError:
        return None


def _moment(text: str, zone: tzinfo) -> datetime | None:
    try:
        found = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith("Z") else text)
    except ValueError:
        # Python 3.10 knows three and six digits of a second only.
        whole, dot, fraction = text.partition(".")
        if not dot or not fraction.isdecimal() or len(fraction) >= 6:  # noqa: PLR2004
            return None
        return _moment(f"{whole}.{fraction:0<6}", zone)
    found = found if found.tzinfo else found.replace(tzinfo=zone)
    try:
        return found.astimezone(timezone.utc)
    except OverflowError:
        return None


def _truth(name: str) -> bool | None:
    return {"true": True, "false": False}.get(name.lower())


_CONVERTERS: Final[dict[str, Callable[[str], Value]]] = {
    "string": unescaped,
    "tinyint": _whole(-(1 << 7), (1 << 7) - 1),
    "smallint": _whole(-(1 << 15), (1 << 15) - 1),
    "int": _whole(-INT_MAX - 1, INT_MAX),
    "bigint": _whole(-BIGINT_MAX - 1, BIGINT_MAX),
    "float": _double,
    "double": _double,
    "date": _date,
    "boolean": _truth,
}
