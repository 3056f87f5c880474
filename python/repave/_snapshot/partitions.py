"""The partition columns of a version: their types, and the values of each partition's folder."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timezone, tzinfo
from functools import cached_property
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from repave._errors import UsageError
from repave._snapshot.folders import OUTSIDE
from repave._snapshot.inference import (
    DECIMAL_DIGITS_MAX,
    NULL_NAME,
    STRING,
    PartitionType,
    Value,
    converter,
    infer,
    infer_all,
    is_plain,
    unescaped,
)

PartitionTypes = Mapping[str, str] | Literal["string"]

SQL_TYPE: Final = re.compile(r"decimal\((\d+),(\d+)\)")
# Spark knows both names of each.
ALIASES: Final = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
TYPES: Final = (
    "string",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "date",
    "timestamp",
    "boolean",
)

# What a value of a column may be by itself. Of a time in milliseconds the rule makes a string.
MIDNIGHT: Final = re.compile(r"[ T]00:00(:00(\.0+)?)?$")
MAY_BE: Final = {"date": ("date",), "timestamp": ("date", "timestamp", "string")}

Names = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Partitions:
    """The partition columns, and for each folder their values in this order.

    If the folders are plain, pyarrow reads the same values from their names.
    """

    columns: dict[str, PartitionType]
    are_plain: bool
    _convert: Callable[[], dict[str, tuple[Value, ...]]]

    @cached_property
    def values(self) -> dict[str, tuple[Value, ...]]:
        """The values of each folder, in the order of the columns."""
        return self._convert()


@dataclass(frozen=True)
class Typing:
    """How the values in folders' names are converted."""

    chosen: PartitionTypes
    locations: Mapping[str, str]
    zone: tzinfo

    @classmethod
    def of(
        cls,
        partition_types: PartitionTypes | None,
        locations: Mapping[str, str] | None,
        time_zone: str,
    ) -> "Typing":
        """Return what the user chose.

        Raises:
            UsageError: there is no such time zone, or the types or locations are not a mapping.
        """
        if partition_types not in (None, "string") and not isinstance(partition_types, Mapping):
            message = (
                f"partition_types={partition_types!r} is not possible: it takes a type for each "
                'column, such as {"dt": "date", "hour": "int"}, or "string" for all columns.'
            )
            raise UsageError(message)
        if locations is not None and not isinstance(locations, Mapping):
            message = (
                f"locations={locations!r} is not possible: it takes the partition of each folder "
                'outside the table, such as {"s3://annex/old": "dt=2025-01-01"}.'
            )
            raise UsageError(message)
        zone = _zone(time_zone)
        places = {_place(folder): spec.strip("/") for folder, spec in (locations or {}).items()}
        return cls(partition_types or {}, places, zone)

    def partitions(self, folders: list[str], table: str) -> Partitions:
        """Return the partition columns of these folders, and their values.

        Raises:
            UsageError: the folders do not agree on the columns or their place, or a value is not of
                its type.
        """
        inside = {one: _named(one) for one in folders if not one.startswith(OUTSIDE)}
        named = {**inside, **self._outside(folders, inside, table)}
        spellings = _columns(named, table)
        _require_one_place(inside, table)
        columns = spellings[0]
        found = [{names[at][1] for names in named.values()} for at in range(len(columns))]
        types = {
            column: self._type(column, names) for column, names in zip(columns, found, strict=True)
        }
        self._refuse_unknown(columns, table)
        are_plain = len(spellings) == 1 and len(inside) == len(named) and "%" not in "".join(inside)
        are_plain = are_plain and all(map(is_plain, types.values(), found))

        def convert() -> dict[str, tuple[Value, ...]]:
            known = [
                self._values(column, kind, names, table)
                for (column, kind), names in zip(types.items(), found, strict=True)
            ]
            return {
                folder: tuple([of[name] for of, (_, name) in zip(known, names, strict=True)])
                for folder, names in named.items()
            }

        if are_plain:
            return Partitions(types, are_plain, convert)
        values = convert()  # refuses those that are not of their type
        return Partitions(types, are_plain, lambda: values)

    def _outside(
        self, folders: list[str], inside: dict[str, Names], table: str
    ) -> dict[str, Names]:
        """Return the columns of partitions whose folders are not in the table's."""
        found: dict[str, Names] = {}
        for folder in folders:
            if not folder.startswith(OUTSIDE):
                continue
            names = _named(self.locations.get(_place(folder), folder.removeprefix(OUTSIDE)))
            if inside:
                # A parent folder may also be named key=value; it is not a partition column.
                depth = len(next(iter(inside.values())))
                names = names[len(names) - depth :] if len(names) >= depth else ()
            if not names:
                message = (
                    f"The name of the folder {folder}, a partition of {table}, does not show its "
                    "partition values: only the catalog knows them. Pass them, as "
                    f'locations={{"{folder}": "dt=2026-11-21"}}.'
                )
                raise UsageError(message)
            found[folder] = names
        return found

    def _type(self, column: str, names: set[str]) -> PartitionType:
        if isinstance(self.chosen, str):
            return STRING
        chosen = self.chosen.get(column)
        return infer_all(sorted(names)) if chosen is None else _read(chosen)

    def _values(
        self, column: str, kind: PartitionType, names: set[str], table: str
    ) -> dict[str, Value]:
        """Return the values of one column by their names in folders, each converted once."""
        convert = converter(kind, self.zone)
        values = {name: convert(name) for name in names if name != NULL_NAME}
        refused = sorted(name for name, value in values.items() if value is None)
        if refused:
            message = (
                f"The folder {column}={refused[0]} of {table} holds no {kind}: choose another "
                f'type, as partition_types={{"{column}": "string"}}.'
            )
            raise UsageError(message)
        return {**values, NULL_NAME: None}

    def _refuse_unknown(self, columns: tuple[str, ...], table: str) -> None:
        chosen = () if isinstance(self.chosen, str) else self.chosen
        for column in chosen:
            if columns and column not in columns:
                message = (
                    f"partition_types names {column}, and {table} has no such partition column: "
                    f"they are {', '.join(columns)}."
                )
                raise UsageError(message)


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return timezone.utc  # needs no database
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError):
        fix = "use a name such as Europe/Berlin"
        if not available_timezones():
            fix = "this machine has no database of time zones, which `pip install tzdata` adds"
        message = f"There is no time zone {name!r}: {fix}."
        raise UsageError(message) from None


def _columns(named: dict[str, Names], table: str) -> tuple[tuple[str, ...], ...]:
    """Return the partition columns in each spelling that folders have, at least in one."""
    spellings: dict[tuple[str, ...], str] = {}
    for folder, names in named.items():
        spellings.setdefault(tuple([column for column, _ in names]), folder)
    first, *others = spellings or {(): ""}
    _refuse_repeated(first, spellings.get(first, ""), table)
    for columns in others:
        if [it.lower() for it in columns] != [it.lower() for it in first]:
            one, other = ("/".join(it) or "none" for it in (first, columns))
            message = (
                f"The folders of {table} do not agree on its partition columns: {one}, and {other} "
                f"in {spellings[columns] or 'the table itself'}. Read the files that "
                "snapshot.uris() names, or move those that do not belong to the table."
            )
            raise UsageError(message)
    return (first, *others)


def _require_one_place(folders: Iterable[str], table: str) -> None:
    """Refuse partitions in several unnamed folders: Spark does not read them as one table.

    Without partition columns it reads only the files that are directly in one folder.
    """
    places: dict[str, str] = {}
    for folder in folders:
        places.setdefault(_place_of(folder), folder)
    if len(places) > 1:
        one, other = (places[it] or "the table itself" for it in sorted(places)[:2])
        message = (
            f"The folders of {table} do not agree on their place: {one}, and {other}. Spark does "
            "not read them as one table, and one may be a copy of the other. Read the files that "
            "snapshot.uris() names, or move those that do not belong to the table."
        )
        raise UsageError(message)


def _place_of(folder: str) -> str:
    """Return the folder that a partition's folder is in; that of the files if it has no columns.

    >>> [_place_of(it) for it in ("dt=1/h=2", "old/dt=1", "dt=1/sub", "old")]
    ['', 'old', '', 'old']
    """
    segments = folder.split("/")
    named = (at for at, segment in enumerate(segments) if segment.find("=") > 0)
    return "/".join(segments[: next(named, len(segments))])


def _refuse_repeated(columns: tuple[str, ...], folder: str, table: str) -> None:
    known = Counter(column.lower() for column in columns)
    repeated = [column for column, count in known.items() if count > 1]
    if repeated:
        message = (
            f"The folder {folder} of {table} names the partition column {repeated[0]} more than "
            "once. Read the files that snapshot.uris() names, or move those that do not belong to "
            "the table."
        )
        raise UsageError(message)


def _named(folder: str) -> Names:
    pairs = [segment.partition("=") for segment in folder.split("/")]
    return tuple(
        [(unescaped(column), value) for column, equals, value in pairs if column and equals]
    )


def _place(folder: str) -> str:
    scheme, separator, rest = folder.partition("://")
    return (
        f"{OUTSIDE}{rest.rstrip('/')}" if separator and scheme in ("s3a", "s3n", "s3") else folder
    )


def fits(value: str, kind: str) -> bool:
    """Return whether a column of a catalog, with this type, holds a value.

    A type that no folder's name stands for holds any, because it is unknown what engines do.

    >>> [fits(it, "int") for it in ("7", "1.5", "3000000000", "A1", NULL_NAME)]
    [True, False, False, False, True]
    """
    try:
        known = _read(kind)
    except UsageError:
        return True
    if value == NULL_NAME or known == STRING:
        return True
    if known.name == "date":
        # A day that is written as a time is the same day.
        value = MIDNIGHT.sub("", value)
    # The conversion to a date drops a time, and that to a time takes some numbers.
    if known.name in MAY_BE and infer(value).name not in MAY_BE[known.name]:
        return False
    return converter(known, timezone.utc)(value) is not None


def _read(text: str) -> PartitionType:
    if not isinstance(text, str):  # a type of pyarrow, for example
        raise _no_type(text)
    name = text.lower().replace(" ", "")
    name = ALIASES.get(name, name)
    if name in TYPES:
        return PartitionType(name)
    found = SQL_TYPE.fullmatch(name)
    if found and 0 < int(found[1]) <= DECIMAL_DIGITS_MAX and int(found[2]) <= int(found[1]):
        return PartitionType("decimal", int(found[1]), int(found[2]))
    raise _no_type(text)


def _no_type(text: object) -> UsageError:
    known = ", ".join((*TYPES, "decimal(p,s)"))
    return UsageError(f"A partition column cannot be {text!r}: its type is one of {known}.")
