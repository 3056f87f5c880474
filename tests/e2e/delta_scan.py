"""DuckDB's `delta_scan`, from the extensions on PyPI: DuckDB would download its own."""

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = pytest.importorskip("duckdb")

UNSIGNED: Final[dict[str, Any]] = {"allow_unsigned_extensions": "true"}
# Set by `make test-duckdb-delta`, where a missing extension is an error.
REQUIRED: Final = "REPAVE_DUCKDB_DELTA"


def delta_extension(name: str = "delta") -> Path | None:
    """Return an extension of DuckDB, if the one for its version is installed."""
    found = _extension(name)
    if found is None and os.environ.get(REQUIRED):
        message = f"duckdb-extension-{name}=={duckdb.__version__} is not installed"
        raise RuntimeError(message)
    return found


def _extension(name: str) -> Path | None:
    try:
        extension = importlib.import_module(f"duckdb_extension_{name}")
    except ImportError:
        return None
    folder = Path(str(extension.__file__)).parent
    return next(
        (it for it in folder.rglob("*.duckdb_extension") if duckdb.__version__ in str(it)), None
    )


def let_scan_delta(connection: "duckdb.DuckDBPyConnection", host: str) -> None:
    """Load what a connection needs to scan Delta tables, of the lab's store if it has a host."""
    connection.execute(f"LOAD '{delta_extension()}'")
    if host:
        let_read_s3(connection, host)


def let_read_s3(connection: "duckdb.DuckDBPyConnection", host: str) -> None:
    """Load what a connection needs to read files of the lab's store."""
    connection.execute(f"LOAD '{delta_extension('httpfs')}'")
    connection.execute(
        "CREATE SECRET (TYPE s3, KEY_ID 'repave-lab', SECRET 'repave-lab-secret', "
        f"REGION 'us-east-1', ENDPOINT '{host}', USE_SSL false, URL_STYLE 'path')"
    )
