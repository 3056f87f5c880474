"""The package's face: what it exports, and that its examples are true."""

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
from typing import get_args

import repave

NEED_SPARK = ("repave._table",)  # tests/e2e/test_examples.py has a session for them


def test_all_names_each_export_once_and_truly() -> None:
    assert sorted(set(repave.__all__)) == sorted(repave.__all__)
    assert [name for name in repave.__all__ if not hasattr(repave, name)] == []


def test_each_class_of_a_result_is_exported() -> None:
    methods = [it for it in vars(repave.RepaveTable).values() if inspect.isfunction(it)]
    returned = [inspect.get_annotations(it).get("return") for it in methods]
    # Some fields of a snapshot are for the package's own modules.
    results = [getattr(repave, name) for name in repave.__all__ if name != "Snapshot"]
    kinds = [
        *returned,
        *(
            one.type
            for it in results
            if dataclasses.is_dataclass(it)
            for one in dataclasses.fields(it)
        ),
    ]
    classes = [one for kind in kinds for one in (kind, *get_args(kind)) if inspect.isclass(one)]
    ours = {it.__name__ for it in classes if it.__module__.startswith("repave.")}
    assert len(ours) > 10
    assert ours - set(repave.__all__) == set()


def test_the_examples_in_docstrings_are_true() -> None:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(repave.__path__, "repave.")
        if not found.name.endswith(".__main__") and found.name not in NEED_SPARK
    ]
    results = [doctest.testmod(module) for module in modules]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0
