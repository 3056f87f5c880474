"""The table of options: one name each in Spark's conf, in Python and on the command line.

`options.json` is written from the jar's table (`Setting.java`); a test compares the two.
"""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import cache
from importlib import resources

from repave._errors import UsageError
from repave._setting_values import refusal

OptionValue = str | int | float | bool | timedelta | Sequence[str]
# As the jar reads them.
FORMS = {
    "count": re.compile(r"(\d{1,9})()"),
    "duration": re.compile(r"(\d+)\s*(ms|s|m|h|d)", re.IGNORECASE),
    "flag": re.compile(r"true|false", re.IGNORECASE),
    "fraction": re.compile(r"(\d{1,9}(?:\.\d{1,9})?)()"),
    "size": re.compile(r"(\d+)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE),
}
UNITS = {
    "count": {"": 1},
    "duration": {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000},
    "fraction": {"": 1},
    "size": {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40},
}
EXAMPLES = {
    "count": "a number",
    "duration": "a duration such as 90s, 5m or 7d",
    "flag": "true or false",
    "fraction": "a number such as 0.5",
    "size": "a size such as 16m",
}


@dataclass(frozen=True)
class Option:
    """One setting of the committer."""

    key: str
    kind: str
    default: str
    text: str
    choices: tuple[str, ...] = ()
    least: str = ""
    most: str = ""

    @property
    def range(self) -> str:
        """The range of a number, as text.

        >>> Option("repave.part.size", "size", "8m", "", least="5m", most="1g").range
        '5m to 1g'
        """
        return (
            f"{self.least} to {self.most}" if self.most else self.least and f"{self.least} or more"
        )

    @property
    def name(self) -> str:
        """The Python keyword: `repave.part.size` is `part_size`."""
        return re.sub(r"[.-]", "_", self.key.removeprefix("repave."))

    @property
    def flag(self) -> str:
        """The command line's flag: `repave.part.size` is `--part-size`."""
        return "--" + self.name.replace("_", "-")

    @property
    def spark_key(self) -> str:
        """The key in Spark's conf, from which Hadoop's configuration takes it."""
        return f"spark.hadoop.{self.key}"

    def text_of(self, value: OptionValue) -> str:
        """Return the value as Spark's conf holds it.

        Raises:
            UsageError: the value is not of this kind, outside its range, or refused by every write.
        """
        text = _text(value)
        form = FORMS.get(self.kind)
        fits = text in self.choices if self.choices else form is None or form.fullmatch(text)
        if not fits:
            kind = " or ".join(self.choices) or EXAMPLES[self.kind]
            message = f"{self.key}={text} is not possible: it takes {kind}."
            raise UsageError(message)
        if not self._within_range(text):
            message = f"{self.key}={text} is not possible: it takes {self.range}."
            raise UsageError(message)
        if why := refusal(self.key, text):
            raise UsageError(why)
        return text

    def millis_of(self, value: str | timedelta) -> int:
        """Return a duration in milliseconds.

        >>> Option("repave.lease", "duration", "1m", "").millis_of("90s")
        90000
        """
        return int(self._number(self.text_of(value)))

    def _within_range(self, text: str) -> bool:
        low = not self.least or self._number(text) >= self._number(self.least)
        return low and (not self.most or self._number(text) <= self._number(self.most))

    def _number(self, text: str) -> Decimal:
        match = FORMS[self.kind].fullmatch(text.lower())
        if match is None:
            message = f"{text} is not a {self.kind}."
            raise ValueError(message)
        digits, unit = match.groups()
        return Decimal(digits) * UNITS[self.kind][unit]


def _text(value: OptionValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return f"{value // timedelta(milliseconds=1)}ms"
    return ",".join(value) if isinstance(value, Sequence) else str(value)


@cache
def options() -> tuple[Option, ...]:
    """Return every option, in the order of the documentation."""
    records = json.loads((resources.files("repave") / "options.json").read_text("utf-8"))
    return tuple(
        Option(
            r["key"],
            r["kind"],
            r["default"],
            r["text"],
            tuple(r.get("choices", ())),
            r.get("least", ""),
            r.get("most", ""),
        )
        for r in records
    )


def option(name: str) -> Option:
    """Return the option of a name, such as "retention"."""
    return next(one for one in options() if one.name == name)


def options_conf(values: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return Spark's conf for the given options.

    >>> options_conf({"part_size": "16M"})
    {'spark.hadoop.repave.part.size': '16M'}
    """
    texts = {one.spark_key: text for one, text in option_texts(values).items()}
    if values.get("token"):
        message = (
            "repave.token names one write: set it with .option('repave.token', …) on that write, "
            "or in repave.write_options. For a whole session set repave.run, from which every "
            "write gets a token of its own."
        )
        raise UsageError(message)
    return texts


def option_texts(values: Mapping[str, OptionValue]) -> dict[Option, str]:
    """Return the options of these names with their values as text.

    Raises:
        UsageError: there is no such option, or a value is not valid.
    """
    known = {option.name: option for option in options()}
    for name, value in values.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"Did you mean {near[0]}?" if near else f"Options are: {', '.join(known)}."
            message = f"There is no option {name}. {hint}"
            raise UsageError(message)
        if value is None:
            # The text "None" would be a token or a run that every job has.
            message = f"{name}=None is not possible: leave the option out, or give it a value."
            raise UsageError(message)
    return {known[name]: known[name].text_of(value) for name, value in values.items()}
