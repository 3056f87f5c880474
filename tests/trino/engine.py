"""Trino's server in a process of its own, and a client of its statements."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from e2e.processes import running, wait_for_line

HERE = Path(__file__).parent
JAVA_AT_LEAST = 24
SECONDS = 300
ADDRESS = r".*Trino answers at (http://127\.0\.0\.1:\d+)"


class QueryFailedError(Exception):
    """Trino refused a statement, or could not run it."""


@dataclass(frozen=True)
class Trino:
    """A running server."""

    url: str

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows.

        Raises:
            QueryFailedError: with Trino's own words.
        """
        headers = {"X-Trino-User": "test", "X-Trino-Catalog": "hive", "X-Trino-Time-Zone": "UTC"}
        request = Request(f"{self.url}/v1/statement", statement.encode(), headers)  # noqa: S310
        found: list[tuple[Any, ...]] = []
        while True:
            with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - loopback
                page = json.loads(answer.read())
            if "error" in page:
                raise QueryFailedError(page["error"]["message"])
            found += [tuple(row) for row in page.get("data", ())]
            if "nextUri" not in page:
                return found
            request = Request(page["nextUri"], headers=headers)  # noqa: S310 - loopback


def java() -> Path | None:
    """Return a Java that is new enough for Trino: `TRINO_JAVA`, or one in the usual folder."""
    homes = [Path(home) for home in (os.environ.get("TRINO_JAVA"),) if home]
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    for program in (home / "bin" / "java" for home in homes):
        if program.is_file():
            told = subprocess.run([program, "-version"], check=True, capture_output=True, text=True)
            release = re.search(r'version "(\d+)', told.stderr)
            if release and int(release[1]) >= JAVA_AT_LEAST:
                return program
    return None


@contextmanager
def trino(folder: Path, program: Path, properties: dict[str, str]) -> Iterator[Trino]:
    """Run a server whose one catalog, `hive`, has these properties."""
    log = folder / "trino.log"
    words = [str(program), "-Xmx2g", "-cp", class_path(folder), str(HERE / "TrinoServer.java")]
    words += [f"{name}={value}" for name, value in properties.items()]
    with running(log, words, cwd=folder) as child:
        wait_for_line(log, ADDRESS, child, SECONDS)
        address = re.search(ADDRESS, log.read_text("utf-8"))
        assert address is not None
        yield Trino(address[1])


def class_path(folder: Path) -> str:
    written = folder / "class-path"
    words = ["mvn", "-q", "-B", "-ntp", "-f", str(HERE / "pom.xml"), "dependency:build-classpath"]
    subprocess.run([*words, f"-Dmdep.outputFile={written}"], check=True, timeout=2 * SECONDS)
    return written.read_text("utf-8")
