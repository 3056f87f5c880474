"""The table that `save_as_table` writes, and why it cannot write it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from repave._columns import ColumnChanges
from repave._errors import UsageError
from repave._location import Location

FILES: Final = ("avro", "csv", "json", "orc", "parquet", "text", "xml")


@dataclass(frozen=True)
class Entry:
    """What the catalog knows of an existing table."""

    source: str
    partition_by: tuple[str, ...]
    location: str


def place_of(uri: str) -> tuple[bool, str, str] | None:
    try:
        found = Location.of(uri)
    except UsageError:
        return None
    # s3 and s3a name the same folder; repave is another way to read it.
    return found.scheme == "repave", found.bucket, found.key


def not_files(name: str, source: str) -> UsageError:
    return UsageError(
        f"{name} is a table of the format {source}, whose data Repave cannot replace. Nothing was "
        f"written. Use that format's own writer; Repave writes {', '.join(FILES)}."
    )


def columns_differ(name: str, changes: ColumnChanges) -> UsageError:
    problems = []
    if changes.missing:
        problems.append(f"the DataFrame lacks {', '.join(changes.missing)}")
    problems += [f"{one}" for one in changes.retyped]
    return UsageError(
        f"The columns of {name} do not fit: {'; '.join(problems)}. Nothing was written. Cast the "
        "columns, add missing ones as nulls, or drop the table first if its columns shall change."
    )


def columns_cannot_be_added(name: str, added: Sequence[str], why: str) -> UsageError:
    return UsageError(
        f"{name} has no column {', '.join(added)}, and Spark cannot add it: {why.strip('. ')}. "
        "Nothing was written. Take the column out of the DataFrame, or drop the table first."
    )


def reads_itself(name: str, entry: Entry) -> UsageError:
    place = place_of(entry.location)
    if place is None:
        advice = "Write the rows to another table first."
    elif place[0]:
        advice = (
            "Repave keeps the old files until the commit, so read one version by its path: "
            f'spark.read.format("{entry.source}").load("{entry.location}/@v…"), with the version '
            f'that RepaveTable.for_path(spark, "{entry.location}").status() shows.'
        )
    else:
        snapshot = Location.of(entry.location).with_scheme("repave")
        advice = (
            "Repave keeps the old files until the commit, so read the table by its other path: "
            f'spark.read.format("{entry.source}").load("{snapshot}").'
        )
    return UsageError(
        f"The DataFrame reads {name}, whose rows it would replace, and Spark refuses that. No row "
        f"was written. {advice}"
    )


def not_committed(name: str, location: str) -> UsageError:
    """Say that Spark would delete the old rows first."""
    return UsageError(
        f"Repave does not commit writes to {location}, the folder of {name}, so Spark would delete "
        "the old rows before it writes the new ones. Nothing was written. Start the session "
        "through repave.configure_session, choose a folder on S3 that repave.exclude does not "
        "name, or write with df.write."
    )
