"""The DAGs of docs/: which day a run loads, what its parameter may be, and when a run fails."""

import ast
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from clients.pages import files_of
from java_sources import ROOT

jinja2 = pytest.importorskip("jinja2")
NIGHTLY = ast.parse(files_of("airflow.md")["dags/nightly.py"])
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = PYTHON.findall((ROOT / "docs/monitoring.md").read_text("utf-8"))
(MONITORING,) = (block for block in BLOCKS if "recover_lake" in block)


def keywords_of(call: ast.Call) -> dict[str, Any]:
    """Return the keywords of a call whose values are constants."""
    return {
        one.arg: ast.literal_eval(one.value)
        for one in call.keywords
        if one.arg and isinstance(one.value, ast.Constant)
    }


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def loaded_by(day: str, end: datetime) -> str:
    """Return the day that a run loads."""
    (task,) = calls(NIGHTLY, "BashOperator")
    command: str = jinja2.Template(keywords_of(task)["bash_command"]).render(
        ti=SimpleNamespace(dag_id="nightly", task_id="orders"),
        run_id="scheduled__2026-11-21T00:00:00+00:00",
        params=SimpleNamespace(day=day),
        data_interval_end=end,
        macros=SimpleNamespace(timedelta=timedelta),
    )
    return command.partition("nightly.py ")[2]


def test_a_run_loads_the_day_that_has_ended_or_the_one_that_is_named() -> None:
    # In Airflow 3 the interval of @daily begins and ends when the run starts.
    midnight = datetime(2026, 11, 21, tzinfo=timezone.utc)
    assert loaded_by("", midnight) == "20261120"
    assert loaded_by("20261101", midnight) == "20261101"


@pytest.mark.parametrize("day", ["20261120; rm -rf /", "$(id)", "2026-11-20", " ", "²0261120"])
def test_a_parameter_that_bash_would_run_is_refused(day: str) -> None:
    (param,) = calls(NIGHTLY, "Param")
    # As JSON Schema compares: anywhere in the text.
    pattern = keywords_of(param)["pattern"]
    assert not re.search(pattern, day)
    assert re.search(pattern, "")
    assert re.search(pattern, "20261120")


@pytest.mark.parametrize("recovered", ["success", "failed"])
def test_a_run_of_the_lakes_dag_fails_if_recover_does(recovered: str) -> None:
    tree = ast.parse(MONITORING)
    tasks = {
        node.targets[0].id: keywords_of(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
    }
    (edge,) = (node.value for node in tree.body if isinstance(node, ast.Expr))
    assert isinstance(edge, ast.BinOp)
    leaves = {one.id for one in ast.walk(edge.right) if isinstance(one, ast.Name)}
    assert set(tasks) == {"recover", *leaves}

    states = {}
    for name in leaves:
        rule = tasks[name].get("trigger_rule", "all_success")
        if rule == "one_failed" and recovered == "success":
            states[name] = "skipped"
        else:
            ends = tasks[name]["bash_command"] == "exit 1"
            states[name] = "failed" if ends else "success"
    # Airflow takes the state of a run from its leaves.
    assert ("failed" in states.values()) == (recovered == "failed")
