"""What `repave submit` passes to spark-submit: the user's own arguments, with the lists joined.

For spark-submit the last `--conf` of a key wins, and a flag such as `--jars` beats all of them. So
a jar of the user's own would hide Repave's, and the other way round.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from repave._conf_lists import JOINED, joined
from repave._submit_options import (
    CLASS_PATH_FLAG,
    CLASS_PATH_KEY,
    FLAGS,
    conf_setting,
    leading_options,
    next_option,
    site_conf,
)

OWN_END: Final = "--"


@dataclass(frozen=True)
class Submission:
    """A command line of spark-submit; an option has one word or two."""

    options: tuple[tuple[str, ...], ...]
    application: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str]) -> "Submission":
        """Read the words as spark-submit does.

        A list of jars or packages may also follow the application. What follows `--` there is the
        application's own in any case.

        >>> Submission.of(["--master=local", "-v", "job.py", "7", "--jars", "x.jar"])
        Submission(options=(('--master', 'local'), ('-v',), ('--jars', 'x.jar')), \
application=('job.py', '7'))
        """
        left = list(words)
        options = leading_options(left)
        application = left[:1]
        rest = left[1:]
        while rest and rest[0] != OWN_END:
            if rest[0].split("=")[0] in FLAGS:
                options.append(next_option(rest))
            else:
                application.append(rest.pop(0))
        return cls(tuple(options), (*application, *rest[1:]))

    def conf(self) -> dict[str, str]:
        """Return what the options set; a list that is set twice is joined."""
        found: dict[str, str] = {}
        for option in self.options:
            key, value = _setting(option)
            if key in JOINED:
                found[key] = joined(found.get(key, ""), value)
            elif key:
                found[key] = value
        return found

    def class_path(self) -> dict[str, str]:
        """Return the driver's class path if an option names it, which beats the conf."""
        named = [option[-1] for option in self.options if option[0] == CLASS_PATH_FLAG]
        return {CLASS_PATH_KEY: named[-1]} if named else {}

    def site(self, defaults: Mapping[str, str]) -> Mapping[str, str]:
        """Return the conf that spark-submit reads from a file."""
        return site_conf(self.options, defaults)

    def words(self, conf: Mapping[str, str]) -> list[str]:
        """Return the words with this conf, which has every list in place of the user's own."""
        kept = [option for option in self.options if _setting(option)[0] not in conf]
        settings = [("--conf", f"{key}={value}") for key, value in conf.items()]
        return [word for option in (*settings, *kept) for word in option] + [*self.application]


def _setting(option: tuple[str, ...]) -> tuple[str, str]:
    if option[0] in FLAGS:
        return FLAGS[option[0]], option[-1]
    return conf_setting(option)
