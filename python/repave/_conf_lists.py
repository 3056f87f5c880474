"""Lists in Spark's conf, of jars and of extensions, to which Repave adds what it needs."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from repave._errors import UsageError

PACKAGES_KEY: Final = "spark.jars.packages"
LISTS: Final = ("spark.jars", PACKAGES_KEY, "spark.jars.excludes")
EXTENSIONS_KEY: Final = "spark.sql.extensions"
JOINED: Final = (*LISTS, EXTENSIONS_KEY)

Join = Callable[[Mapping[str, str]], Mapping[str, str]]


class JoinedOptions(dict[str, Any]):
    """A builder's options. When the user sets a list, it is joined again.

    Without this, `.config("spark.jars.packages", …)` after `configure_session` would replace the
    list that brings the connector.
    """

    def __init__(self, options: Mapping[str, Any], join: Join) -> None:
        """Take over the options.

        Args:
            options: what the builder holds.
            join: takes the user's own lists and returns the lists that the session must start with.
        """
        super().__init__(options)
        self._join = join
        self._own = {key: str(options[key]) for key in JOINED if key in options}
        self._update_lists()

    def __setitem__(self, key: str, value: object) -> None:
        """Set an option; a list is joined with what Repave needs."""
        if key in JOINED:
            self._own[key] = str(value)
            self._update_lists()
        else:
            super().__setitem__(key, value)

    def _update_lists(self) -> None:
        joined = self._join(self._own)
        for key in JOINED:
            if key in joined:
                super().__setitem__(key, joined[key])
            else:
                self.pop(key, None)


def items(text: str) -> list[str]:
    """Return the entries of a list.

    >>> items("a.jar, b.jar,")
    ['a.jar', 'b.jar']
    """
    return [item.strip() for item in text.split(",") if item.strip()]


def joined(*lists: str) -> str:
    """Return one list with every entry once.

    >>> joined("a.jar,b.jar", "", "b.jar,c.jar")
    'a.jar,b.jar,c.jar'
    """
    return ",".join(dict.fromkeys(item for text in lists for item in items(text)))


def join_lists(
    present: Mapping[str, str], wanted: Mapping[str, str], flags: Mapping[str, str]
) -> dict[str, str]:
    """Return the lists that are set, with what Repave needs added.

    >>> join_lists({"spark.jars": "a.jar"}, {"spark.jars": "repave.jar"}, {})
    {'spark.jars': 'a.jar,repave.jar'}

    Raises:
        UsageError: a flag in PYSPARK_SUBMIT_ARGS hides the list.
    """
    lists = {key: present[key] for key in LISTS if key in present}
    for key, value in wanted.items():
        if key in flags:
            there = set(items(flags[key]))
            missing = [item for item in items(value) if item not in there]
            if missing:
                message = (
                    f"PYSPARK_SUBMIT_ARGS hides {key}: add {','.join(missing)} to its own list."
                )
                raise UsageError(message)
        else:
            lists[key] = joined(present.get(key, ""), value)
    return lists
