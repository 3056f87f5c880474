"""The Maven packages of a system for the installed Spark, from `packages.toml`."""

import pyspark

from benchmarks.toml import read_toml


def package_conf(name: str) -> dict[str, str]:
    """Return the two keys by which Spark fetches them."""
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
