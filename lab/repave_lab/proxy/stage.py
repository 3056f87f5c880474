"""What the connections of one proxy share."""

import asyncio
from dataclasses import dataclass, field

from repave_lab.proxy.faults import FaultPlan
from repave_lab.proxy.journal import Journal
from repave_lab.proxy.latency import Latency, LatencyModel
from repave_lab.proxy.limits import TokenBuckets
from repave_lab.proxy.remembered import Remembered
from repave_lab.proxy.sizes import ObjectSizes


@dataclass
class Stage:
    """The server behind the proxy, what shall happen on the way, and what has happened."""

    host: str
    port: int
    journal: Journal
    seed: int = 0
    plan: FaultPlan = field(default_factory=FaultPlan)
    sizes: ObjectSizes = field(default_factory=ObjectSizes)
    latency: Latency = field(default_factory=lambda: Latency(LatencyModel(), 0))
    buckets: TokenBuckets | None = None
    remembered: Remembered | None = None
    """Listings that are not asked of the server again."""
    in_flight: int = 0
    """Requests that are not in the journal yet."""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Is set when the requests that are held now may go on; later ones have another."""

    def set_model(self, model: LatencyModel) -> None:
        """Replace the model; its random numbers and its buckets start afresh."""
        self.latency = Latency(model, self.seed)
        self.buckets = TokenBuckets(model.limits) if model.limits else None

    def release(self) -> None:
        """End the delays of all requests that are on their way."""
        self.released.set()
        self.released = asyncio.Event()

    def reset(self, seed: int) -> None:
        """Forget faults, journal and random numbers. The model, known sizes and listings stay."""
        self.seed = seed
        self.plan = FaultPlan()
        self.journal.clear()
        self.set_model(self.latency.model)
