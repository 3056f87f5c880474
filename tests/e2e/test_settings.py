"""Python refuses the values that the jar refuses for a write, in the same words, and no others."""

from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError

from repave._setting_values import refusal
from unit.setting_values import POSSIBLE, REFUSED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.newest

# The jar reads this one where it opens a table.
WITH_A_TABLE = "repave.locations.allowed"


def refused_by_the_jar(spark: "SparkSession", key: str, text: str) -> str:
    jvm = spark._jvm
    assert jvm is not None
    conf = jvm.org.apache.hadoop.conf.Configuration(False)
    conf.set(key, text)
    settings = jvm.io.repave.hadoop.RepaveSettings(conf)
    try:
        settings.check()
        for name in ("RUN", "TOKEN"):
            settings.requireNoEmptyName(getattr(jvm.io.repave.hadoop.Setting, name))
    except Py4JJavaError as error:
        message: str = error.java_exception.getMessage()
        return message.replace(" Nothing was written.", "")
    return ""


def test_python_and_the_jar_refuse_the_same_values(spark: "SparkSession") -> None:
    values = [pair for pair in (*POSSIBLE, *REFUSED) if pair[0] != WITH_A_TABLE]
    for key, text in values:
        assert refusal(key, text) == refused_by_the_jar(spark, key, text), (key, text)
    assert all(refusal(key, text) for key, text in REFUSED)
