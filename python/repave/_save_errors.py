"""The table that `save_as_table` writes, and why it cannot write it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from repave._catalog_sql import text
from repave._columns import ColumnChanges
from repave._errors import UsageError
from repave._location import Location

FILES: Final = ("avro", "csv", "json", "orc", "parquet", "text", "xml")

MODE_OPTION: Final = "partitionOverwriteMode"


@dataclass(frozen=True)
class Entry:
    """What the catalog knows of an existing table."""

    source: str
    partition_by: tuple[str, ...]
    location: str
    # As the catalog stores them: Spark reads their names without their case.
    options: Mapping[str, str]


def option_of_dynamic_mode(options: Mapping[str, str]) -> str | None:
    """Return the name of the option by which Spark overwrites some partitions only.

    >>> option_of_dynamic_mode({"PartitionOverwriteMode": "Dynamic"})
    'PartitionOverwriteMode'
    """
    for name, value in options.items():
        if name.lower() == MODE_OPTION.lower() and str(value).upper() == "DYNAMIC":
            return name
    return None


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


def stores_dynamic_mode(name: str, option: str) -> UsageError:
    """Say that the options which the catalog stores overrule every other mode."""
    return UsageError(
        f"The catalog stores the option {option}=dynamic with {name}, so Spark would replace only "
        "the partitions that the DataFrame has rows of, and keep the others. Nothing was written. "
        f"Run: ALTER TABLE {name} SET SERDEPROPERTIES ({text(option)} = 'static'). From then on "
        "each overwrite of the table by its name replaces all rows, unless it names a partition, "
        "as in INSERT OVERWRITE … PARTITION (day = 1). To let the session's mode decide again, "
        "create the table anew without the option."
    )


def asks_for_dynamic_mode(name: str, option: str) -> UsageError:
    return UsageError(
        f"The options have {option}=dynamic, and the catalog would store it with {name}: Spark "
        "would keep the partitions that the DataFrame has no rows of. Nothing was written. Leave "
        "the option out: save_as_table replaces all rows of a table."
    )
