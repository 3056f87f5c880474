"""Figures as people read them: counts and sizes as text."""

from datetime import datetime


def number(value: float | None) -> str:
    """Return a count as text.

    >>> number(None), number(1234567)
    ('–', '1,234,567')
    """
    return "–" if value is None else f"{value:,}"


def counted(count: int, noun: str) -> str:
    """Return a count and what it counts.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def utc(moment: datetime) -> str:
    """Return a time in UTC as text, to the millisecond, as the records have it.

    Whoever copies a shorter text of a version's time, for `--as-of`, names the version before.

    >>> utc(datetime(2026, 11, 18, 11, 8, 40, 456_000))
    '2026-11-18 11:08:40.456Z'
    """
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}Z"


def size(count: int | None) -> str:
    """Return a number of bytes as text.

    >>> [size(n) for n in (None, 12, 2048, 5 << 30)]
    ['–', '12 B', '2.0 KiB', '5.0 GiB']
    """
    if count is None:
        return "–"
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:  # noqa: PLR2004 - what a KiB is
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
