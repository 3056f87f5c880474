"""Embedded S3 servers: started on a free loopback port, stopped when the block ends."""

import argparse
import contextlib
import http.client
import importlib.util
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import boto3
from botocore.config import Config

from repave_lab.announce import (
    add_end_option,
    announce,
    ending_programs_cleanly,
    wait_for_end,
)
from repave_lab.child import Child, LabError, free_port, start_child, tail
from repave_lab.dialects import DIALECTS, Dialect

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

READY_SECONDS = 90.0
POLL_SECONDS = 0.05
START_ATTEMPTS = 3
REGION = "us-east-1"


@dataclass(frozen=True)
class Recipe:
    """How one kind of server is run, and which packages have to be there."""

    module: str
    packages: tuple[str, ...]
    install: str
    arguments: Callable[[int], list[str]]
    environment: Callable[[int, Path], Mapping[str, str]]


@dataclass(frozen=True)
class S3Server:
    """A running embedded server. Its credentials are dummies; it checks none."""

    name: str
    endpoint: str
    dialect: Dialect
    log: Path
    pid: int
    access_key: str = "repave-lab"
    secret_key: str = "repave-lab-secret"  # noqa: S105 - a dummy for a loopback server
    region: str = REGION

    def client(self, endpoint: str | None = None, **options: Any) -> "S3Client":  # noqa: ANN401
        """Return a boto3 client without retries; `endpoint` may be that of a proxy before it."""
        config = Config(
            s3={"addressing_style": "path"},
            retries={"total_max_attempts": 1},
            max_pool_connections=64,
            connect_timeout=5,
            read_timeout=60,
            proxies={},  # A proxy of the machine must not get between us and loopback.
        )
        return boto3.client(
            "s3",
            endpoint_url=endpoint or self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            config=config.merge(Config(**options)),
        )


UVICORN: Final = (
    "--host=127.0.0.1",  # UVICORN_HOST of the user must not open it to others.
    "--http=httptools",
    "--timeout-keep-alive=75",
    "--no-access-log",
    "--no-server-header",
    "--no-date-header",
    "--no-proxy-headers",
)
SERVERS: Final = "`pip install -e . -e 'lab[servers]'` in the clone"
RECIPES: Final = {
    "moto": Recipe(
        module="moto.server",
        packages=("moto",),
        install=SERVERS,
        arguments=lambda port: ["-H", "127.0.0.1", "-p", str(port)],
        environment=lambda _port, _folder: {},
    ),
    # Its own web server, Hypercorn, takes half again as much CPU time for a request.
    "ministack": Recipe(
        module="uvicorn",
        packages=("ministack", "uvicorn", "httptools"),
        install=SERVERS,
        arguments=lambda port: ["ministack.app:app", f"--port={port}", *UVICORN],
        environment=lambda port, folder: {
            "GATEWAY_PORT": str(port),
            "SERVICES": "s3",
            "S3_DATA_DIR": str(folder / "data"),
            "STATE_DIR": str(folder / "state"),
            "DOCKER_HOST": f"unix://{folder}/no-docker",
        },
    ),
    # Optional: 500 MB, twelve seconds to start. Independent, and it replays a Complete with 404.
    "localstack": Recipe(
        module="localstack.runtime.main",
        packages=("localstack",),
        install="`make test-localstack`, which has an environment of its own",
        arguments=lambda _port: [],
        environment=lambda port, folder: {
            "GATEWAY_SERVER": "hypercorn",
            "GATEWAY_LISTEN": f"127.0.0.1:{port}",
            "SERVICES": "s3",
            "LOCALSTACK_VOLUME_DIR": str(folder / "volume"),
            "DNS_ADDRESS": "0",
            "DISABLE_EVENTS": "1",  # Nothing leaves this machine.
            "SKIP_SSL_CERT_DOWNLOAD": "1",
        },
    ),
}


@contextlib.contextmanager
def embedded_s3(name: str = "ministack", log: Path | None = None) -> Iterator[S3Server]:
    """Run a server for the length of the block, empty at its start."""
    recipe = _recipe(name)
    folder = Path(tempfile.mkdtemp(prefix=f"repave-{name}-"))
    log = log or folder / "server.log"
    try:
        with log.open("ab+") as output, _running(name, recipe, folder, output) as (port, child):
            yield S3Server(name, f"http://127.0.0.1:{port}", DIALECTS[name], log, child.pid)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def is_installed(name: str) -> bool:
    """Whether the packages of this server can be imported here."""
    return all(importlib.util.find_spec(package) for package in RECIPES[name].packages)


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        message = f"There is no embedded server {name!r}: choose one of {', '.join(RECIPES)}."
        raise LabError(message)
    if not is_installed(name):
        message = (
            f"The embedded server {name} is not installed in this Python:"
            f" run {RECIPES[name].install}."
        )
        raise LabError(message)
    return RECIPES[name]


@contextlib.contextmanager
def _running(
    name: str, recipe: Recipe, folder: Path, output: IO[bytes]
) -> Iterator[tuple[int, Child]]:
    for _ in range(START_ATTEMPTS):
        port = free_port()
        environment = {"TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
        child = start_child(
            ["repave_lab.attached", str(folder), recipe.module, *recipe.arguments(port)],
            output,
            {**environment, **recipe.environment(port, folder)},
        )
        try:
            if _answers(child, port):
                yield port, child
                return
        finally:
            child.stop()
        # Another process may have taken the port in between: try another one.
    message = f"The embedded server {name} did not start. The end of its log says:\n{tail(output)}"
    raise LabError(message)


def _answers(child: Child, port: int) -> bool:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and child.is_running():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            time.sleep(POLL_SECONDS)
        else:
            # An answer counts only while our child lives: the port may belong to another.
            return child.is_running()
        finally:
            connection.close()
    return False


def main() -> None:
    """Run a server by hand, or for a test in another language; see `repave_lab.announce`."""
    parser = argparse.ArgumentParser(prog="python -m repave_lab.servers", description=__doc__)
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--log", type=Path, help="file for what the server prints")
    add_end_option(parser)
    options = parser.parse_args()
    with ending_programs_cleanly(), embedded_s3(options.name, options.log) as server:
        announce(
            endpoint=server.endpoint,
            access_key=server.access_key,
            secret_key=server.secret_key,
            region=server.region,
            log=str(server.log),
            pid=server.pid,
            dialect=asdict(server.dialect),
        )
        wait_for_end(options)


if __name__ == "__main__":
    main()
