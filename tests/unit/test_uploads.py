"""The rule for the commit of a file is the one that the jar has."""

import json

import pytest

from java_sources import ROOT
from repave._uploads import commit_of

CONTRACT = json.loads((ROOT / "contract/file-names.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CONTRACT, ids=lambda case: case["name"])
def test_a_file_belongs_to_the_commit_that_the_contract_says(case: dict[str, str | None]) -> None:
    assert (commit_of(str(case["name"])) or None) == case["commit"]
