"""The package's face: what it exports, and that its examples are true."""

import doctest
import importlib
import pkgutil

import repave

NEED_SPARK = ("repave._table",)  # tests/e2e/test_examples.py has a session for them


def test_all_names_each_export_once_and_truly() -> None:
    assert sorted(set(repave.__all__)) == sorted(repave.__all__)
    assert [name for name in repave.__all__ if not hasattr(repave, name)] == []


def test_the_examples_in_docstrings_are_true() -> None:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(repave.__path__, "repave.")
        if not found.name.endswith(".__main__") and found.name not in NEED_SPARK
    ]
    results = [doctest.testmod(module) for module in modules]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0
