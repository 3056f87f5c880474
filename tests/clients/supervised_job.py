"""`supervised/WriteDays.java`, and how it is submitted to a standalone worker."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import repave
from clients.site import Site
from e2e.processes import found_by
from e2e.standalone import SECONDS
from repave._spark_home import find_spark

JOB = Path(__file__).parent / "supervised/WriteDays.java"


def compiled(folder: Path) -> Path:
    """Compile the job into a jar: Spark starts no Python on a standalone worker."""
    classes, made = folder / "classes", folder / "job.jar"
    spark = f"{find_spark(os.environ)}/jars/*"
    for words in (
        ("javac", "-cp", spark, "-d", str(classes), str(JOB)),
        ("jar", "--create", "--file", str(made), "-C", str(classes), "."),
    ):
        subprocess.run(words, check=True, timeout=SECONDS)
    return made


def command(site: Site, master: str, jar: Path, run: str, arguments: Sequence[str]) -> list[str]:
    # In this mode Spark fetches spark.jars.packages for the driver alone.
    jars = ",".join(map(str, [repave.jar_path(), *site.packages()]))
    conf = {
        "spark.master": master,
        "spark.cores.max": "2",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.rpc.askTimeout": "120s",  # spark-submit waits for ten seconds by default
        "spark.standalone.submit.waitAppCompletion": "true",
        "spark.hadoop.repave.run": run,
    }
    return [
        *("spark-submit", "--deploy-mode", "cluster", "--supervise", "--class", "WriteDays"),
        *("--jars", jars),
        *(f"--conf={key}={value}" for key, value in conf.items()),
        *(str(jar), *arguments),
    ]


def drivers(jar: Path) -> list[int]:
    """Return the ids of the drivers' processes on their worker."""
    return found_by("DriverWrapper", str(jar))
