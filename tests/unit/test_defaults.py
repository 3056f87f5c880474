"""Properties files are read as Spark reads them: by java.util.Properties, and trimmed."""

from pathlib import Path

import pytest

from repave._defaults import parse_properties, spark_defaults


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("spark.jars /a.jar,\\\n    /b.jar\n", {"spark.jars": "/a.jar,/b.jar"}),
        ("a 1,\\\r\n\t2,\\\r\n3\r\nb 4", {"a": "1,2,3", "b": "4"}),
        ("a 1\\\\\nb 2", {"a": "1\\", "b": "2"}),
        ("a 1\\\\\\\nb 2", {"a": "1\\b 2"}),
        ("# a 1 \\\nb 2\n  ! c 3", {"b": "2"}),
        ("a 1,\\\n# 2", {"a": "1,# 2"}),
        ("a 1\\", {"a": "1"}),
        ("a\\\n = 1", {"a": "1"}),
        (
            "a=1\nb:2\nc 3\nd = 4\ne\t:\t5\nf  =g=h",
            dict(zip("abcdef", [*"12345", "g=h"], strict=True)),
        ),
        ("a = = 1", {"a": "= 1"}),
        ("a\n\n \t \nb", {"a": "", "b": ""}),
        ("a\\ b\\=c\\:d = 1", {"a b=c:d": "1"}),
        (r"a C:\\x\ty\z", {"a": "C:\\x\tyz"}),
        (r"a \u00e9\n", {"a": "é\n"}),
        ("a 1 \nb  2\t", {"a": "1", "b": "2"}),
        ("a 1\na 2", {"a": "2"}),
        ("a x\u2028y\x0bz\x85", {"a": "x\u2028y\x0bz\x85"}),
    ],
)
def test_lines_and_escapes_are_those_of_java(text: str, keys: dict[str, str]) -> None:
    assert parse_properties(text) == keys


def test_a_byte_that_is_not_utf_8_does_not_hide_the_other_keys(tmp_path: Path) -> None:
    text = "# f\u00fcr den Cluster\nspark.jars /a.jar\n"
    (tmp_path / "spark-defaults.conf").write_bytes(text.encode("latin-1"))
    assert spark_defaults({"SPARK_CONF_DIR": str(tmp_path)}) == {"spark.jars": "/a.jar"}
