"""One run, in a process of its own: `python -m benchmarks.run` prints one line of JSON."""

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from benchmarks.measure import Run
from benchmarks.readers import READERS
from benchmarks.reading import Reading
from benchmarks.result import Checked, Circumstances, Result
from benchmarks.sites import Site, modelled_site, remote_site
from benchmarks.systems import SYSTEMS
from benchmarks.versions import cores, git_sha, priority, versions
from benchmarks.victim import UNFIT
from benchmarks.workload import load_workload
from repave_lab.proxy import load_model

REFUSALS: Final = ("does not support dynamicPartitionOverwrite", UNFIT)


def store_name(model: str, endpoint: str | None) -> str:
    """Return the name of the store in results: the latency model, or the real one's name."""
    return endpoint or load_model(model).name


def run(options: argparse.Namespace) -> Result:
    """Run once; whatever goes wrong is a result as well."""
    workload = load_workload(options.workload)[0].sized(options.partitions).scaled(options.scale)
    told = Circumstances(
        model=store_name(options.model, options.endpoint),
        seed=options.seed,
        git_sha=git_sha(),
        cores=cores(),
        started=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        load=round(os.getloadavg()[0], 1),
        versions=versions(),
        priority=priority(),
    )
    checked: Checked
    measured, reason = None, ""
    try:
        with tempfile.TemporaryDirectory(prefix="repave-bench-") as folder, _site(options) as site:
            one: Run | Reading
            if workload.query:
                one = Reading(READERS[options.system], workload, site)
            else:
                one = Run(options.system, SYSTEMS[options.system](), workload, site)
            checked, measured = one.measure(Path(folder))
    except Exception as error:  # noqa: BLE001 - a failed run is told, never dropped
        text = str(error)
        wanted = next((words for words in REFUSALS if words in text), "")
        checked = "refused" if wanted else "failed"
        reason = first_sentence(text, wanted)
    return Result(
        system=options.system,
        workload=workload.name,
        partitions=workload.partitions,
        scale=workload.scale,
        files=workload.files,
        repeat=options.repeat,
        circumstances=told,
        checked=checked,
        figures=measured,
        reason=reason,
    )


@contextlib.contextmanager
def _site(options: argparse.Namespace) -> Iterator[Site]:
    if options.endpoint:
        with remote_site(options.endpoint, options.bucket, options.prefix) as site:
            yield site
    else:
        with modelled_site(options.model, options.seed) as site:
            yield site


def first_sentence(text: str, wanted: str) -> str:
    """Return the line that says why: the refusal, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # Py4J's own first line says which call failed, not why.
    lines = [line for line in lines if not line.startswith("An error occurred while calling")]
    fitting = [line for line in lines if wanted and wanted in line]
    return next(iter(fitting or lines), "no reason was told")[:300]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--system", choices=[*SYSTEMS, *READERS], required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--model", default="typical")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--endpoint")
    parser.add_argument("--bucket", default="")
    parser.add_argument("--prefix", default="")
    line = run(parser.parse_args()).line()
    sys.stdout.write(line)


if __name__ == "__main__":
    main()
