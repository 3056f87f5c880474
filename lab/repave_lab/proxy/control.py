"""The proxy's control, on a path that no bucket can have.

POST /_repave-lab/faults     a JSON list of faults, which replaces those in force
POST /_repave-lab/model      a JSON object with `model`: a shipped model's name, a model, or null
POST /_repave-lab/remember   true: ask the server for each listing only once; false: each time
POST /_repave-lab/release    let the requests that a `delay` or `delay_after` holds go on now
POST /_repave-lab/reset      forget faults, counts, journal; {"seed": 7} starts from that seed
GET  /_repave-lab/journal    NDJSON, one line for each request; ?since=N leaves out the first N
GET  /_repave-lab/counts     requests by operation
GET  /_repave-lab/status     what is in force, and how often each fault matched and hit
"""

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from repave_lab.proxy.answers import plain, refusal
from repave_lab.proxy.faults import Fault, FaultPlan
from repave_lab.proxy.latency import LatencyModel, load_model, model_from
from repave_lab.proxy.remembered import Remembered
from repave_lab.proxy.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

CONTROL_PATH: Final = "/_repave-lab/"


class Control:
    """Answers control requests."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._actions: dict[tuple[str, str], Callable[[Any], object]] = {
            ("POST", "faults"): self._set_faults,
            ("POST", "model"): self._set_model,
            ("POST", "remember"): self._remember,
            ("POST", "release"): lambda _: stage.release(),
            ("POST", "reset"): self._reset,
            ("GET", "counts"): lambda _: stage.journal.counts(),
            ("GET", "status"): lambda _: self._status(),
        }

    def answer(self, method: str, target: str, body: bytes) -> bytes:
        url = urlsplit(target)
        name = url.path.removeprefix(CONTROL_PATH)
        if (method, name) == ("GET", "journal"):
            since = int(parse_qs(url.query).get("since", ["0"])[0])
            return plain(200, "application/x-ndjson", self._stage.journal.lines(since).encode())
        action = self._actions.get((method, name))
        if action is None:
            return refusal(f"The proxy's control has no {method} {name}.", 404)
        try:
            result = action(json.loads(body or b"null"))
        except (ValueError, TypeError, KeyError, OSError) as error:
            return refusal(str(error))
        return plain(200, "application/json", json.dumps(result).encode())

    def _set_faults(self, values: list[dict[str, Any]]) -> object:
        faults = [Fault(**value) for value in values]
        self._stage.plan = FaultPlan(faults, self._stage.seed)
        return self._status()

    def _set_model(self, values: dict[str, Any]) -> object:
        model = values["model"]
        if model is None:
            self._stage.set_model(LatencyModel())
        elif isinstance(model, str):
            self._stage.set_model(load_model(model))
        else:
            self._stage.set_model(model_from(model))
        return self._status()

    def _remember(self, on: bool) -> None:  # noqa: FBT001 - a JSON value
        self._stage.remembered = Remembered() if on else None

    def _reset(self, values: dict[str, Any] | None) -> object:
        self._stage.reset((values or {}).get("seed", self._stage.seed))
        return self._status()

    def _status(self) -> object:
        return {
            "seed": self._stage.seed,
            "faults": [armed.counts() for armed in self._stage.plan.armed],
            "in_flight": self._stage.in_flight,
            "model": self._stage.latency.model.as_dict(),
            "counts": self._stage.journal.counts(),
        }
