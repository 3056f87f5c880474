"""Runs the jar's command in a JVM, to change a table.

`spark-submit` starts it: wherever Spark is set up, it knows the class path and the site's conf.
No Spark session is started.
"""

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from repave._aws import CREDENTIALS, addressing, check_endpoint, credentials
from repave._bucket import client
from repave._conf import FIXED
from repave._conf_lists import join_lists
from repave._defaults import spark_defaults
from repave._errors import BY_JAVA_NAME, RepaveError, UsageError
from repave._jar import jar_path
from repave._location import Location
from repave._options import OptionValue, option_texts, options_conf
from repave._session import connector_conf
from repave._spark_home import find_java, find_spark
from repave._store_keys import StoreKeys, named_store, proxy_conf

MAIN = "io.repave.spark.command.TableCommand"
SHOWN_LINES = 15
PROGRESS = "repave-progress "


class ProgressListener(Protocol):
    """Receives a command's progress; `total` is 0 for a step without a count."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


def ignore_progress(step: str, done: int, total: int) -> None:
    """Do nothing."""


class Submit:
    """How to reach the store and Spark."""

    def __init__(
        self,
        spark_home: Path,
        jar: Path,
        conf: Mapping[str, str],
        credentials: Mapping[str, str],
    ) -> None:
        self._home = spark_home
        self._jar = jar
        self._conf = conf
        self._credentials = credentials

    def run(
        self,
        command: str,
        table: Location,
        *arguments: str,
        on_progress: ProgressListener = ignore_progress,
    ) -> Any:  # noqa: ANN401 - JSON
        """Run a command on a table and return its document; `on_progress` receives its progress.

        The command `recover-all` takes more tables as its arguments, and returns an array.

        Raises:
            RepaveError: the command was refused or failed; the message says why.
        """
        with tempfile.TemporaryDirectory(prefix="repave-") as folder:
            answer = Path(folder) / "answer.json"
            line = self.line(answer, command, str(table.with_scheme("s3a")), *arguments)
            code, last = self._listen(line, on_progress)
            try:
                document = json.loads(answer.read_text("utf-8"))
            except (FileNotFoundError, ValueError) as error:
                # The JVM may have been killed while it wrote the file.
                raise _no_answer(code, last) from error
            return _read(document)

    def _listen(self, line: list[str], on_progress: ProgressListener) -> tuple[int, list[str]]:
        # Credentials go by environment: a command line can be read by every user. None of another
        # identity stays there, such as the session token of a login next to a profile's own keys.
        others = {key: value for key, value in os.environ.items() if key not in CREDENTIALS}
        environment = {**others, **_locale(os.environ), **self._credentials}
        last: deque[str] = deque(maxlen=SHOWN_LINES)
        with _interrupted_by_sigterm(), _start(line, environment) as process:
            try:
                for said in process.stdout or ():
                    _, mark, document = said.partition(PROGRESS)
                    progress = _progress(document) if mark else None
                    if progress is None:
                        last.append(said.rstrip())
                    else:
                        on_progress(**progress)
            except KeyboardInterrupt:
                process.terminate()
                process.wait()
                message = (
                    "Interrupted. The command may be half done. No data is lost: run it again, and "
                    "it continues from there."
                )
                raise RepaveError(message) from None
        return process.returncode, list(last)

    def line(self, answer: Path, *words: str) -> list[str]:
        """Return the command line."""
        pairs = [part for key, value in self._conf.items() for part in ("--conf", f"{key}={value}")]
        submit = str(self._home / "bin" / "spark-submit")
        local = ("--master", "local[1]", "--deploy-mode", "client")
        return [submit, *local, "--class", MAIN, *pairs, str(self._jar), str(answer), *words]


def prepare(
    bucket: str,
    endpoint_url: str | None,
    profile: str | None,
    options: Mapping[str, OptionValue],
    own: Mapping[str, str],
) -> Submit:
    """Find Spark, the connector that fits it, and the credentials that boto3 would use.

    Args:
        bucket: the bucket of the tables.
        endpoint_url: the store, if it is not Amazon's.
        profile: the AWS profile, by default what boto3 finds.
        options: the committer's options.
        own: the user's own keys of Spark's conf, which win over the environment and the site.

    Raises:
        UsageError: Spark, Java or the credentials cannot be used, or `own` names another store,
            other credentials or another value than the options of the command.
    """
    check_endpoint(endpoint_url)
    _refuse_two_values(options, own)
    home = find_spark(os.environ)
    find_java(os.environ)
    where = addressing(endpoint_url, profile)
    signing = credentials(profile)
    store = StoreKeys.of(where, signs=bool(profile and signing))
    if endpoint_url or profile:
        store.refuse_others(bucket, own)
    present = {**spark_defaults({**os.environ, "SPARK_HOME": str(home)}), **own}
    keys = store.conf(bucket, own)
    asked = named_store(bucket, {**present, **keys, **own})
    asked = asked or client(endpoint_url, profile).meta.endpoint_url
    fixed = {**FIXED, **options_conf(options), **proxy_conf(asked, bucket, present), **keys}
    # A list of the user's own, here or in the site's file, would hide the connector, or it theirs.
    lists = join_lists(present, connector_conf("auto", present, home), {})
    conf = {**fixed, **own, **lists}
    return Submit(home, jar_path(), conf, signing)


def _refuse_two_values(options: Mapping[str, OptionValue], own: Mapping[str, str]) -> None:
    for one, text in option_texts(options).items():
        # The jar takes the second key too, where the first one is not set.
        for key in (one.spark_key, f"spark.{one.key}"):
            if own.get(key, text) != text:
                message = (
                    f"{one.flag} {text} and --conf {key}={own[key]} differ: leave one of them out."
                )
                raise UsageError(message)


def _start(line: list[str], environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            line,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        message = (
            f"{line[0]} cannot be started ({error.strerror}), so nothing was done: set SPARK_HOME "
            "to an installed Spark whose bin/spark-submit this user may run."
        )
        raise UsageError(message) from error


def _progress(document: str) -> dict[str, Any] | None:
    """Return what a line says; None if the site's log has been written into it.

    >>> _progress('{"step":"plan","done":0,"total":9}'), _progress('{"step":"re26/11/28 WARN')
    ({'step': 'plan', 'done': 0, 'total': 9}, None)
    """
    try:
        found = json.loads(document)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() == {"step", "done", "total"} else None


def _locale(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the locale in which a JVM reads its arguments as Python wrote them.

    >>> _locale({"LC_ALL": "C"}), _locale({"LC_ALL": "de_DE.UTF-8"})
    ({'LC_ALL': 'C.UTF-8'}, {})
    """
    return {"LC_ALL": "C.UTF-8"} if environment.get("LC_ALL") in ("C", "POSIX") else {}


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: otherwise the JVM would continue without its command."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _no_answer(code: int, last: list[str]) -> RepaveError:
    end = "\n".join(last)
    if "UnsupportedClassVersionError" in end:
        message = "Spark started a Java older than 17: install Java 17 and set JAVA_HOME to it."
        return UsageError(message)
    message = (
        f"The JVM ended with {code} and gave no answer. Whether it changed the table is not known; "
        f"run the command again. Its last lines:\n{end}"
    )
    return RepaveError(message)


def _read(document: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(document, dict) and "error" in document:
        error = BY_JAVA_NAME.get(document["error"], RepaveError)
        raise error(document["message"])
    return document
