"""The JVM, and perhaps the SparkContext, that run before `configure_session` is called."""

import os
import sys
from collections.abc import Collection, Mapping
from typing import Any, Final

from repave._conf import PROTOCOL, PROTOCOL_KEY
from repave._errors import UsageError
from repave._jvm import FIX_JAVA, OLD_JAVA, Jvm

# Keys and values. A JVM keeps the first value of a key, also when later calls give others.
_GIVEN: Final[set[tuple[str, str]]] = set()
# Set in a script that spark-submit runs: its JVM is there already, with all the jars it will have.
SUBMITTED = "PYSPARK_GATEWAY_PORT"
HIDDEN = (
    "The JVM that spark-submit started does not have Repave: the jar is not on the class path. "
    "Start the script with `repave submit` in place of `spark-submit`, or with "
    "`spark-submit $(repave conf)`. A --jars of your own hides the jar that `repave conf` names: "
    "`repave conf --jars` joins them."
)
STARTED_WITHOUT = (
    "This process has a JVM already, started without Repave's jar, which cannot be added later. "
    "Restart the process (the notebook's kernel), and call configure_session before the first "
    "session starts; or give the cluster what `repave conf` prints."
)


def running_context() -> Any | None:  # noqa: ANN401 - a SparkContext
    """Return the process's SparkContext, None if there is none."""
    return getattr(_context_class(), "_active_spark_context", None)


def require_same_conf(
    context: Any,  # noqa: ANN401 - a SparkContext
    wanted: Mapping[str, str],
    present: Mapping[str, str],
) -> None:
    """Refuse a running context that a new start would not give the same settings of Repave.

    Args:
        context: the running context.
        wanted: what this call sets.
        present: what is set already: by the site, on the builder, for spark-submit.

    Raises:
        UsageError: it does not have Repave, or has other settings.
    """
    require_jar(context, STARTED_WITHOUT)
    # The protocol is the session's, and the builder can still set it there.
    conf = {PROTOCOL_KEY: PROTOCOL, **dict(context.getConf().getAll())}
    different = [
        f"{key} is {conf.get(key, 'not set')}, but {value} is needed"
        for key, value in wanted.items()
        if conf.get(key) != value
    ]
    if different:
        message = (
            "A SparkContext is running already, and its settings cannot be changed: "
            f"{'; '.join(different)}. Stop it first (`spark.stop()`, or restart the kernel)."
        )
        raise UsageError(message)
    refuse_kept(conf, {*wanted, *present})


def refuse_kept(conf: Mapping[str, str], keys: Collection[str]) -> None:
    """Refuse options of an earlier call that a running JVM keeps and that nothing sets now.

    What the program sets in another way, such as on a configured builder, is its own affair.

    Args:
        conf: what the JVM gives every context that starts in it.
        keys: what is set now.

    Raises:
        UsageError: it has an option that a cell no longer has.
    """
    kept = [
        f"{key}={value}"
        for key, value in conf.items()
        if (key, value) in _GIVEN and key not in keys
    ]
    if kept:
        message = (
            f"The running JVM keeps {', '.join(kept)}, also after `spark.stop()`, but nothing sets "
            "it now. Restart the process (the notebook's kernel), or set it again."
        )
        raise UsageError(message)


def remember_given(options: Mapping[str, str]) -> None:
    """Remember the options of a call: the JVM may keep them for as long as this process lives."""
    _GIVEN.update(options.items())


def jvm_conf() -> dict[str, str]:
    """Return the conf that a running JVM gives the next context; empty if none runs."""
    if getattr(_context_class(), "_gateway", None) is None:
        return {}
    from pyspark import SparkConf  # noqa: PLC0415 - `import repave` needs no pyspark

    return dict(SparkConf().getAll())


def require_jar_in_running_jvm() -> None:
    """Refuse a JVM without the jar: a session of Spark 4 would start in it and fail every query.

    Raises:
        UsageError: a JVM runs, and cannot load Repave.
    """
    if SUBMITTED in os.environ:
        # Connects to the JVM, as the first session would.
        from pyspark import SparkContext  # noqa: PLC0415 - `import repave` needs no pyspark

        SparkContext._ensure_initialized()  # noqa: SLF001 - there is no public name for it
        require_jar(SparkContext, HIDDEN)
    elif getattr(_context_class(), "_gateway", None) is not None:
        require_jar(_context_class(), STARTED_WITHOUT)


def submitted_conf() -> dict[str, str] | None:
    """Return the conf of the spark-submit that runs this script; None in any other program.

    It is what Spark has made of `--conf`, `--properties-file` and spark-defaults.conf. Call
    `require_jar_in_running_jvm` first.
    """
    if SUBMITTED not in os.environ:
        return None
    from pyspark import SparkConf  # noqa: PLC0415 - `import repave` needs no pyspark

    return dict(SparkConf().getAll())


def require_jar(owner: Any, message: str) -> None:  # noqa: ANN401 - who holds py4j's `_jvm`
    """Refuse a JVM that cannot load Repave."""
    jvm = Jvm(owner)
    old = jvm.old_java()
    if old is not None:
        message = f"{OLD_JAVA.format(old)} Fix: {FIX_JAVA}."
    elif jvm.loaded(PROTOCOL) is not None:
        return
    raise UsageError(message)


def _context_class() -> Any | None:  # noqa: ANN401 - the class SparkContext
    return getattr(sys.modules.get("pyspark"), "SparkContext", None)
