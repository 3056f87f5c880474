"""Limits of docs/protocol.md §3: a record at a limit is read, one beyond it is refused."""

import gzip
import json
from typing import Any

import pytest

from repave._envelope import open_record
from repave._errors import InvalidRecordError
from repave._location import Location
from repave._walk import TableWalk
from unit.paged_s3 import PagedS3
from unit.record_files import FIRST, head, logged, seal_bytes, sealed

# ruff: noqa: ANN401 - JSON

WHERE = "s3://lake/sales/_repave/head.json"
NOT_JSON = "is not the JSON that Repave writes"
# The tokens of a sealed head with a member that is an empty list.
OWN_TOKENS = 31


def opened(**members: Any) -> dict[str, Any]:
    return open_record(sealed(head(**members)), "head", WHERE)


def opened_text(*members: str) -> dict[str, Any]:
    """Open a head with members as JSON writes them."""
    body = json.dumps(head(), separators=(",", ":"))[:-1]
    return open_record(seal_bytes(",".join((body, *members)).encode() + b"}"), "head", WHERE)


def refused(**members: Any) -> None:
    with pytest.raises(InvalidRecordError, match=NOT_JSON):
        opened(**members)


def nested(depth: int, inner: object = 1) -> object:
    for _ in range(depth):
        inner = [inner]
    return inner


def test_brackets_are_at_most_16_deep() -> None:
    """The record itself is the first of them."""
    assert opened(x=nested(15))["x"] == nested(15)
    refused(x=nested(16))
    assert opened(x=nested(14, {}))
    refused(x=nested(15, {}))
    assert opened(x=["]", "[" * 99], y="{" * 99)


@pytest.mark.parametrize("char", ["t", "ü", '"', "\\", "\n", "\x01", "漢"])
def test_a_text_has_at_most_8192_characters(char: str) -> None:
    for around in ({}, {"a": ["", '"', "\\"] * 5_000}, {"a": list(range(9_000))}):
        assert opened(**around, x=[char * 8_192])
        refused(**around, x=[char * 8_193])
        refused(x=[char * 8_193], **around)


def test_a_pair_of_surrogates_counts_as_two_characters_as_in_java() -> None:
    assert opened(x="😀" * 4_096)["x"] == "😀" * 4_096
    refused(x="😀" * 4_097)
    assert opened_text('"x":"{}"'.format("😀" * 4_096))
    with pytest.raises(InvalidRecordError, match=NOT_JSON):
        opened_text('"x":"{}"'.format("😀" * 4_096 + "a"))


def test_a_long_list_of_numbers_is_no_text() -> None:
    assert len(opened(x=list(range(20_000)), y="a", z=list(range(20_000)))["z"]) == 20_000


def test_a_record_has_at_most_3_000_000_tokens() -> None:
    most = 3_000_000 - OWN_TOKENS
    assert len(opened(x=[1] * most)["x"]) == most
    # Those inside of texts do not count.
    assert opened(x=[1] * (most - 2), y=',:[]{}"\\' * 99)
    for beyond in ({"x": [1] * (most + 1)}, {"x": [1] * (most - 1), "y": ""}):
        with pytest.raises(InvalidRecordError, match="has more values than any record"):
            opened(**beyond)


def test_a_small_file_that_unpacks_to_millions_of_values_is_refused() -> None:
    bomb = gzip.compress(
        seal_bytes(b'{"format":1,"record":"head","x":[' + b"[]," * 9_000_000 + b"1]}")
    )
    assert len(bomb) < 100_000
    with pytest.raises(InvalidRecordError, match="has more values than any record"):
        open_record(bomb, "head", WHERE)


@pytest.mark.parametrize("half", ["\\ud800", "\\uDFFF", "\\ude00\\ud83d", "a\\ud83d\\n"])
def test_half_a_pair_of_surrogates_is_refused(half: str) -> None:
    for member in (f'"x":["{half}"]', f'"{half}":1'):
        with pytest.raises(InvalidRecordError, match=NOT_JSON):
            opened_text(member)
    assert opened_text('"x":"\\ud83d\\ude00"')["x"] == "😀"
    assert opened_text('"x":"\\\\ud83d"')["x"] == "\\ud83d"


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    for odd in (b"\xed\xa0\x80", b"\xff"):
        body = sealed(head(x="?"))[:-78].replace(b"?", odd)
        with pytest.raises(InvalidRecordError, match=NOT_JSON):
            open_record(seal_bytes(body + b"}"), "head", WHERE)


def test_a_head_that_is_too_large_is_a_problem_of_its_table_alone() -> None:
    s3 = PagedS3()
    s3.add_table("good", head(version=1, log=[logged(FIRST, 1)]))
    s3.add("bad/_repave/head.json", content=b"{" * ((64 << 20) + 1))
    found = dict(TableWalk(s3, Location.of("s3://lake")).tables())
    assert [str(one) for one in found] == ["s3://lake/bad", "s3://lake/good"]
    assert "so Repave did not write it" in str(found[Location.of("s3://lake/bad")])
