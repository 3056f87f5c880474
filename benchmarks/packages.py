"""What a system needs on the class path: its Maven packages, and the benchmark's own jar."""

from pathlib import Path

import pyspark

from benchmarks.toml import HERE, read_toml
from repave import __version__


def bench_jar() -> Path:
    """Return the jar with the stand-ins, built from `benchmarks/java`."""
    jar = HERE / "java" / "target" / f"repave-benchmarks-{__version__}.jar"
    if not jar.is_file():
        message = f"{jar} is missing: `make bench` builds it, or `mvn -Pbench package -DskipTests`."
        raise FileNotFoundError(message)
    return jar


def package_conf(name: str) -> dict[str, str]:
    """Return the two keys by which Spark fetches a system's packages, from `packages.toml`."""
    line = ".".join(pyspark.__version__.split(".")[:2])
    lines = read_toml("packages.toml")
    if line not in lines:
        message = (
            f"packages.toml names no {name} for Spark {line}: add its packages, or use Spark"
            f" {', '.join(lines)}."
        )
        raise ValueError(message)
    found = lines[line][name]
    return {
        "spark.jars.packages": ",".join(found["packages"]),
        "spark.jars.excludes": ",".join(found["excludes"]),
    }
