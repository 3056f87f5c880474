"""What a reader of symlink manifests sees: the rows of the files that the lists name."""

import io
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from pyarrow import orc, parquet

from e2e.lake import TableFolder
from life.model import NULL, Rows

MANIFESTS = "_symlink_format_manifest/"


def symlink_rows(folder: TableFolder, kind: str) -> Rows:
    """Read past the proxy, without anything of Repave."""
    found: Rows = Counter()
    for key in folder.listing():
        if key.startswith(MANIFESTS):
            name = key.removeprefix(MANIFESTS).partition("/")[0].removeprefix("part=")
            part = None if name == NULL else unquote(name)
            for uri in _body(folder, f"{folder.name}/{key}").decode().splitlines():
                bucket, _, file = uri.removeprefix("s3://").partition("/")
                assert bucket == folder.lake.bucket, uri
                found.update((*row, part) for row in _rows(_body(folder, file), kind))
    return found


def _body(folder: TableFolder, key: str) -> bytes:
    answer = folder.lake.client.get_object(Bucket=folder.lake.bucket, Key=key)
    return bytes(answer["Body"].read())


def _rows(body: bytes, kind: str) -> Iterable[tuple[int, str]]:
    opened = io.BytesIO(body)
    file = orc.ORCFile(opened) if kind == "orc" else parquet.ParquetFile(opened)
    found = file.read(["id", "note"])
    return zip(found.column("id").to_pylist(), found.column("note").to_pylist(), strict=True)
