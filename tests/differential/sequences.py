"""Seeded sequences of writes, the same for two tables: one is stock Spark's, one is Repave's."""

import random
from dataclasses import dataclass, field

TYPES = {
    "int": ["1", "2", "10", "-3"],
    "bigint": ["1", "1099511627776"],
    "string": ["'a'", "'A b'", "'x/y'", "'50%'", "'p=q'", "''", "'é'"],
    "date": ["DATE'2026-11-21'", "DATE'1969-12-31'"],
    "boolean": ["true", "false"],
    "decimal(10,2)": ["1.50", "-0.25"],
}
FORMATS = ("parquet", "parquet", "orc", "json", "csv")
STEPS_MAX = 4


@dataclass(frozen=True)
class Schema:
    """The table: two data columns and up to three partition columns."""

    source: str
    partitions: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> str:
        parts = ["id int", "v string", *(f"{name} {kind}" for name, kind in self.partitions)]
        return ", ".join(parts)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.partitions]


@dataclass(frozen=True)
class Step:
    """One write. `spec` holds the values of leading partition columns that SQL gives itself."""

    kind: str
    rows: tuple[tuple[str, ...], ...]
    overwrite: str = "static"
    spec: tuple[str, ...] = ()
    tasks: int = 1
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sequence:
    """What one seed stands for. `catalog`: by SQL on a catalog table, otherwise by path."""

    seed: int
    schema: Schema
    catalog: bool
    steps: tuple[Step, ...]


def sequence(seed: int) -> Sequence:
    """Return the sequence of a seed.

    >>> sequence(7) == sequence(7)
    True
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    kinds = [chance.choice(list(TYPES)) for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3)))]
    partitions = tuple((f"p{n}", kind) for n, kind in enumerate(kinds))
    schema = Schema(chance.choice(FORMATS), partitions)
    catalog = chance.random() < 0.5
    steps = tuple(_step(chance, schema, catalog) for _ in range(chance.randint(2, STEPS_MAX)))
    return Sequence(seed, schema, catalog, steps)


def _step(chance: random.Random, schema: Schema, catalog: bool) -> Step:  # noqa: FBT001
    spec: tuple[str, ...] = ()
    kind = chance.choice(("append", "overwrite", "overwrite", "overwrite"))
    if catalog and schema.partitions and chance.random() < 0.4:
        fixed = schema.partitions[: chance.randint(1, len(schema.partitions))]
        # An empty static value is an error in some lines and null in others.
        spec = tuple(_value(chance, kind_, nullable=False) for _, kind_ in fixed)
        if len(spec) == len(schema.partitions) and chance.random() < 0.4:
            kind = "overwrite-if-not-exists"
    free = schema.partitions[len(spec) :]
    rows = tuple(
        (
            str(chance.randint(0, 999)),
            f"'v{chance.randint(0, 9)}'",
            *(_value(chance, kind_, nullable=True) for _, kind_ in free),
        )
        for _ in range(chance.choice((0, 1, 3, 8)))
    )
    options = {"maxRecordsPerFile": "2"} if not catalog and chance.random() < 0.2 else {}
    overwrite = chance.choice(("static", "dynamic", "dynamic"))
    return Step(kind, rows, overwrite, spec, chance.choice((1, 1, 2)), options)


def _value(chance: random.Random, kind: str, *, nullable: bool) -> str:
    if nullable and chance.random() < 0.1:
        return f"CAST(NULL AS {kind})"
    values = [value for value in TYPES[kind] if nullable or value != "''"]
    return f"CAST({chance.choice(values)} AS {kind})"
