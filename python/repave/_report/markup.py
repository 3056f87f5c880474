"""Pieces of a page. All text goes through `text`, because names in records are hostile."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

LENGTH_MAX: Final = 160
REPLACEMENT: Final = "\ufffd"
# HTML closes no other element by a slash.
VOID: Final = ("meta",)


def text(value: object) -> str:
    r"""Return a text for HTML: escaped, short, without control and direction characters.

    >>> text("<b> & " + chr(0x202E) + "x")
    '&lt;b&gt; &amp; \ufffdx'
    """
    whole = str(value)
    return literal(whole if len(whole) <= LENGTH_MAX else f"{whole[:LENGTH_MAX]}…")


def literal(whole: str) -> str:
    """Return a text of any length for HTML, escaped."""
    visible = "".join(char if char.isprintable() else REPLACEMENT for char in whole)
    return escape(visible, quote=True)


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Return an element; its content is markup, its attributes are texts.

    >>> element("a", text("<"), href='"')
    '<a href="&quot;">&lt;</a>'
    """
    named = "".join(
        f' {key.strip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{named}/>" if name in VOID else f"<{name}{named}>{content}</{name}>"


def grid(columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: int = 0) -> str:
    """Return a table of texts; the last columns are numbers."""
    first = len(columns) - numbers

    def cells(name: str, row: Sequence[object]) -> str:
        return "".join(
            element(name, text(cell) or "&#160;", class_="n" if place >= first else "t")
            for place, cell in enumerate(row)
        )

    body = "".join(element("tr", cells("td", row)) for row in rows)
    if not body:
        return element("p", "None.")
    head = element("thead", element("tr", cells("th", columns)))
    table = element("table", head + element("tbody", body))
    return element("div", table, class_="wide")
