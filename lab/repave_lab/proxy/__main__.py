"""Run the proxy as a program of its own; see `repave_lab.announce` and `control`."""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import threading
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from repave_lab.announce import add_end_option, announce, wait_for_end
from repave_lab.proxy.connection import Connection
from repave_lab.proxy.control import CONTROL_PATH
from repave_lab.proxy.faults import Fault, FaultPlan
from repave_lab.proxy.framing import HEAD_LIMIT_BYTES
from repave_lab.proxy.journal import Journal
from repave_lab.proxy.latency import load_model
from repave_lab.proxy.stage import Stage

BACKLOG = 1024


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m repave_lab.proxy",
        description="S3 latency and faults in front of a server on this machine.",
    )
    parser.add_argument("--upstream", required=True, help="the server, as http://127.0.0.1:4566")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 (default) takes a free one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", help="a shipped latency model's name (typical), or a TOML file")
    parser.add_argument("--faults", type=Path, help="a JSON file with a list of faults")
    parser.add_argument("--journal", type=Path, help="a file to write the journal to as well")
    add_end_option(parser)
    return parser


def _stage(options: argparse.Namespace, journal_file: IO[str] | None) -> Stage:
    url = urlsplit(options.upstream)
    if url.scheme != "http" or url.hostname is None:
        message = f"--upstream {options.upstream}: give an http:// address with host and port."
        raise ValueError(message)
    stage = Stage(url.hostname, url.port or 80, Journal(journal_file), options.seed)
    if options.model:
        stage.set_model(load_model(options.model))
    if options.faults:
        faults = json.loads(options.faults.read_text("utf-8"))
        stage.plan = FaultPlan([Fault(**fault) for fault in faults], options.seed)
    return stage


async def _serve(stage: Stage, options: argparse.Namespace) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Connection(stage, reader, writer).serve()

    server = await asyncio.start_server(
        serve, options.host, options.port, limit=HEAD_LIMIT_BYTES, backlog=BACKLOG
    )
    endpoint = "http://{}:{}".format(*server.sockets[0].getsockname()[:2])
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end.set)
    if options.until_stdin_closes:

        def end_with_stdin() -> None:
            wait_for_end(options)
            loop.call_soon_threadsafe(end.set)

        threading.Thread(target=end_with_stdin, daemon=True).start()
    announce(endpoint=endpoint, control=endpoint + CONTROL_PATH, pid=os.getpid(), seed=stage.seed)
    await end.wait()


def main() -> None:
    options = _parser().parse_args()
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(options.journal.open("w")) if options.journal else None
            stage = _stage(options, file)
        except (ValueError, TypeError, OSError) as error:
            raise SystemExit(str(error)) from error
        asyncio.run(_serve(stage, options))


if __name__ == "__main__":
    main()
