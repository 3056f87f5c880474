#!/usr/bin/env python3
"""Runs the end-to-end tests on several Spark lines: `scripts/matrix.py [--quick] [LINE…]`.

Each line has a virtual environment of its own under .work/venvs, made once and made anew when what
goes into it changes. No Python package has Spark 3.5 on Scala 2.13: for that line the jars come
from Maven, into a SPARK_HOME of our own.
"""

import argparse
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import steps

VENVS = Path(".work/venvs")
LINES = {
    "3.5": "pyspark>=3.5.9,<3.6",
    "3.5-scala2.13": "pyspark==3.5.6",
    "4.0": "pyspark>=4.0.5,<4.1",
    "4.1": "pyspark>=4.1.4,<4.2",
    "4.2": "pyspark>=4.2.1,<4.3",
    "4.3": "pyspark>=4.3.0,<4.4",
}
# Spark 3.5 needs distutils on 3.12; tests of the Delta log skip without deltalake; `pyspark.pandas`
# does not import with pandas 3.
TOOLS = ("pytest>=9", "pytest-timeout", "setuptools<81", "deltalake>=1.6,<2", "pandas<3")
TESTS = ("tests/e2e", "tests/differential")
NEWEST = "4.3"
# Most of a start of Spark is compilation that a short run does not earn back. The option is for
# every JVM that a test starts.
SHORT_LIVED = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def venv(line: str) -> Path:
    """Return the line's Python, in an environment that is made when it is not there."""
    folder = VENVS / f"spark-{line}"
    wanted = [LINES[line], *TOOLS]
    projects = (Path(name).read_text("utf-8") for name in ("pyproject.toml", "lab/pyproject.toml"))
    inputs = "\n".join([sys.version, *wanted, *projects])
    mark = folder / hashlib.sha256(inputs.encode()).hexdigest()[:16]
    python = folder / "bin" / "python"
    if not mark.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        packages = ["-e", ".[pandas,duckdb,polars]", "-e", "lab[servers]", *wanted]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        mark.touch()
    return python


def scala213_home(python: Path) -> Path:
    """Return a SPARK_HOME with the jars of Spark 3.5 on Scala 2.13 and this Python's launcher."""
    home = Path(".work/spark-3.5-scala2.13").absolute()
    if not (home / "jars").is_dir():
        arguments = [f"-DoutputDirectory={home}/new", "-DincludeScope=runtime"]
        goal = ["dependency:copy-dependencies", *arguments]
        subprocess.run(
            ["mvn", "-q", "-B", "-f", "scripts/spark-scala213/pom.xml", *goal], check=True
        )
        (home / "new").rename(home / "jars")
    where = [str(python), "-c", "import pyspark; print(pyspark.__path__[0])"]
    package = subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()
    for folder in ("bin", "python"):
        shutil.copytree(Path(package) / folder, home / folder, dirs_exist_ok=True)
    return home


def archive(python: Path, environment: dict[str, str]) -> Path:
    """Return an archive of Spark's classes, made once. A driver starts in half the time with it.

    A JVM whose class path is not the archive's ignores it, so it may also be missing.
    """
    java = subprocess.run(["java", "-version"], check=True, capture_output=True).stderr
    script = Path(__file__).with_name("spark_classes.py").absolute()
    mark = hashlib.sha256(java + script.read_bytes()).hexdigest()[:16]
    made = python.absolute().parent.parent / f"spark-{mark}.jsa"
    if made.exists():
        return made
    new = made.with_suffix(".new")
    home = environment.get("SPARK_HOME")
    submit = (
        Path(home) / "bin/spark-submit" if home else python.absolute().with_name("spark-submit")
    )
    options = {"SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={new} -Xlog:disable"}
    with tempfile.TemporaryDirectory() as folder:
        session = subprocess.run(
            [submit, "--master", "local[2]", "--conf", "spark.ui.enabled=false", script, folder],
            cwd=folder,
            env={**os.environ, **environment, **options},
            check=False,
            capture_output=True,
            text=True,
        )
    if session.returncode == 0 and new.exists():
        new.rename(made)
    else:
        print(f"There is no archive of Spark's classes: {session.stderr[-2000:]}", flush=True)
    return made


def quick(line: str) -> str:
    """Return pytest's words for the quick tests of a line.

    A test that hardly differs between the lines is marked `newest` or `oldest`, and runs on that
    line only. The marks keep the two lines of `make test` equally long.
    """
    elsewhere = "oldest" if line == NEWEST else "newest"
    return f' -m "not slow and not {elsewhere}"'


def runs_of(line: str, words: str, folders: Sequence[str]) -> list[str]:
    """Return the steps that run a line's tests, as scripts/steps.py takes them.

    Each folder has a process of its own: a JVM keeps its first session's stores for ever.
    """
    python = venv(line)
    environment = {"PYSPARK_PYTHON": str(python.absolute()), **SHORT_LIVED}
    if line.endswith("scala2.13"):
        environment["SPARK_HOME"] = str(scala213_home(python))
    classes = archive(python, environment)
    # Without the log, a JVM that cannot use the archive says so on its standard output.
    environment["SPARK_SUBMIT_OPTS"] = f"-XX:SharedArchiveFile={classes} -Xlog:cds*=off"
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
    return [
        f"spark-{line}-{Path(tests).name}={variables} {python} -m pytest{words} {tests}"
        for tests in folders
    ]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="End-to-end tests on several Spark lines.")
    parser.add_argument("lines", nargs="*", metavar="LINE", help=f"of {', '.join(LINES)}; or all")
    parser.add_argument("--quick", action="store_true", help="without what `make test` leaves out")
    parser.add_argument("--tests", action="append", help=f"instead of {' and '.join(TESTS)}")
    chosen = parser.parse_args(arguments)
    unknown = sorted(set(chosen.lines) - set(LINES))
    if unknown:
        parser.error(f"there is no line {unknown[0]}: choose of {', '.join(LINES)}")
    runs: list[str] = []
    for line in chosen.lines or LINES:
        print(f"Spark {line}: {LINES[line]} …", flush=True)
        runs += runs_of(line, quick(line) if chosen.quick else "", chosen.tests or TESTS)
    return steps.main(["--keep-going", "matrix", *runs])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
