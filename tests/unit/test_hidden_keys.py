import json

import pytest

from java_sources import ROOT
from repave._hidden import is_hidden_key

CONTRACT = json.loads((ROOT / "contract/hidden-keys.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CONTRACT, ids=lambda case: case["key"])
def test_a_key_is_a_data_file_or_hidden_as_the_contract_says(case: dict[str, object]) -> None:
    assert is_hidden_key(str(case["key"])) is case["hidden"]
