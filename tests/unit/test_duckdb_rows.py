"""DuckDB leaves filters to pyarrow, so an old one loses rows with NaN or with decimals."""

from decimal import Decimal
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from repave._errors import UsageError
from repave._snapshot import snapshot
from repave._snapshot.duckdb_rows import refuse_floats, refuse_old
from unit.snapshot_table import MemoryTable

TABLE = "s3://lake/sales"
NESTED = pa.list_(pa.struct([("x", pa.float32())]))
PRICE = Decimal("1.25")


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16(), NESTED])
def test_floating_point_columns_need_duckdb_2(kind: pa.DataType) -> None:
    schema = pa.schema([("id", pa.int64()), ("x", kind)])
    with pytest.raises(UsageError, match=r"column x, and filters of DuckDB 1\.5\.5 lose rows"):
        refuse_floats(schema, "1.5.5", TABLE)
    refuse_floats(schema, "2.0.0", TABLE)


def test_other_columns_do_not() -> None:
    kinds = [pa.int8(), pa.string(), pa.decimal128(9, 2), pa.date32(), pa.timestamp("us")]
    schema = pa.schema([(str(kind), kind) for kind in kinds])
    refuse_floats(schema, "1.2.0", TABLE)


def test_duckdb_that_filters_decimals_wrongly_is_refused() -> None:
    for old in ("0.10.3", "1.0.0", "1.1.3"):
        with pytest.raises(UsageError, match=rf"DuckDB {old} on decimal.*Install duckdb>=1\.2"):
            refuse_old(old)
    for right in ("1.2.0", "1.3.0.dev12", "1.10.0", "2.0.1"):
        refuse_old(right)


def test_a_relation_of_an_old_duckdb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = MemoryTable()
    table.commit("append", {"day=1": ["a.parquet"]})
    monkeypatch.setattr(snapshot, "library", lambda *_: SimpleNamespace(__version__="1.1.3"))
    with pytest.raises(UsageError, match=r"Install duckdb>=1\.2"):
        table.open().duckdb()


@pytest.mark.parametrize("precision", [4, 10, 18, 20, 38])
def test_filters_of_the_supported_duckdb_find_decimals(precision: int) -> None:
    kind = pa.decimal128(precision, 2)
    prices = pa.array([PRICE, Decimal("2.50"), Decimal("-1.00")], kind)
    relation = duckdb.from_arrow(ds.dataset(pa.table({"price": prices})))
    assert relation.filter("price = 1.25").fetchall() == [(PRICE,)]
    assert relation.filter("price > 1.25").fetchall() == [(Decimal("2.50"),)]
    assert len(relation.filter("price <= 1.25").fetchall()) == 2
