"""The driver's heap during a write. With `local[4]` the tasks' memory is in it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def reset_peak(spark: "SparkSession") -> None:
    """Collect garbage and start to watch."""
    _jvm(spark).System.gc()
    for pool in _heap_pools(spark):
        pool.resetPeakUsage()


def peak_bytes(spark: "SparkSession") -> int:
    """Return the most that the heap held since then, garbage included: the pools' peaks added."""
    return sum(int(pool.getPeakUsage().getUsed()) for pool in _heap_pools(spark))


def _heap_pools(spark: "SparkSession") -> list[Any]:
    beans = _jvm(spark).java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    return [pool for pool in beans if pool.getType().name() == "HEAP"]


def _jvm(spark: "SparkSession") -> Any:  # noqa: ANN401 - Java has no types here
    return spark._jvm  # noqa: SLF001 - the one way to the JVM's own figures
