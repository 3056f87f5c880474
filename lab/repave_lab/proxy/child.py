"""The proxy as a child process, and its control from Python."""

import http.client
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, final
from urllib.parse import urlsplit

from repave_lab.child import LabError, start_announcing_child, tail
from repave_lab.proxy.faults import Fault
from repave_lab.proxy.journal import Entry
from repave_lab.proxy.latency import LatencyModel

CONTROL_SECONDS = 60.0
POLL_SECONDS = 0.02


@final
class Proxy:
    """A running proxy. It stops at the end of the `with` block, or with this process."""

    def __init__(
        self, upstream: str, *, seed: int = 0, model: str | Path | None = None, port: int = 0
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the proxy
        arguments = ["repave_lab.proxy", "--upstream", upstream, "--seed", str(seed)]
        arguments += ["--port", str(port), "--until-stdin-closes"]
        arguments += ["--model", str(model)] if model else []
        try:
            self._child, told = start_announcing_child(arguments, self._errors)
        except LabError:
            self._errors.close()
            raise
        self.endpoint: str = told["endpoint"]
        self.control: str = told["control"]

    @property
    def pid(self) -> int:
        return self._child.pid

    def set_faults(self, faults: Iterable[Fault | Mapping[str, Any]]) -> None:
        """Replace the faults in force; an empty list ends them."""
        values = [asdict(fault) if isinstance(fault, Fault) else dict(fault) for fault in faults]
        self._post("faults", values)

    def set_model(self, model: LatencyModel | Mapping[str, Any] | str | None) -> None:
        """Replace the latency model by another, a shipped one's name, or none."""
        value = model.as_dict() if isinstance(model, LatencyModel) else model
        self._post("model", {"model": value})

    def remember_listings(self) -> None:
        """Ask the server for each page of a listing once only, until `forget_listings`.

        The first answer is repeated, after the model's wait. Other requests run in parallel, as in
        S3.
        """
        self._post("remember", True)

    def forget_listings(self) -> None:
        """Ask the server for each listing again."""
        self._post("remember", False)

    def reset(self, seed: int | None = None) -> None:
        """Forget faults, counts and journal; start the random numbers again. The model stays."""
        self._post("reset", {} if seed is None else {"seed": seed})

    def journal(self, since: int = 0) -> list[Entry]:
        """Return the requests since the last reset, without the first `since`, as they ended."""
        lines = self._request("GET", f"journal?since={since}").splitlines()
        return [Entry(**json.loads(line)) for line in lines]

    def counts(self) -> Counter[str]:
        """Return how many requests of each operation have ended since the last reset."""
        return Counter(json.loads(self._request("GET", "counts")))

    def status(self) -> dict[str, Any]:
        """Return the seed, the model, and the faults with how often each matched and hit."""
        status: dict[str, Any] = json.loads(self._request("GET", "status"))
        return status

    def wait_for_hits(self, hits: int = 1, seconds: float = 60) -> None:
        """Wait until the faults in force have hit so many requests.

        With `hang` this stops a driver at a certain request, to be killed there.
        """
        self._wait(
            lambda: sum(fault["hit"] for fault in self.status()["faults"]) >= hits,
            seconds,
            f"No {hits} requests were hit by a fault within {seconds} s.",
        )

    def release(self) -> None:
        """Let the requests that a `delay` or `delay_after` holds go on now."""
        self._post("release", None)

    def settle(self, seconds: float = 60) -> None:
        """Wait until every request has ended, also those whose client is gone."""
        self._wait(
            lambda: self.status()["in_flight"] == 0,
            seconds,
            f"Requests were still under way after {seconds} s.",
        )

    def stop(self) -> None:
        self._child.stop()
        self._errors.close()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _wait(self, condition: Callable[[], bool], seconds: float, sentence: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(sentence)
            time.sleep(POLL_SECONDS)

    def _post(self, name: str, value: object) -> None:
        self._request("POST", name, json.dumps(value))

    def _request(self, method: str, name: str, body: str | None = None) -> str:
        url = urlsplit(self.control)
        connection = http.client.HTTPConnection(
            str(url.hostname), url.port, timeout=CONTROL_SECONDS
        )
        try:
            connection.request(method, url.path + name, body)
            answer = connection.getresponse()
            text = answer.read().decode()
        except OSError as error:
            message = f"The fault proxy does not answer ({error}):\n{tail(self._errors)}"
            raise LabError(message) from error
        finally:
            connection.close()
        if answer.status != http.HTTPStatus.OK:
            raise ValueError(json.loads(text)["error"])
        return text
