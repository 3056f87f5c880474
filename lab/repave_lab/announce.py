"""How the lab's programs speak with who started them, whatever its language.

The first line on standard output is JSON and says that the program is ready and where it
listens. The program ends on SIGTERM or SIGINT, and with `--until-stdin-closes` also as soon as
its standard input closes, which happens when the starting process dies.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType


def announce(**facts: object) -> None:
    """Print the one line that says: ready."""
    print(json.dumps(facts), flush=True)  # noqa: T201 - this line is the interface


def add_end_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that ties the program's life to its standard input."""
    parser.add_argument(
        "--until-stdin-closes",
        action="store_true",
        help="end when standard input closes, so that nothing is left when the caller dies",
    )


def wait_for_end(options: argparse.Namespace) -> None:
    """Block until the program is told to end."""
    if options.until_stdin_closes:
        while os.read(sys.stdin.fileno(), 4096):
            pass
    else:
        threading.Event().wait()


@contextlib.contextmanager
def ending_programs_cleanly() -> Iterator[None]:
    """Turn SIGTERM and SIGINT into a normal end, so that `with` blocks are left."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    yield
