import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

from rich.console import Console

from benchmarks.report.markdown import markdown, model_table
from benchmarks.report.page import page
from benchmarks.report.table import HEADINGS
from benchmarks.report.terminal import show_report, show_verdicts
from benchmarks.summary import rows
from benchmarks.targets import Target, judge
from unit.bench.samples import result

RESULTS = [
    result("repave-listing", 4.0),
    result("repave-listing", 6.0, repeat=1),
    result("delta", 8.0, checked="wrong"),
    result("magic", None, checked="refused", reason="<MagicCommitter> | refuses"),
]
TABLES = rows(RESULTS, ["repave-listing", "delta", "magic"])
VERDICTS = judge([Target("nightly-small", 100, "repave-listing", "seconds", 4.5)], TABLES)


def test_markdown_tells_every_system_and_how_it_ended() -> None:
    text = markdown(RESULTS, TABLES)
    listing, delta, magic = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert listing == (
        "| repave-listing | 5.0 | 4.0, 6.0 | 4.0 / 1.0 | 3.0 | 15.0 | 2.0 | 5.0 (0.5) | 0.0"
        " | – | – | 2 right |"
    )
    assert delta.startswith("| delta | – | – |")
    assert delta.endswith("| 1 wrong |")
    assert magic.endswith("| 1 refused |")
    assert "- magic: <MagicCommitter> | refuses" in text
    assert "not the performance of S3" in text
    assert "latency model made-up, seeds 0 and 1" in text
    assert {line.count("|") for line in text.splitlines() if line.startswith("| ")} == {
        len(HEADINGS) + 1
    }


def test_a_commits_steps_and_repeated_writes_are_told() -> None:
    run = result("repave-listing", 4.0)
    assert run.figures
    millis = {"reserve": 30, "complete-uploads": 900}
    told = replace(run, figures=replace(run.figures, commit_millis=millis, tries=2))
    text = markdown([told], rows([told], []))
    assert "- repave-listing's commit, ms by its own report: reserve 30, complete-uploads" in text
    assert "- repave-listing: repeated 1 writes that ended in a conflict" in text


def test_the_latency_model_is_printed_and_a_real_store_has_none() -> None:
    assert "| PutObject | 27 | 58 | 60 | – |" in model_table("typical")
    assert model_table("https://store:9000") == ""


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_page_needs_no_other_file_and_escapes_what_it_is_told() -> None:
    text = page(RESULTS, TABLES, VERDICTS)
    tags = Tags()
    tags.feed(text)
    assert len(tags.sources) == 2
    for source in tags.sources:
        found = re.fullmatch(r"data:image/png;base64,(.+)", source)
        assert found
        assert base64.b64decode(found[1]).startswith(b"\x89PNG")
    assert not tags.names & {"script", "link", "magiccommitter"}
    assert "missed (5):" in text


def test_a_place_where_nothing_was_right_has_no_plot() -> None:
    refused = RESULTS[-1:]
    assert "<img" not in page(refused, rows(refused, []), [])


def test_the_terminal_tells_the_same() -> None:
    console = Console(file=io.StringIO(), width=200, force_terminal=False)
    show_report(console, RESULTS, TABLES)
    show_verdicts(console, VERDICTS)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for words in ("repave-listing", "4.0, 6.0", "1 wrong", "1 refused", "<MagicCommitter>"):
        assert words in text
    assert "missed (5):" in text
