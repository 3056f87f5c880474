"""The report as one page without a network: styles and charts are in it, scripts are not."""

from collections.abc import Sequence
from shlex import quote
from typing import Final

from repave._figures import counted, number, size, utc
from repave._report.charts import Column, bars, stack
from repave._report.gathering import SMALL_BYTES, Job, PartitionSize, TableReport
from repave._report.markup import element, grid, literal, text
from repave._version import __version__

ROWS_MAX: Final = 30
# A page may load nothing: no name in a record can make it ask another machine.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
STYLE: Final = """
:root{color-scheme:light dark;--in:#2a78b8;--out:#c8702a;--line:#8886}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}
td,th{padding:.2rem .6rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
.n{text-align:right}svg{width:100%;height:auto}pre{white-space:pre-wrap;overflow-wrap:anywhere}
.up,.part-0{fill:var(--in)}.down,.part-1{fill:var(--out)}.axis{fill:var(--line)}
.part-2{fill:#8a5fb5}.part-3{fill:#c23b4e}.part-4{fill:#7a7a7a}.part-5{fill:#5f9e6e}
.key{display:inline-block;margin-right:1rem}.key svg{width:.9rem;height:.9rem;margin-right:.3rem}
.warn{border-left:4px solid #c23b4e;padding-left:.8rem}
"""


def html_page(report: TableReport) -> str:
    """Return the page."""
    parts = (
        element("h1", text(report.table)),
        element("p", text(_summary(report))),
        _unfinished(report),
        _timeline(report),
        _partitions(report),
        _costs(report),
        _storage(report),
        element("p", text(f"Written by repave {__version__} at {utc(report.made)}.")),
    )
    head = (
        element("meta", charset="utf-8")
        + element("meta", http_equiv="Content-Security-Policy", content=POLICY)
        + element("meta", name="viewport", content="width=device-width, initial-scale=1")
        + element("meta", name="referrer", content="no-referrer")
        + element("title", text(f"{report.table}, version {report.version}"))
        + element("style", STYLE)
    )
    body = element("body", "\n".join(part for part in parts if part))
    return f"<!DOCTYPE html>\n{element('html', element('head', head) + body, lang='en')}\n"


def _summary(report: TableReport) -> str:
    live = report.storage.live
    return (
        f"Version {report.version}, readers={report.readers}: {counted(live.files, 'live file')} "
        f"({size(live.bytes)}) in {counted(len(report.partitions), 'partition')}."
    )


def _unfinished(report: TableReport) -> str:
    if not report.unfinished:
        return ""
    columns = ("commit", "kind", "state", "version")
    rows = [tuple(one[name] for name in columns) for one in report.unfinished]
    return element(
        "div",
        element("h2", counted(len(rows), "unfinished commit"))
        + grid(columns, rows[:ROWS_MAX])
        + element("p", "If the driver of a commit has died, this command finishes the commit:")
        + element("pre", element("code", literal(f"repave recover {quote(report.table)}"))),
        class_="warn",
    )


def _timeline(report: TableReport) -> str:
    jobs = report.jobs[::-1]
    known = all(job.rows_in is not None and job.rows_out is not None for job in jobs)
    unit = "rows" if known else "files"
    columns = [_change(job, unit) for job in jobs]
    left = "older ones are left out" if report.more_jobs else "all of the history"
    rows = (
        (
            job.version,
            utc(job.began),
            job.kind,
            *map(number, (job.rows_in, job.rows_out, job.files_in, job.files_out)),
        )
        for job in report.jobs[:ROWS_MAX]
    )
    names = ("version", "began", "kind", "rows in", "rows out", "files in", "files out")
    return (
        element("h2", "Commits")
        + element(
            "p", text(f"{unit} in (up) and out (down) of {counted(len(jobs), 'job')}; {left}.")
        )
        + bars(columns, f"{unit} in", f"{unit} out")
        + grid(names, rows, numbers=4)
    )


def _change(job: Job, unit: str) -> Column:
    up, down = (job.rows_in, job.rows_out) if unit == "rows" else (job.files_in, job.files_out)
    return Column(f"version {job.version}", up or 0, down or 0)


def _partitions(report: TableReport) -> str:
    largest = sorted(report.partitions, key=lambda one: -one.bytes)
    crumbled = sorted((one for one in report.partitions if one.small > 1), key=lambda x: -x.small)
    return (
        element("h2", "Largest partitions")
        + _partition_table(largest)
        + element("h2", "Partitions with the most small files")
        + element("p", text(f"Files below {size(SMALL_BYTES)}, where there is more than one."))
        + _partition_table(crumbled)
    )


def _partition_table(partitions: Sequence[PartitionSize]) -> str:
    rows: list[tuple[object, ...]] = [
        (one.partition or "(the table's folder)", size(one.bytes), number(one.files), one.small)
        for one in partitions[:ROWS_MAX]
    ]
    rest = partitions[ROWS_MAX:]
    if rest:
        rows.append(
            (
                f"{number(len(rest))} more",
                size(sum(one.bytes for one in rest)),
                number(sum(one.files for one in rest)),
                number(sum(one.small for one in rest)),
            )
        )
    return grid(("partition", "size", "files", "small files"), rows, numbers=3)


def _costs(report: TableReport) -> str:
    known = [job for job in report.jobs if job.cost.requests is not None]
    requests = sum(sum((job.cost.requests or {}).values()) for job in known)
    dollars = sum(job.cost.dollars or 0 for job in known)
    columns = [Column(f"version {job.version}", job.cost.dollars or 0.0) for job in known[::-1]]
    rows = (
        (job.version, number(sum((job.cost.requests or {}).values())), f"{job.cost.dollars:.4f}")
        for job in known[:ROWS_MAX]
    )
    counts = f"{counted(len(known), 'job')}, {counted(requests, 'request')}"
    told = f"{counts}, about ${dollars:.4f}."
    return (
        element("h2", "Requests")
        + element("p", text(told))
        + bars(columns, "dollars")
        + grid(("version", "requests", "dollars"), rows, numbers=2)
    )


def _storage(report: TableReport) -> str:
    kinds = [(kind, one) for kind, one in report.storage.document().items() if kind != "freed"]
    rows = (
        (
            kind,
            number(one["files"]),
            size(one["bytes"]),
            f"{report.prices.dollars_a_month(one['bytes']):.4f}",
        )
        for kind, one in kinds
    )
    freed = report.storage.freed
    told = f"Vacuum would free {size(freed.bytes)} in {counted(freed.files, 'file')}."
    return (
        element("h2", "Storage")
        + stack([(kind, one["bytes"]) for kind, one in kinds])
        + grid(("kind", "files", "size", "dollars a month"), rows, numbers=3)
        + element("p", text(told))
    )
