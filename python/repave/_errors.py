"""What goes wrong on the Python side; each message names the problem, its cause and what to do."""


class RepaveError(Exception):
    """Anything that Repave reports in a sentence."""


class UsageError(RepaveError, ValueError):
    """A call or a setting that cannot work as it stands."""
