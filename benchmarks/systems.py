"""Every system by its name, in the order of the report."""

from collections.abc import Callable
from typing import Final

from benchmarks.floor import LocalDisk, PlainPuts
from benchmarks.folders import (
    emrfs_stand_in,
    magic,
    plain_job,
    repave_listing,
    repave_snapshot,
    staging,
    stock,
)
from benchmarks.formats import Delta, iceberg, iceberg_s3fileio, iceberg_sorted
from benchmarks.run_context import System

SYSTEMS: Final[dict[str, Callable[[], System]]] = {
    "local-disk": LocalDisk,
    "plain-puts": PlainPuts,
    "plain-job": plain_job,
    "repave-snapshot": repave_snapshot,
    "repave-listing": repave_listing,
    "emrfs-stand-in": emrfs_stand_in,
    "iceberg-s3fileio": iceberg_s3fileio,
    "iceberg-s3fileio-sorted": iceberg_sorted,
    "iceberg": iceberg,
    "delta": Delta,
    "staging": staging,
    "magic": lambda: magic("files"),
    "magic-in-memory": lambda: magic("memory"),
    "stock-v2": lambda: stock(2),
    "stock-v1": lambda: stock(1),
}
