"""DuckDB 1 loses rows with NaN, because it leaves filters to pyarrow."""

import pyarrow as pa
import pytest

from repave._errors import UsageError
from repave._snapshot.duckdb_rows import refuse_floats

TABLE = "s3://lake/sales"
NESTED = pa.list_(pa.struct([("x", pa.float32())]))


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16(), NESTED])
def test_floating_point_columns_need_duckdb_2(kind: pa.DataType) -> None:
    schema = pa.schema([("id", pa.int64()), ("x", kind)])
    with pytest.raises(UsageError, match=r"column x, and filters of DuckDB 1\.5\.5 lose rows"):
        refuse_floats(schema, "1.5.5", TABLE)
    refuse_floats(schema, "2.0.0", TABLE)


def test_other_columns_do_not() -> None:
    kinds = [pa.int8(), pa.string(), pa.decimal128(9, 2), pa.date32(), pa.timestamp("us")]
    schema = pa.schema([(str(kind), kind) for kind in kinds])
    refuse_floats(schema, "1.1.3", TABLE)
