"""Fast, safe overwrites for Apache Spark on S3."""

from repave._jar import jar_path
from repave._version import __version__

__all__ = ["__version__", "jar_path"]
