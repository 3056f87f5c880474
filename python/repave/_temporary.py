"""Temporary errors below 500. Written by scripts/generate.py from the jar's list."""

from typing import Final

TEMPORARY_STATUSES: Final = (408, 425, 429)
TEMPORARY_CODES: Final = (
    "RequestTimeout",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "KMS.ThrottlingException",
    "TooManyRequests",
)
