"""What the commands exit with; docs/cli.md says what each means."""

from typing import Final

PROBLEM: Final = 1
USAGE: Final = 2
UNFINISHED: Final = 3
