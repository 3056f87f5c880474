"""A notebook in a real kernel: results are tables, and a slow write shows how far its commit is."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.lake import TableFolder
from repave_lab.proxy.faults import Fault

nbclient = pytest.importorskip("nbclient", reason="`make test-clients` installs it")
nbformat = pytest.importorskip("nbformat")

# ruff: noqa: ANN401 - Jupyter's messages

SESSION = """
from pathlib import Path
import repave
from e2e.frames import sales
from e2e.sessions import session_builder
spark = session_builder(Path({folder!r}), {{"": {endpoint!r}}}).getOrCreate()
"""
SLOW = 'sales(spark, range(40), "new").write.partitionBy("day").parquet({url!r})'
RESULTS = (
    "repave.RepaveTable.for_path(spark, {url!r})",
    "repave.RepaveTable.for_path(spark, {url!r}).history()",
    "repave.verify_session(spark)",
)


class Watched(nbclient.NotebookClient):  # type: ignore[misc, name-defined] # from importorskip
    """Keeps what each cell showed, also what it replaced later."""

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self.shown: list[tuple[int, str]] = []

    def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
        html = msg.get("content", {}).get("data", {}).get("text/html")
        if html is not None:
            self.shown.append((cell_index, html))
        return super().process_message(msg, cell, cell_index)


def test_a_notebook_shows_tables_and_how_far_a_slow_commit_is(
    table: TableFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    words = {"folder": str(tmp_path), "endpoint": table.lake.proxy.endpoint, "url": table.url}
    cells = [text.format(**words) for text in (SESSION, SLOW, *RESULTS)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
    # 40 files, of which a few at a time are completed.
    table.lake.proxy.set_faults([Fault("delay", op="CompleteMultipartUpload", ms=9_000)])
    client = Watched(notebook, timeout=900, kernel_name="python3")
    client.execute()

    shown = [html for index, html in client.shown if index == 1]
    assert any(f"Committing to <b>{table.name}" in one.replace("s3://lake/", "") for one in shown)
    assert any("complete uploads, " in one and " of 40" in one for one in shown)
    assert shown[-1] == "", "the line goes with the cell"
    texts = ["".join(html for at, html in client.shown if at == index) for index in (2, 3, 4)]
    assert all("<table" in one for one in texts)
    assert "version 1" in texts[0]
    assert ">append</td>" in texts[1]
