"""What the Delta lanes check can fail: a missing extension, a reader of the whole log."""

import sys

import pytest

pytest.importorskip("deltalake")
pytest.importorskip("duckdb")
pytest.importorskip("polars")
pytest.importorskip("pyspark")

from campaigns.long_log import grown
from e2e.delta_scan import REQUIRED, delta_extension


def test_a_missing_extension_of_duckdb_is_an_error_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb_extension_delta", None)
    monkeypatch.delenv(REQUIRED, raising=False)
    assert delta_extension() is None
    monkeypatch.setenv(REQUIRED, "required")
    with pytest.raises(RuntimeError, match=r"duckdb-extension-delta==.* is not installed"):
        delta_extension()


@pytest.mark.parametrize(("requests", "passes"), [(12, True), (17, True), (18, False)])
def test_a_long_log_may_cost_five_requests_more(requests: int, passes: bool) -> None:  # noqa: FBT001
    wrong = grown("Polars", {"log-100": 12, "log-10000": requests})
    assert (wrong == []) == passes
