"""The pinned lists of jars."""

import pytest

from repave import UsageError
from repave._connector import EXCLUDES, Connector, connector_for_spark, connectors


@pytest.mark.parametrize(
    ("spark", "hadoop"),
    [
        ("3.5.0", "3.3.4"),
        ("3.5.9", "3.3.4"),
        ("4.0.5", "3.4.1"),
        ("4.1.4", "3.4.2"),
        ("4.2.1", "3.5.0"),
        ("4.3.0", "3.5.0"),
    ],
)
def test_every_supported_spark_has_its_connector(spark: str, hadoop: str) -> None:
    one = connector_for_spark(spark)
    assert f"org.apache.hadoop:hadoop-aws:{hadoop}" in one.packages


@pytest.mark.parametrize("one", connectors(), ids=lambda one: one.hadoop)
def test_a_list_holds_no_bundle_and_no_jar_twice(one: Connector) -> None:
    modules = [package.rsplit(":", 1)[0] for package in one.packages]
    assert sorted(set(modules)) == sorted(modules)
    assert not [module for module in modules if "bundle" in module]
    assert set(modules) & set(EXCLUDES) == set()


def test_an_unknown_spark_is_told_what_to_do() -> None:
    with pytest.raises(
        UsageError, match=r"No connector is known for Spark 3\.4\.1 .* name no connector\."
    ):
        connector_for_spark("3.4.1")
