"""Every system by its name, in the order of the report."""

from collections.abc import Callable
from typing import Final

from benchmarks.floor import PlainPuts
from benchmarks.folders import magic, repave_listing, repave_snapshot, staging, stock
from benchmarks.formats import Delta, Iceberg
from benchmarks.ground import System

SYSTEMS: Final[dict[str, Callable[[], System]]] = {
    "plain-puts": PlainPuts,
    "repave-snapshot": repave_snapshot,
    "repave-listing": repave_listing,
    "iceberg": Iceberg,
    "delta": Delta,
    "staging": staging,
    "magic": lambda: magic("files"),
    "magic-in-memory": lambda: magic("memory"),
    "stock-v2": lambda: stock(2),
    "stock-v1": lambda: stock(1),
}
