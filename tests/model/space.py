"""The state space of one configuration, packed: a state is one int.

The id of the shared part stands above the ids of the actors' places. What an actor can do depends
on the shared part and its own place only, so its steps are worked out once for each such pair and
kept as differences to add; the same goes for the invariants.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from .canceller import Canceller
from .driver import Driver
from .environment import Environment, Vacuum
from .invariants import Invariants
from .recoverer import Recoverer
from .state import ABSENT, IDLE, NO_PLAN, Local, Shared
from .world import Configuration, Feature, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    Actor = Canceller | Driver | Environment | Recoverer | Vacuum

T = TypeVar("T")
Places = tuple[Local, ...]


class InvariantError(Exception):
    """An invariant does not hold in a state that was reached."""


class Ids(Generic[T]):
    """Numbers for things, in the order of their first appearance."""

    def __init__(self) -> None:
        self.numbers: dict[T, int] = {}
        self.things: list[T] = []

    def number(self, thing: T) -> int:
        """Find a thing's number, or give it the next one."""
        found = self.numbers.get(thing)
        if found is None:
            found = self.numbers[thing] = len(self.things)
            self.things.append(thing)
        return found


class Move(NamedTuple):
    """A step of an actor in one seat: who moved from where to where, and the whole seat after."""

    words: str
    shared: Shared
    places: Places
    before: Local
    after: Local


class Seat:
    """One field of the packed state: an actor, or several that nothing tells apart."""

    def __init__(self, actor: Actor, start: Places, bits: int, offset: int) -> None:
        self.actor = actor
        self.bits = bits
        self.offset = offset
        self.ids: Ids[Places] = Ids()
        self.ids.number(start)
        self.known: dict[int, tuple[int, ...]] = {}

    def moves(self, shared: Shared, places: Places) -> Iterator[Move]:
        """Yield every step; alike actors are kept sorted, so that one order stands for both."""
        for n, local in enumerate(places):
            if local in places[:n]:
                continue
            for step in self.actor.moves(shared, local):
                after = tuple(sorted((*places[:n], step.local, *places[n + 1 :])))
                yield Move(step.words, step.shared, after, local, step.local)


class Space:
    """The packed state space: its first state and the ways on from any state."""

    def __init__(self, configuration: Configuration) -> None:
        self.world = World(configuration)
        self.invariants = Invariants(configuration)
        self.shared: Ids[Shared] = Ids()
        self.seats: list[Seat] = []
        self.width = 0
        self._seat(Environment(self.world), (IDLE,), 0)
        for job in range(len(self.world.jobs)):
            driver = Driver(self.world, job)
            self._seat(driver, (driver.start,), 9)
        if configuration.recoverers:
            self._seat(Recoverer(self.world), (IDLE,) * configuration.recoverers, 15)
        if Feature.VACUUM in self.world.features:
            self._seat(Vacuum(self.world), (IDLE,), 6)
        if Feature.CANCEL in self.world.features:
            self._seat(Canceller(self.world), (IDLE,), 9)
        self.first = self.shared.number(self.first_shared()) << self.width

    def _seat(self, actor: Actor, start: Places, bits: int) -> None:
        self.seats.append(Seat(actor, start, bits, self.width))
        self.width += bits

    def first_shared(self) -> Shared:
        """Set the table up: one old file in each partition, every task's uploads open."""
        world = self.world
        jobs = len(world.jobs)
        put = world.all_job_files if world.snapshot else 0
        return Shared(
            objects=world.old | put,
            open_uploads=world.all_job_files & ~put,
            used_keys=world.old | put,
            ledgers=0,
            marks=0,
            statuses=(ABSENT,) * jobs,
            plans=(NO_PLAN,) * jobs,
            live=world.old,
            order=(),
            stale=0,
            ever_live=world.old if world.snapshot else 0,
            in_flight=(),
            beats=(0,) * jobs,
            versions=(world.old,) if world.followed else (),
        )

    def differences(self, seat: Seat, shared_id: int, place_id: int) -> tuple[int, ...]:
        """Work out what to add to a state for each step of one seat; check what it sees."""
        shared = self.shared.things[shared_id]
        places = seat.ids.things[place_id]
        self.check(seat, shared, places)
        found: dict[int, None] = {}  # ordered, so that a trace shows the plain step first
        for move in seat.moves(shared, places):
            to_shared = self.shared.number(move.shared) - shared_id
            to_place = seat.ids.number(move.places) - place_id
            found[(to_shared << self.width) + (to_place << seat.offset)] = None
        if len(seat.ids.things) > 1 << seat.bits > 1:
            message = f"{len(seat.ids.things)} places need more than {seat.bits} bits"
            raise OverflowError(message)
        found.pop(0, None)
        return tuple(found)

    def check(self, seat: Seat, shared: Shared, places: Places) -> None:
        """Check the store once for each shared part, and each actor's belief about it."""
        if isinstance(seat.actor, Environment):
            words = self.invariants.broken(shared)
        else:
            words = next(filter(None, (self.invariants.wrong_end(shared, p) for p in places)), "")
        if words:
            raise InvariantError(words)

    def explain(self, path: list[int]) -> Iterator[str]:
        """Put a path of states into words; alike actors keep the number they started with."""
        alike = {seat: list(seat.ids.things[0]) for seat in self.seats}
        for state, after in pairwise(path):
            seat, move = self.step_between(state, after)
            number = alike[seat].index(move.before)
            alike[seat][number] = move.after
            name = seat.actor.name + (f" {number + 1}" if len(alike[seat]) > 1 else "")
            yield f"{name}: {move.words}"

    def step_between(self, state: int, after: int) -> tuple[Seat, Move]:
        """Find the step that leads from one state to the next."""
        shared_id = state >> self.width
        for seat in self.seats:
            place_id = state >> seat.offset & (1 << seat.bits) - 1
            for move in seat.moves(self.shared.things[shared_id], seat.ids.things[place_id]):
                to_shared = self.shared.number(move.shared) - shared_id
                to_place = seat.ids.number(move.places) - place_id
                if state + (to_shared << self.width) + (to_place << seat.offset) == after:
                    return seat, move
        message = f"no step leads from state {state} to {after}"
        raise LookupError(message)
