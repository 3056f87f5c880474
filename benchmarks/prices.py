"""What the requests of a write cost by the list of `prices.toml`."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.toml import read_toml


def dollars(requests: Mapping[str, int]) -> float:
    """Return the list price of requests by operation.

    >>> round(dollars({"PutObject": 1000, "GetObject": 1000, "DeleteObjects": 7}), 6)
    0.0054
    """
    return sum(count * _price(name) for name, count in requests.items()) / 1000


def _price(operation: str) -> float:
    prices = _prices()
    if operation in prices["free"]["operations"]:
        return 0.0
    is_read = operation in prices["reads"]["operations"]
    return float(prices["reads"]["price"] if is_read else prices["writes"])


@cache
def _prices() -> dict[str, Any]:
    return read_toml("prices.toml")
