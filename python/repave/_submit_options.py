"""How spark-submit reads the options of its command line."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from repave._conf_lists import PACKAGES_KEY
from repave._defaults import read_properties
from repave._errors import UsageError

# A flag beats the conf of the same meaning.
FLAGS: Final = {
    "--jars": "spark.jars",
    "--packages": PACKAGES_KEY,
    "--exclude-packages": "spark.jars.excludes",
}
CLASS_PATH_FLAG: Final = "--driver-class-path"
CLASS_PATH_KEY: Final = "spark.driver.extraClassPath"
CONF_FLAGS: Final = ("--conf", "-c")
# The only options of spark-submit that take no value.
SWITCHES: Final = (
    *("--help", "-h", "--load-spark-defaults", "--supervise"),
    *("--usage-error", "--verbose", "-v", "--version"),
)


def leading_options(words: list[str]) -> list[tuple[str, ...]]:
    """Take the options before the application from the words; an option has one word or two.

    >>> words = ["--driver-java-options", "--add-opens=a=b", "-v", "--jars=x.jar", "job.py", "--x"]
    >>> leading_options(words), words
    ([('--driver-java-options', '--add-opens=a=b'), ('-v',), ('--jars', 'x.jar')], \
['job.py', '--x'])
    """
    options = []
    while words and words[0].startswith("-"):
        options.append(next_option(words))
    return options


def next_option(words: list[str]) -> tuple[str, ...]:
    """Take the option that the words begin with from them."""
    flag, equals, value = words.pop(0).partition("=")
    if equals and flag.startswith("--"):
        return flag, value
    flag += equals + value
    if flag in SWITCHES:
        return (flag,)
    if not words:
        # What follows the equals sign may be a secret key.
        name = flag.partition("=")[0]
        message = (
            f"The option {name} of spark-submit needs a value, and none follows. Add the value."
        )
        raise UsageError(message)
    return flag, words.pop(0)


def conf_setting(option: tuple[str, ...]) -> tuple[str, str]:
    """Return the key and the value that `--conf` sets, two empty texts for another option."""
    if option[0] not in CONF_FLAGS:
        return "", ""
    key, _, value = option[-1].partition("=")
    return key, value


def site_conf(options: Iterable[tuple[str, ...]], defaults: Mapping[str, str]) -> Mapping[str, str]:
    """Return what spark-submit reads from a file: the one that an option names, or the defaults."""
    words = list(options)
    named = [option[-1] for option in words if option[0] == "--properties-file"]
    if not named:
        return defaults
    path = Path(named[-1])
    if not path.is_file():
        message = f"The properties file {path} does not exist: correct --properties-file."
        raise UsageError(message)
    own = read_properties(path)
    return {**defaults, **own} if ("--load-spark-defaults",) in words else own


def refuse_dropped(key: str) -> None:
    """Refuse a key of `--conf` that spark-submit would drop.

    >>> refuse_dropped("repave.retention")
    Traceback (most recent call last):
    repave._errors.UsageError: --conf repave.retention would have no effect, because spark-submit \
drops keys that do not begin with `spark.`. Write --conf spark.hadoop.repave.retention=… instead.
    """
    if not key.startswith("spark."):
        message = (
            f"--conf {key} would have no effect, because spark-submit drops keys that do not begin "
            f"with `spark.`. Write --conf spark.hadoop.{key}=… instead."
        )
        raise UsageError(message)


def is_setting(key: str) -> bool:
    """Return whether a key is one of Repave's, in any case, without Spark's prefix."""
    return key.lower().startswith("repave.")


def refuse_in_file(key: str) -> None:
    """Refuse a setting of Repave in Spark's properties file, which spark-submit would drop."""
    message = (
        f"{key} in Spark's properties file has no effect, because spark-submit drops keys that "
        f"do not begin with `spark.`. Write it as spark.hadoop.{key}."
    )
    raise UsageError(message)
