"""As much of the Kubernetes API as Spark needs: objects by name, over HTTP on the loopback."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

# ruff: noqa: ANN401 - JSON, and the names that http.server calls

Object = dict[str, Any]
PATH = re.compile(r"^/api/v1/namespaces/(?P<space>[^/]+)/(?P<kind>[^/]+)(?:/(?P<name>[^/]+))?$")
REQUIREMENT = re.compile(r"^([^!=]+)(!?=)=?(.*)$")


class KubernetesApi:
    """The objects of a cluster; whoever runs its pods is told of each that comes or goes."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], Object] = {}
        self._lock = threading.RLock()
        self._versions = count(1)
        self.created: Callable[[str, Object], None] = lambda _kind, _object: None
        self.deleted: Callable[[str, Object], None] = lambda _kind, _object: None

    def get(self, kind: str, name: str) -> Object | None:
        with self._lock:
            return self._objects.get((kind, name))

    def all(self, kind: str, selector: str = "") -> list[Object]:
        """Return the objects of a kind whose labels meet every requirement."""
        with self._lock:
            return [
                one
                for (found, _), one in self._objects.items()
                if found == kind and _selected(one, selector)
            ]

    def put(self, kind: str, name: str, sent: Object) -> Object:
        with self._lock:
            before = self._objects.get((kind, name))
            version = str(next(self._versions))
            own = {"namespace": "default", "uid": f"uid-{name}", "resourceVersion": version}
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            made = (before or {}).get("metadata", {}).get("creationTimestamp", stamp)
            metadata = {**sent["metadata"], **own, "creationTimestamp": made}
            stored = self._objects[kind, name] = {**sent, "metadata": metadata}
        if before is None:
            self.created(kind, stored)
        return stored

    def status(self, name: str, status: Object) -> None:
        """Set the status of a pod, unless it was deleted meanwhile."""
        with self._lock:
            pod = self._objects.get(("pods", name))
            if pod:
                self.put("pods", name, {**pod, "status": status})

    def delete(self, kind: str, name: str) -> Object | None:
        with self._lock:
            gone = self._objects.pop((kind, name), None)
        if gone:
            self.deleted(kind, gone)
        return gone


def _selected(one: Object, selector: str) -> bool:
    labels = one["metadata"].get("labels", {})
    for requirement in filter(None, selector.split(",")):
        found = REQUIREMENT.match(requirement)
        assert found, f"the selector {selector} has a form that Spark did not use before"
        label, equals, value = found.groups()
        if (labels.get(label) == value) != (equals == "="):
            return False
    return True


class _Handler(BaseHTTPRequestHandler):
    """One request; a watch is refused, so that Spark asks again and again."""

    protocol_version = "HTTP/1.1"
    api: KubernetesApi

    def do_GET(self) -> None:
        kind, name, query = self._asked()
        if "watch" in query or self.headers.get("Upgrade"):
            self._answer(403, _failure("Forbidden", 403))
        elif name:
            self._found(self.api.get(kind, name))
        else:
            items = self.api.all(kind, query.get("labelSelector", ""))
            self._answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items})

    def do_POST(self) -> None:
        kind, _, _ = self._asked()
        sent = self._sent()
        name = sent["metadata"]["name"]
        if self.api.get(kind, name):
            self._answer(409, _failure("AlreadyExists", 409))
        else:
            self._answer(201, self.api.put(kind, name, sent))

    def do_PUT(self) -> None:
        kind, name, _ = self._asked()
        self._answer(200, self.api.put(kind, name, self._sent()))

    def do_PATCH(self) -> None:
        kind, name, _ = self._asked()
        sent = self._sent()
        if (
            isinstance(sent, dict)
            and "metadata" in sent
            and "apply" in self.headers["Content-Type"]
        ):
            self._answer(200, self.api.put(kind, name, sent))
        else:
            # Spark labels pods like this; no test asks for these labels.
            self._found(self.api.get(kind, name))

    def do_DELETE(self) -> None:
        kind, name, query = self._asked()
        self._sent()
        names = (
            [name]
            if name
            else [
                one["metadata"]["name"]
                for one in self.api.all(kind, query.get("labelSelector", ""))
            ]
        )
        gone = [self.api.delete(kind, each) for each in names]
        if name and not gone[0]:
            self._answer(404, _failure("NotFound", 404))
        else:
            self._answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def _asked(self) -> tuple[str, str, dict[str, str]]:
        url = urlsplit(self.path)
        found = PATH.match(url.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        return (found["kind"], found["name"] or "", query) if found else ("none", "", query)

    def _sent(self) -> Any:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        return json.loads(body) if body else {}

    def _found(self, one: Object | None) -> None:
        self._answer(200, one) if one else self._answer(404, _failure("NotFound", 404))

    def _answer(self, code: int, document: Object) -> None:
        body = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _failure(reason: str, code: int) -> Object:
    own = {"status": "Failure", "reason": reason, "code": code, "message": reason}
    return {"kind": "Status", "apiVersion": "v1", **own}


@contextmanager
def serving(api: KubernetesApi) -> Iterator[str]:
    """Yield the address of the API."""
    handler = type("Handler", (_Handler,), {"api": api})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
