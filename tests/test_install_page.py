"""The recipes of docs/install.md for Amazon's services have all keys that PySpark 3.5 needs."""

import re

from java_sources import ROOT
from repave._conf import FIXED, extensions_conf

PAGE = (ROOT / "docs/install.md").read_text("utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, title
    return found.group(1)


def test_the_recipe_of_emr_names_the_rules() -> None:
    command = section("EMR 7").partition("```shell\n")[2].partition("```")[0]
    ((key, value),) = extensions_conf({}).items()
    assert "$(repave conf --jar" in command
    assert f"--conf {key}={value} job.py" in command


def test_the_recipe_of_glue_has_every_key() -> None:
    (row,) = (line for line in section("Glue 5").splitlines() if line.startswith("| `--conf`"))
    # A job parameter holds one value, so Glue takes the next keys from inside it.
    pairs = row.split("|")[2].strip().strip("`").split(" --conf ")
    assert dict(pair.split("=", 1) for pair in pairs) == {**FIXED, **extensions_conf({})}
