"""What shall happen to a request: decided once, when its operation and keys are known."""

from typing import Final, NamedTuple

from repave_lab.proxy.faults import PASS, Action
from repave_lab.proxy.journal import Entry
from repave_lab.proxy.stage import Stage

LIMITED: Final = Action(is_applied=False, answer="error", status=503, code="SlowDown")


class Verdict(NamedTuple):
    """The action, and when: in the event loop's time."""

    action: Action
    forward_at: float
    answer_at: float
    bytes_per_second: float | None
    """The speed of the answer's body, where the model has one."""


def decide(stage: Stage, entry: Entry, keys: list[str], now: float) -> Verdict:
    """Ask the faults, the rate limits and the latency model; name the fault in the entry."""
    fault = stage.plan.strike(entry.op, keys)
    action = fault.action() if fault else PASS
    entry.fault = fault.do if fault else None
    is_admitted = stage.buckets is None or stage.buckets.admit(entry.op, entry.bucket, keys, now)
    if fault is None and not is_admitted:
        action, entry.fault = LIMITED, "limit"
    answer_at = now + stage.latency.draw(entry.op, len(entry.keys or ()))
    call = stage.latency.model.call(entry.op)
    if call is not None:
        answer_at += call.stream_seconds(entry.stored or entry.copied or 0)
    late = fault.ms / 1000 if fault else 0.0
    return Verdict(
        action=action,
        forward_at=now + late if entry.fault == "delay" else now,
        answer_at=answer_at + late,
        bytes_per_second=call.bytes_per_second() if call and entry.op == "GetObject" else None,
    )
