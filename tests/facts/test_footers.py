"""The facts that the jar reads from a Parquet file's footer are those that pyarrow reads.

`REPAVE_FACTS_EXAMPLES` is the number of generated files, 200 by default; `make facts` runs 5,000.
"""

import datetime as dt
import decimal
import json
import math
import os
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repave import jar_path

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

EXAMPLES: Final = int(os.environ.get("REPAVE_FACTS_EXAMPLES", "200"))
COLUMNS: Final = tuple("abcdefgh")
VALUE_BYTES: Final = 64
KNOWN_TIMES: Final = (dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))  # noqa: DTZ001

# ruff: noqa: ANN401 - pyarrow has no types here


class FooterFacts:
    """The jar's reader in a process of its own: a path in, the facts out."""

    def __init__(self) -> None:
        pyspark = find_spec("pyspark")
        assert pyspark is not None
        assert pyspark.origin is not None
        jackson = Path(pyspark.origin).parent / "jars" / "*"
        program = Path(__file__).with_name("FooterFacts.java")
        line = ["java", "-cp", f"{jar_path()}{os.pathsep}{jackson}", str(program), *COLUMNS]
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def of(self, path: Path) -> dict[str, Any]:
        """Return the facts of a file."""
        write(self._process.stdin, f"{path}\n")
        assert self._process.stdout is not None
        facts: dict[str, Any] = json.loads(self._process.stdout.readline())
        facts["columns"] = {one["name"]: one for one in facts["columns"]}
        return facts

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        assert self._process.returncode == 0


def write(pipe: IO[str] | None, text: str) -> None:
    assert pipe is not None
    pipe.write(text)
    pipe.flush()


@pytest.fixture(scope="module")
def reader() -> Iterator[FooterFacts]:
    found = FooterFacts()
    yield found
    found.close()


def decimals(precision: int, scale: int) -> st.SearchStrategy[decimal.Decimal]:
    most = 10**precision - 1
    with decimal.localcontext() as context:
        context.prec = 50
        return st.integers(-most, most).map(lambda it: decimal.Decimal(it).scaleb(-scale, context))


# Each type of pyarrow, its values, and Spark's name of it; None: the schema is unknown.
TYPES: Final[list[tuple[Any, st.SearchStrategy[Any], str | None]]] = [
    (pa.int8(), st.integers(-(2**7), 2**7 - 1), "byte"),
    (pa.int16(), st.integers(-(2**15), 2**15 - 1), "short"),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1), "integer"),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1), "long"),
    (pa.uint8(), st.integers(0, 2**8 - 1), "short"),
    (pa.uint32(), st.integers(0, 2**32 - 1), "long"),
    (pa.uint64(), st.integers(0, 2**64 - 1), "decimal(20,0)"),
    (pa.bool_(), st.booleans(), "boolean"),
    (pa.float32(), st.floats(width=32), "float"),
    (pa.float64(), st.floats(), "double"),
    (pa.string(), st.text(max_size=8), "string"),
    (pa.string(), st.text(st.sampled_from("a\x7f\ud7ff\uffff\U0010ffff"), max_size=80), "string"),
    (pa.binary(), st.binary(max_size=8), "binary"),
    (pa.date32(), st.dates(), "date"),
    (pa.timestamp("us", "UTC"), st.datetimes(*KNOWN_TIMES), "timestamp"),
    (pa.timestamp("ms"), st.datetimes(*KNOWN_TIMES), "timestamp_ntz"),
    (pa.decimal128(9, 2), decimals(9, 2), "decimal(9,2)"),
    (pa.decimal128(38, 38), decimals(38, 38), "decimal(38,38)"),
    (pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=3), "array"),
    (pa.struct([("a", pa.int32())]), st.fixed_dictionaries({"a": st.integers(0, 9)}), "struct"),
    (pa.time64("us"), st.times(), None),
]
ORDERED: Final = ("byte", "short", "integer", "long", "date", "string", "timestamp", "decimal")


@st.composite
def columns(draw: st.DrawFn) -> tuple[dict[str, tuple[Any, str | None]], list[dict[str, Any]]]:
    """Draw some columns and their rows."""
    names = draw(st.lists(st.sampled_from(COLUMNS), unique=True, min_size=1, max_size=4))
    chosen = {name: draw(st.sampled_from(TYPES)) for name in names}
    row = st.fixed_dictionaries(
        {name: st.none() | values for name, (_, values, _) in chosen.items()}
    )
    rows = draw(st.lists(row, max_size=12))
    return {name: (kind, spark) for name, (kind, _, spark) in chosen.items()}, rows


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(columns(), st.sampled_from([1, 3, 1000]), st.sampled_from(["1.0", "2.6"]), st.booleans())
def test_the_facts_are_those_that_pyarrow_reads(
    reader: FooterFacts,
    tmp_path: Path,
    content: tuple[dict[str, tuple[Any, str | None]], list[dict[str, Any]]],
    group: int,
    version: str,
    statistics: bool,  # noqa: FBT001 - hypothesis passes it
) -> None:
    kinds, rows = content
    schema = pa.schema([(name, kind) for name, (kind, _) in kinds.items()])
    path = tmp_path / "file.parquet"
    table = pa.Table.from_pylist(rows, schema)
    parquet.write_table(
        table, path, row_group_size=group, version=version, write_statistics=statistics
    )
    facts = reader.of(path)
    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
    assert facts["rows"] == metadata.num_rows == len(rows)
    check_schema(facts, kinds, metadata)
    for index in range(metadata.num_columns):
        name = metadata.schema.column(index).path
        spark = kinds[name][1] if name in kinds else None
        if spark in (None, "array", "struct"):
            assert name not in facts["columns"]
        else:
            chunks = [metadata.row_group(it).column(index) for it in range(metadata.num_row_groups)]
            check_column(facts["columns"][name], chunks, table.column(name).to_pylist())


def check_schema(
    facts: dict[str, Any], kinds: dict[str, tuple[Any, str | None]], metadata: Any
) -> None:
    if any(spark is None for _, spark in kinds.values()):
        assert "schema" not in facts
        return
    fields = json.loads(facts["schema"])["fields"]
    assert [one["name"] for one in fields] == list(kinds)
    assert all(one["nullable"] for one in fields)
    kinds_found = [
        one["type"]["type"] if isinstance(one["type"], dict) else one["type"] for one in fields
    ]
    # Version 1.0 of the format has no unsigned number of 32 bits.
    wide = {"long"} if metadata.format_version == "1.0" else set()
    for found, (_, spark) in zip(kinds_found, kinds.values(), strict=True):
        assert found in {spark, *wide}


def check_column(column: dict[str, Any], chunks: list[Any], values: list[Any]) -> None:
    """Compare bounds with pyarrow's statistics, and with the values that they must hold."""
    statistics = [chunk.statistics for chunk in chunks]
    known = all(one is not None and one.has_null_count for one in statistics)
    assert column.get("nulls") == (sum(one.null_count for one in statistics) if known else None)
    if known:
        assert column["nulls"] == sum(value is None for value in values)
    there = [value for value in values if value is not None]
    for side, better in (("low", min), ("high", max)):
        if side in column:
            assert known
            check_bound(side, column[side], [one for one in statistics if one.has_min_max], better)
    if not there or not known:
        assert not {"low", "high"} & column.keys()
    elif column["type"].startswith(ORDERED) and "decimal(20" not in column["type"]:
        assert "low" in column
        if column["type"] != "string":
            assert "high" in column
    hold(column, there)


def check_bound(side: str, text: str, statistics: list[Any], better: Any) -> None:
    found = [one.min if side == "low" else one.max for one in statistics]
    exact = better(found, key=lambda it: it.encode() if isinstance(it, str) else it)
    if isinstance(exact, str):
        whole = exact.encode()
        if len(whole) <= VALUE_BYTES:
            assert text == exact
        elif side == "low":
            assert whole.startswith(text.encode())
        else:
            assert text.encode() > whole
        assert len(text.encode()) <= VALUE_BYTES
    else:
        assert of_text(text, exact) == exact


def of_text(text: str, like: Any) -> Any:
    """Return the value of a text, of the same type as another one."""
    if isinstance(like, dt.datetime):
        assert text.endswith("Z") == (like.tzinfo is not None)
        return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if isinstance(like, dt.date):
        return dt.date.fromisoformat(text)
    return type(like)(text)


def hold(column: dict[str, Any], values: list[Any]) -> None:
    """Check that each value is within the bounds."""
    for value in values:
        if isinstance(value, float) and math.isnan(value):
            assert "high" not in column
            continue
        for side in ("low", "high"):
            if side in column:
                bound, one = of_text(column[side], value), value
                if isinstance(one, str):
                    bound, one = bound.encode(), one.encode()
                assert bound <= one if side == "low" else bound >= one


def test_int96_has_no_bounds_and_text_no_facts(reader: FooterFacts, tmp_path: Path) -> None:
    path = tmp_path / "int96.parquet"
    table = pa.table({"a": pa.array([dt.datetime(2026, 1, 1)])})  # noqa: DTZ001
    parquet.write_table(table, path, use_deprecated_int96_timestamps=True)
    facts = reader.of(path)
    assert json.loads(facts["schema"])["fields"][0]["type"] == "timestamp"
    assert not {"low", "high"} & facts["columns"]["a"].keys()
    path.write_bytes(b"a,b\n1,2\n")
    assert reader.of(path) == {"columns": {}}


def test_a_file_of_ten_thousand_columns(reader: FooterFacts, tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    wide = {f"column-{it}": [it] for it in range(10_000)}
    parquet.write_table(pa.table({**wide, "a": [7]}), path)
    assert 1 << 20 < parquet.read_metadata(path).serialized_size < 4 << 20
    facts = reader.of(path)
    assert facts["rows"] == 1
    assert facts["columns"]["a"]["low"] == facts["columns"]["a"]["high"] == "7"
    assert "schema" not in facts
