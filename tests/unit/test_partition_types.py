"""The rule for the types of partition columns is the one that Java's follower has."""

import json

from java_sources import ROOT
from repave._snapshot.inference import infer, infer_all

CONTRACT = json.loads((ROOT / "contract/partition-types.json").read_text("utf-8"))


def test_a_value_has_the_type_that_the_contract_says() -> None:
    found = {value: str(infer(value)) for value in CONTRACT["values"]}
    assert found == CONTRACT["values"]


def test_a_column_has_the_type_that_holds_all_its_values() -> None:
    for column in CONTRACT["columns"]:
        assert str(infer_all(column["values"])) == column["type"], column
