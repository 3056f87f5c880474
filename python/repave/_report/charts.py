"""Charts as inline SVG. The number of shapes is bounded, however many values there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repave._figures import number
from repave._report.markup import element, text

COLUMNS_MAX: Final = 120
WIDTH, HEIGHT = 720, 160


@dataclass(frozen=True, slots=True)
class Column:
    """A bar above and one below the axis, and what both stand for."""

    label: str
    up: float
    down: float = 0


def grouped(columns: Sequence[Column]) -> list[Column]:
    """Return at most `COLUMNS_MAX` columns: neighbours are added up.

    >>> found = grouped([Column(str(n), 1, 2) for n in range(10_000)])
    >>> len(found) <= COLUMNS_MAX, sum(one.up for one in found), found[0].label
    (True, 10000, '0 to 83')
    """
    each = -(-len(columns) // COLUMNS_MAX) or 1
    groups = [columns[at : at + each] for at in range(0, len(columns), each)]
    return [
        Column(
            group[0].label if each == 1 else f"{group[0].label} to {group[-1].label}",
            sum(one.up for one in group),
            sum(one.down for one in group),
        )
        for group in groups
    ]


def bars(columns: Sequence[Column], up: str, down: str = "") -> str:
    """Return a bar for each column; `up` and `down` name the two directions."""
    shown = grouped(columns)
    above = max((one.up for one in shown), default=0)
    below = max((one.down for one in shown), default=0)
    if not above + below:
        return element("p", "Nothing to draw.")
    scale = (HEIGHT - 8) / (above + below)
    axis = 4 + above * scale
    step = WIDTH / len(shown)
    shapes = [_rect("axis", 0, axis, WIDTH, 1, "")]
    for place, one in enumerate(shown):
        left, width = place * step, max(step - 1, 0.5)
        told = f"{one.label}: {_told(one.up)} {up}" + (down and f", {_told(one.down)} {down}")
        shapes.append(_rect("up", left, axis - one.up * scale, width, one.up * scale, told))
        if one.down:
            shapes.append(_rect("down", left, axis + 1, width, one.down * scale, told))
    return _svg(HEIGHT, "".join(shapes), f"{up} {down}")


def stack(parts: Sequence[tuple[str, int]]) -> str:
    """Return one bar of parts, and the names of their colors."""
    total = sum(amount for _, amount in parts)
    if not total:
        return element("p", "Nothing to draw.")
    shapes, keys, left = [], [], 0.0
    for place, (name, amount) in enumerate(parts):
        width = amount / total * WIDTH
        shapes.append(_rect(f"part-{place}", left, 0, width, 28, f"{name}: {_told(amount)}"))
        left += width
        square = element("svg", _rect(f"part-{place}", 0, 0, 9, 9, ""), viewBox="0 0 9 9")
        keys.append(element("span", square + text(name), class_="key"))
    return _svg(28, "".join(shapes), "storage") + element("p", "".join(keys))


def _svg(height: int, shapes: str, label: str) -> str:
    return element("svg", shapes, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label)


def _rect(kind: str, x: float, y: float, width: float, height: float, told: str) -> str:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return element("rect", element("title", text(told)) if told else "", class_=kind, **place)


def _told(amount: float) -> str:
    return number(amount) if isinstance(amount, int) else f"{amount:.4f}"
