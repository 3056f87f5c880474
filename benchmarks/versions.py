"""On what a run was made."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from benchmarks.toml import HERE, read_toml
from repave import __version__

NO_CODE: Final = (":(top,exclude)benchmarks/results", ":(top,exclude,glob)**/*.md")
DISTRIBUTIONS: Final = ("pyspark", "ministack", "uvicorn", "boto3")


def git_sha() -> str:
    """Return the commit; `+` says that the work tree holds changes to it.

    What a campaign or a writer adds meanwhile is none: results and pages.
    """
    changes = _git("status", "--porcelain", "--", ":/", *NO_CODE)
    return _git("rev-parse", "--short=12", "HEAD") + ("+" if changes else "")


def versions() -> dict[str, str]:
    """Return what the figures depend on, apart from the commit."""
    found = {"repave": __version__, "python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    line = ".".join(found["pyspark"].split(".")[:2])
    for name, told in read_toml("packages.toml").get(line, {}).items():
        found[name] = told["packages"][0].rpartition(":")[2]
    return found


def cores() -> int:
    return os.cpu_count() or 1


def priority() -> str:
    """Return how the scheduler treats this process, and so what it starts."""
    asked = getattr(os, "sched_getscheduler", None)
    if asked is None:
        return "unknown"
    return "normal" if asked(0) == os.SCHED_OTHER else "real-time"


def _git(*arguments: str) -> str:
    try:
        told = subprocess.run(
            ["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return told.stdout.strip()
