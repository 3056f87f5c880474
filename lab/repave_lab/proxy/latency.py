"""How long a call takes: lognormal times and stream speeds, read from a model file."""

import math
import random
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from repave_lab.proxy.limits import RateLimits
from repave_lab.proxy.operations import NAMES, OTHER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODELS: Final = Path(__file__).resolve().parent.parent / "models"
P99_SIGMAS: Final = 2.326
"""The standard normal's 99th percentile."""


@dataclass(frozen=True)
class CallTime:
    """The times of one operation."""

    median_ms: float
    p99_ms: float
    mb_per_second: float | None = None
    ms_per_key: float = 0

    def __post_init__(self) -> None:
        """Refuse a distribution that is none."""
        if not 0 <= self.median_ms <= self.p99_ms:
            message = f"median_ms {self.median_ms} must lie between 0 and p99_ms {self.p99_ms}."
            raise ValueError(message)

    def seconds(self, normal: float, keys: int) -> float:
        """Return the time without the body's, for a draw from the standard normal."""
        median_ms = self.median_ms + self.ms_per_key * keys
        if not median_ms or self.p99_ms == self.median_ms:
            return median_ms / 1000
        sigma = math.log(self.p99_ms / self.median_ms) / P99_SIGMAS
        return median_ms / 1000 * math.exp(sigma * normal)

    def stream_seconds(self, size: int) -> float:
        """Return what a body of this size adds."""
        rate = self.bytes_per_second()
        return size / rate if rate else 0.0

    def bytes_per_second(self) -> float | None:
        return self.mb_per_second * 1e6 if self.mb_per_second else None


@dataclass(frozen=True)
class LatencyModel:
    """The times of all operations, and the request rates at which S3 says SlowDown."""

    name: str = "none"
    calls: Mapping[str, CallTime] = field(default_factory=dict)
    limits: RateLimits | None = None

    def call(self, operation: str) -> CallTime | None:
        return self.calls.get(operation) or self.calls.get(OTHER)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Latency:
    """A model with its random numbers: one stream for each operation.

    The n-th PutObject of a run takes the same time whatever other operations run at that time.
    """

    def __init__(self, model: LatencyModel, seed: int) -> None:
        self.model = model
        self._seed = seed
        self._random: dict[str, random.Random] = {}

    def draw(self, operation: str, keys: int = 0) -> float:
        """Return the seconds of the next call, without its body's."""
        call = self.model.call(operation)
        if call is None:
            return 0.0
        numbers = self._random.get(operation)
        if numbers is None:
            numbers = random.Random(f"{self._seed}/{operation}")  # noqa: S311 - no secret
            self._random[operation] = numbers
        return call.seconds(numbers.gauss(0.0, 1.0), keys)


def model_from(values: Mapping[str, Any]) -> LatencyModel:
    """Read a model from what a TOML file or a control request says."""
    calls = dict(values.get("calls") or {})
    unknown = sorted(set(calls) - NAMES) + sorted(set(values) - {"name", "calls", "limits"})
    if unknown:
        message = f"A latency model has no place for {unknown[0]!r}."
        raise ValueError(message)
    limits = values.get("limits")
    return LatencyModel(
        name=str(values.get("name", "unnamed")),
        calls={name: CallTime(**call) for name, call in calls.items()},
        limits=RateLimits(**limits) if limits else None,
    )


def load_model(name_or_path: str | Path) -> LatencyModel:
    """Load a model that ships with repave by its name, or any by its path."""
    path = Path(name_or_path)
    if not path.suffix:
        path = MODELS / f"{name_or_path}.toml"
    if not path.is_file():
        shipped = ", ".join(sorted(model.stem for model in MODELS.glob("*.toml")))
        message = f"There is no latency model {path}: give a path, or one of {shipped}."
        raise FileNotFoundError(message)
    return model_from(tomllib.loads(path.read_text("utf-8")))
