"""Small Java classes of the tests, which Spark's driver has on its class path."""

import subprocess
from pathlib import Path

import pyspark

SOURCES = Path(__file__).parent / "java"


def compiled(folder: Path) -> str:
    """Compile the classes against Spark's own jars; return the folder of their classes."""
    jars = Path(pyspark.__path__[0]) / "jars" / "*"
    words = ["javac", "--release", "17", "-nowarn", "-cp", str(jars), "-d", str(folder)]
    subprocess.run([*words, *map(str, sorted(SOURCES.glob("*.java")))], check=True)
    return str(folder)
