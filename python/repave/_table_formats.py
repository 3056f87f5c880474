"""Other table formats. Written by scripts/generate.py from the jar's list."""

from typing import Final

# Each has a name, the folder of its metadata, and a pattern of names inside that folder.
TABLE_FORMATS: Final = (
    (
        "Delta",
        "_delta_log",
        r"[0-9]{20}\.json",
    ),
    (
        "Iceberg",
        "metadata",
        r".*\.metadata\.json|snap-[0-9]+-[0-9]+-.*\.avro|[0-9A-Fa-f]{8}-.*-m[0-9]+\.avro",
    ),
    (
        "Hudi",
        ".hoodie",
        r"(?s).*[^/]",
    ),
)
