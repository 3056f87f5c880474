"""How each engine quotes names and texts in the statements that Repave prints for it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from repave._catalog_sql import quoted, text

PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A part of a table's name, with the quotes of either dialect or without.
PART: Final = re.compile(r'`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|([^.]+)')
REDSHIFT_TYPES: Final = {
    "string": "varchar(65535)",
    "tinyint": "smallint",
    "float": "real",
    "double": "double precision",
    "binary": "varbyte",
}


def standard_text(value: str) -> str:
    """Return a text as standard SQL quotes it, in which a backslash is a letter.

    >>> print(standard_text("O'Neil"))
    'O''Neil'
    """
    return "'" + value.replace("'", "''") + "'"


@dataclass(frozen=True)
class Dialect:
    """The SQL in which a table is created."""

    name: Callable[[str], str]
    text: Callable[[str], str]
    types: dict[str, str]

    def column(self, name: str, kind: str) -> str:
        """Return a column's name and type."""
        return f"{self.name(name)} {self.types.get(kind, kind)}"

    def table(self, name: str) -> str:
        """Return the name of a table, in quotes if it needs them.

        >>> HIVE.table("sales"), HIVE.table("my-sales")
        ('sales', '`my-sales`')
        """
        return name if PLAIN.fullmatch(name) else self.name(name)


def name_parts(name: str) -> list[str]:
    """Return the parts of a table's name without their quotes.

    >>> name_parts("lake.`my.sales`")
    ['lake', 'my.sales']
    """
    return [
        back.replace("``", "`") or double.replace('""', '"') or plain
        for back, double, plain in PART.findall(name)
    ]


def _redshift_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _redshift_text(value: str) -> str:
    # A backslash escapes there too.
    return standard_text(value.replace("\\", r"\\"))


HIVE: Final = Dialect(quoted, text, {})
REDSHIFT: Final = Dialect(_redshift_name, _redshift_text, REDSHIFT_TYPES)


def dialect_of(engine: str) -> Dialect:
    """Return the SQL of an engine. A table for Trino is created in Hive, Spark or Athena."""
    return REDSHIFT if engine == "redshift" else HIVE
