"""Each extra alone reads a table: `python -m campaigns.extras [EXTRA…]`, or `make test-extras`.

Each has an environment of its own under `.work`, with Repave and what that extra installs.
"""

import os
import subprocess
import sys
from pathlib import Path

from campaigns.store import use_lab_credentials
from lab.reader_tables import StoredTable
from repave_lab.servers import embedded_s3

ROOT = Path(__file__).parents[2]
READS = {
    "arrow": "snap.arrow().to_table()['id'].to_pylist()",
    "pandas": "snap.pandas()['id'].to_list()",
    "duckdb": "[row[0] for row in snap.duckdb().project('id').fetchall()]",
    "polars": "snap.polars().collect()['id'].to_list()",
}
# What the extra does not install, and what says so.
LACKS = {
    "arrow": "polars",
    "pandas": "duckdb",
    "duckdb": "polars",
    "polars": "duckdb",
}
PROGRAM = """
import repave
snap = repave.snapshot("s3://lake/sales")
print(sorted({read}), dict(snap.partition_types))
try:
    snap.{other}()
except repave.RepaveError as error:
    print(error)
"""
ROWS = "[1, 2, 3] {'dt': 'date', 'region': 'string'}"


def python_with(extra: str) -> Path:
    """Return a Python that has Repave with this extra and nothing else."""
    folder = ROOT / ".work" / f"extra-{extra}-venv"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*install, "-e", f"{ROOT}[{extra}]"], check=True)
    return python


def failure(extra: str, endpoint: str) -> str:
    """Return what is wrong with an extra, or nothing."""
    other = LACKS[extra]
    program = PROGRAM.format(read=READS[extra], other=other)
    done = subprocess.run(
        [python_with(extra), "-W", "error", "-c", program],
        env={**os.environ, "AWS_ENDPOINT_URL": endpoint, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    rows, _, refused = done.stdout.partition("\n")
    if rows != ROWS or f"The extra '{other}'" not in refused:
        return f"repave[{extra}]: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return ""


def main(chosen: list[str]) -> int:
    use_lab_credentials()
    failed = 0
    with embedded_s3("ministack") as server:
        client = server.client()
        client.create_bucket(Bucket="lake")
        table = StoredTable(client, "lake", "snapshot")
        table.commit(
            "append", {"dt=2026-11-01/region=eu": [1, 2], "dt=2026-11-02/region=a%2Fb": [3]}
        )
        for extra in chosen or READS:
            wrong = failure(extra, server.endpoint)
            print(wrong or f"repave[{extra}] reads the table", flush=True)
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
