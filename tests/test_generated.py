"""What was generated is what would be generated now."""

import generate
from python_page import python_page
from shapes import shapes_module


def test_the_options_are_the_jars_own() -> None:
    assert generate.OPTIONS.read_text("utf-8") == generate.options_json()


def test_the_store_checks_are_the_jars_own() -> None:
    assert generate.STORE_CHECKS.read_text("utf-8") == generate.store_checks_json()


def test_the_prices_are_the_jars_own() -> None:
    assert generate.PRICES.read_text("utf-8") == generate.prices_json()


def test_the_temporary_errors_are_the_jars_own() -> None:
    assert generate.TEMPORARY.read_text("utf-8") == generate.temporary()


def test_the_table_formats_are_the_jars_own() -> None:
    assert generate.TABLE_FORMATS.read_text("utf-8") == generate.table_formats()


def test_the_configuration_page_is_up_to_date() -> None:
    assert generate.CONFIGURATION.read_text("utf-8") == generate.configuration_page()


def test_the_command_line_page_is_up_to_date() -> None:
    assert generate.CLI.read_text("utf-8") == generate.cli_page()


def test_the_python_page_is_up_to_date() -> None:
    assert generate.PYTHON.read_text("utf-8") == python_page()


def test_the_keywords_are_the_options() -> None:
    assert generate.KEYWORDS.read_text("utf-8") == generate.keywords()


def test_the_version_is_the_poms() -> None:
    assert generate.RELEASE.read_text("utf-8") == generate.release()


def test_the_shapes_are_those_of_the_contract() -> None:
    expected = shapes_module(generate.ROOT / "contract/records")
    assert generate.SHAPES.read_text("utf-8") == expected


def test_only_the_commands_that_take_settings_leave_them_to_their_page() -> None:
    sections = dict(part.split("\n", 1) for part in generate.cli_page().split("\n## ")[1:])
    assert "--retention" in sections["repave vacuum"]
    assert "--retention" not in sections["repave conf"]
