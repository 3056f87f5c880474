"""Fast, safe overwrites for Apache Spark on S3."""

from repave._conf import PROTOCOL, spark_conf
from repave._errors import RepaveError, UsageError
from repave._jar import jar_path
from repave._session import configure_session
from repave._version import __version__

__all__ = [
    "PROTOCOL",
    "RepaveError",
    "UsageError",
    "__version__",
    "configure_session",
    "jar_path",
    "spark_conf",
]
