"""Token buckets: the request rate of a prefix above which S3 says SlowDown."""

from dataclasses import dataclass

from repave_lab.proxy.operations import WRITES


@dataclass(frozen=True)
class RateLimits:
    """Requests a second for each prefix of `prefix_depth` key segments."""

    writes_per_second: float = 3500
    reads_per_second: float = 5500
    prefix_depth: int = 1
    burst_seconds: float = 1.0


class TokenBuckets:
    """The buckets of all prefixes, filled by the clock that the caller passes in."""

    def __init__(self, limits: RateLimits) -> None:
        self._limits = limits
        self._tokens: dict[tuple[bool, str, str], tuple[float, float]] = {}

    def admit(self, operation: str, bucket: str, keys: list[str], now: float) -> bool:
        """Take a token for each key, or answer that there are not enough.

        A DeleteObjects counts as one write for each key; the first key stands for its prefix.
        """
        is_write = operation in WRITES
        limits = self._limits
        rate = limits.writes_per_second if is_write else limits.reads_per_second
        capacity = rate * limits.burst_seconds
        prefix = "/".join((keys[0] if keys else "").split("/")[: limits.prefix_depth])
        tokens, filled = self._tokens.get((is_write, bucket, prefix), (capacity, now))
        tokens = min(capacity, tokens + (now - filled) * rate)
        # A full bucket admits one request of any size, or a big one would never pass.
        cost = min(max(1, len(keys)), capacity)
        admitted = tokens >= cost
        self._tokens[(is_write, bucket, prefix)] = (tokens - cost if admitted else tokens, now)
        return admitted
