"""The report in a real browser: it fits a phone, draws its charts and asks no other machine.

`make test-browser` runs it where Chromium is installed (`apt-get install chromium`).
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from repave._report.gathering import PartitionSize
from repave._report.page import POLICY, html_page
from unit.test_report import HOSTILE, job, report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PHONE = 390
# Chromium itself must not ask anybody either: a proxy that is not there answers nothing.
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--proxy-server=127.0.0.1:9",
    f"--window-size={PHONE},900",
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def page() -> str:
    """Return a page with every part of it, and with hostile names."""
    pending = {"commit": HOSTILE, "kind": "dynamic", "state": "pending", "version": 0}
    names = [HOSTILE, "x" * 500, *(f"dt={n}" for n in range(99))]
    return html_page(
        report(
            table=f"s3://lake/{'long-name-' * 30}",
            jobs=tuple(job(version) for version in range(300, 0, -1)),
            partitions=tuple(PartitionSize(name, 9, 1 << 20, 9) for name in names),
            unfinished=(pending,),
        )
    )


def dumped(content: str, folder: Path, *flags: str) -> str:
    """Open a page; return its document as the browser understood it."""
    place = folder / "page.html"
    place.write_text(content, "utf-8")
    words = [str(CHROMIUM), *QUIET, f"--user-data-dir={folder}/profile", *flags, "--dump-dom"]
    done = subprocess.run(
        [*words, place.as_uri()], check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout


def test_the_browser_sees_the_elements_that_were_written(tmp_path: Path) -> None:
    document = dumped(page(), tmp_path)
    for name in ("rect", "tr", "td", "table", "svg", "h2"):
        assert document.count(f"<{name}") == len(re.findall(rf"<{name}[ >]", page())), name
    assert "<script" not in document


def test_the_page_asks_no_other_machine(tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    dumped(page(), tmp_path, f"--log-net-log={log}")
    urls = re.findall(r'"url":"([^"]*)"', log.read_text("utf-8"))
    assert [url for url in urls if "evil" in url] == []
    assert json.dumps(urls).count("page.html") == len([u for u in urls if u.startswith("file:")])


def test_the_page_is_no_wider_than_a_phone(tmp_path: Path) -> None:
    # The page itself may run no script, so a copy without its policy measures the layout.
    script = (
        "<script>document.title = document.documentElement.scrollWidth + ' of ' + innerWidth"
        " + ', ' + document.querySelector('svg rect.up').getBoundingClientRect().height</script>"
    )
    measured = (
        page().replace(POLICY.replace("'", "&#x27;"), "").replace("</body>", f"{script}</body>")
    )
    assert measured.count("Content-Security-Policy") == 1
    (title,) = re.findall(r"<title>(\d.*?)</title>", dumped(measured, tmp_path))
    width, inner, height = re.fullmatch(r"(\d+) of (\d+), ([\d.]+)", title).groups()  # type: ignore[union-attr]
    assert int(width) <= int(inner) <= PHONE + 200, title
    assert float(height) > 0, "the first bar is drawn"
