"""Faults: what may go wrong with a request, and for which requests it does."""

import random
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

from repave_lab.proxy.operations import NAMES

Answer = Literal["own", "error", "reset", "none", "half"]


class Action(NamedTuple):
    """What a fault does: whether the server gets the request, and what the client gets."""

    is_applied: bool
    answer: Answer
    status: int = 0
    code: str = ""
    quotes: str = ""


ACTIONS: Final = {
    "error": Action(is_applied=False, answer="error", status=503, code="SlowDown"),
    "error_after": Action(is_applied=True, answer="error", status=500, code="InternalError"),
    "ok_error": Action(is_applied=False, answer="error", status=200, code="InternalError"),
    "ok_error_after": Action(is_applied=True, answer="error", status=200, code="InternalError"),
    "reset": Action(is_applied=False, answer="reset"),
    "lost": Action(is_applied=True, answer="reset"),
    "hang": Action(is_applied=False, answer="none"),
    "hang_after": Action(is_applied=True, answer="none"),
    "truncate": Action(is_applied=True, answer="half"),
    "delay": Action(is_applied=True, answer="own"),
    "delay_after": Action(is_applied=True, answer="own"),
}
DELAYS: Final = ("delay", "delay_after")
PASS: Final = Action(is_applied=True, answer="own")


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong, by operation and key. Without a choice it hits every request.

    do: `error` (answered with an error, never applied), `error_after` (applied, then an error),
        `ok_error` and `ok_error_after` (the same with status 200 and an <Error> body), `reset`
        (connection reset, not applied), `lost` (applied, then reset instead of the answer),
        `hang` and `hang_after` (no answer ever), `truncate` (half the answer), `delay` (reaches
        the server `ms` later, even when the client is gone by then), `delay_after` (applied at
        once, answered `ms` later). `Proxy.release` ends both earlier.
    op: an operation's name, several joined by `|`, or `*`.
    key: a regular expression searched for in the key; in any key of a DeleteObjects.
    nth, every, probability: which of the matching requests are hit; at most one of the three.
    times: how many requests are hit at most.
    quotes: a header whose value the error's message repeats, as some servers and gateways do.
    """

    do: str
    op: str = "*"
    key: str = ""
    nth: int | None = None
    every: int | None = None
    probability: float | None = None
    times: int | None = None
    status: int | None = None
    code: str | None = None
    ms: float = 0
    quotes: str = ""

    def __post_init__(self) -> None:
        """Refuse what would silently never fire."""
        if self.do not in ACTIONS:
            message = f"There is no fault {self.do!r}: choose one of {', '.join(ACTIONS)}."
            raise ValueError(message)
        unknown = [] if self.op == "*" else sorted(set(self.op.split("|")) - NAMES)
        if unknown:
            message = f"There is no S3 operation {unknown[0]!r}: names are like PutObject."
            raise ValueError(message)
        if sum(choice is not None for choice in (self.nth, self.every, self.probability)) > 1:
            message = "A fault takes one of nth, every and probability, not two."
            raise ValueError(message)
        if (self.do in DELAYS) != (self.ms > 0):
            message = "`ms` says how long `delay` and `delay_after` take; no other fault has it."
            raise ValueError(message)
        if self.quotes and ACTIONS[self.do].answer != "error":
            message = "`quotes` is for faults that answer with an error: there is no other text."
            raise ValueError(message)
        try:
            re.compile(self.key)
        except re.error as error:
            message = f"The key pattern {self.key!r} is not a regular expression: {error}."
            raise ValueError(message) from error

    def action(self) -> Action:
        action = ACTIONS[self.do]
        return action._replace(
            status=self.status or action.status, code=self.code or action.code, quotes=self.quotes
        )


class ArmedFault:
    """A fault with its counts: requests that matched, and those that it hit."""

    def __init__(self, fault: Fault, random_numbers: random.Random) -> None:
        self.fault = fault
        self.matched = 0
        self.hit = 0
        self._operations = None if fault.op == "*" else frozenset(fault.op.split("|"))
        self._key = re.compile(fault.key)
        self._random = random_numbers

    def strikes(self, operation: str, keys: Iterable[str]) -> bool:
        """Whether this request is hit. Each matching request is counted, hit or not."""
        if self._operations is not None and operation not in self._operations:
            return False
        if self.fault.key and not any(self._key.search(key) for key in keys):
            return False
        self.matched += 1
        chosen = self._chooses()
        return chosen and (self.fault.times is None or self.hit < self.fault.times)

    def _chooses(self) -> bool:
        fault = self.fault
        if fault.nth is not None:
            return self.matched == fault.nth
        if fault.every is not None:
            return self.matched % fault.every == 0
        if fault.probability is not None:
            return self._random.random() < fault.probability
        return True

    def counts(self) -> dict[str, Any]:
        return {**asdict(self.fault), "matched": self.matched, "hit": self.hit}


class FaultPlan:
    """The faults in force. The first that strikes acts, yet all of them count the request."""

    def __init__(self, faults: Iterable[Fault] = (), seed: int = 0) -> None:
        # Each fault draws its own numbers: adding one does not change what another one hits.
        self.armed = [
            ArmedFault(fault, random.Random(f"{seed}/fault/{place}"))  # noqa: S311 - no secret
            for place, fault in enumerate(faults)
        ]

    def strike(self, operation: str, keys: Iterable[str]) -> Fault | None:
        struck = [armed for armed in self.armed if armed.strikes(operation, keys)]
        if not struck:
            return None
        struck[0].hit += 1
        return struck[0].fault
