"""The table of the Glue Data Catalog that follows a snapshot table by its locations."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final

from repave._errors import RepaveError, UsageError
from repave._glue import OF_A_PARTITION, Entry, GlueTable, columns_of, glue_client, serde
from repave._glue_entries import (
    EXTERNAL,
    MARK,
    PURGE,
    is_at,
    is_managed,
    is_plain,
    is_plain_again,
    is_purged,
    keys_of,
    mark_of,
    moved_to,
    reads_locations,
)
from repave._glue_values import key_values, require_held
from repave._hive import OPENX, SERDES, TEXT_OUTPUT, HiveColumns, distinct_partitions
from repave._hive_types import Columns
from repave._location import Location
from repave._records import DataFile

KIND: Final = "glue"
# Newer versions, or other processes, that one call keeps up with.
ROUNDS: Final = 10
# Where nothing is: the table's own folder has replaced files when no file is live.
NO_FILES: Final = "@empty"
PARTITIONS_SHOWN: Final = 10
HADOOP_TEXT: Final = ("org.apache.hadoop.mapred.TextInputFormat", TEXT_OUTPUT)
# The classes that list and read the files of a new table.
FORMATS: Final = {
    "csv": HADOOP_TEXT,
    "json": HADOOP_TEXT,
    "orc": (
        "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
        "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
    ),
    "parquet": (
        "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
    ),
    "text": HADOOP_TEXT,
}

# Calls the jar by a command and its words; it answers with a document of docs/json.md.
Ask = Callable[..., Any]
Warn = Callable[[str], None]
Newest = Callable[[tuple[DataFile, ...]], DataFile | None]


class GlueFollower:
    """One table of Glue. The jar has the records and the rules, and no client of Glue."""

    def __init__(
        self, glue: GlueTable, table: Location, ask: Ask, warn: Warn | None = None
    ) -> None:
        """Take the table in Glue, the table on S3, the jar, and what shows a warning."""
        self._glue = glue
        self._warn = warn or _warn
        self._table = table.with_scheme("s3")
        self._ask = ask

    def begin(
        self,
        files: Callable[[], Iterable[DataFile]],
        newest: Newest = lambda _: None,
        *,
        rebuild: bool = False,
    ) -> Any:  # noqa: ANN401 - JSON
        """Let the table in Glue follow, and create it if it is absent.

        What can be refused is refused before the head names the follower: from then on appends to
        partitions with rows fail.

        Args:
            files: returns the live files; their columns are those of a new table.
            newest: returns which of them is of the newest commit, whose types count.
            rebuild: the table in Glue was dropped, or follows instead of one in another catalog.

        Raises:
            UsageError: the name belongs to another table, or the table cannot be created, or the
                one that follows is in another catalog.
            RepaveError: two folders are one partition for Glue, or have other columns or types.
        """
        found = self._glue.found()
        if found is None:
            self._glue.require_database()
        else:
            self._require_place(found)
            self._require_external(found)
        live = tuple(files())
        wanted = {} if found else self._described(live, newest(live))
        folders = dict.fromkeys(file.partition for file in live)
        keys = keys_of(found or wanted)
        self._require_held(self._placed(((one, one) for one in folders), keys), keys)
        self._ask("refollow" if rebuild else "follow", KIND, self._glue.name)
        told = self._told()
        if not told["begins"]:
            self._require_follower(found, told)
        if wanted:
            wanted["Parameters"][MARK] = told["follower"]
            self._glue.create(wanted)
        return self._brought_to(told, marks=True)

    def move(self) -> Any:  # noqa: ANN401 - JSON
        """Bring the table in Glue to the newest version, and record that in the head.

        The head is told afterwards. If it has a newer version by then, this begins again: the
        table may have been moved further by another process, and back by this one.
        """
        return self._brought_to(self._told())

    def _told(self) -> Entry:
        """Return what the table in Glue has to name at the newest version."""
        told: Entry = self._ask("locations", KIND, self._glue.name)
        return told

    def _brought_to(self, told: Entry, *, marks: bool = False) -> Any:  # noqa: ANN401 - JSON
        answer = None
        follower = told["follower"]
        for number in range(ROUNDS):
            told = self._told() if number else told
            if told["follower"] != follower:
                # Another catalog may have taken over, and this one must not be marked as that one.
                raise self._begun_again()
            try:
                answer = None if self._set(told, marks=marks) else self._record(told)
            except RepaveError:
                # Before it failed it may have moved partitions back that another process has moved
                # further. That one has told the head, so nobody would look at them again.
                if self._told()["version"] == told["version"]:
                    raise
                answer = None
            if answer and answer["version"] == told["version"]:
                return answer
        # Commits come faster than rounds, and no other process moves the table: it is behind.
        if answer:
            return answer
        raise self._glue.overtaken()

    def _record(self, told: Entry) -> Any:  # noqa: ANN401 - JSON
        """Tell the head the version; return nothing if it then names another one."""
        version = told["version"]
        answer = self._ask("moved", KIND, self._glue.name, told["follower"], version)
        named = ((one["follower"], one["version"]) for one in answer["followers"])
        return answer if (KIND, version) in named else None

    def _set(self, told: Entry, *, marks: bool) -> int:
        """Send what differs; return how much of it another process changed meanwhile."""
        found = self._require_follower(self._glue.found(), told, marks=marks)
        place = self._require_place(found)
        if deleted := self._deleted(found):
            # It follows already, and its readers need the newest version.
            self._warn(deleted)
        keys = keys_of(found)
        folders = (
            (one["partition"], str(place.under(one["folder"]) if one["folder"] else place))
            for one in told["partitions"]
        )
        wanted = self._placed(folders, keys)
        changes: Entry = {}
        if mark_of(found) != told["follower"]:
            changes["Parameters"] = {**found.get("Parameters", {}), MARK: told["follower"]}
        if not keys:
            storage = moved_to(
                found["StorageDescriptor"], wanted.get((), str(place.under(NO_FILES)))
            )
            if storage != found["StorageDescriptor"]:
                changes["StorageDescriptor"] = storage
        overtaken = self._glue.change(found, **changes) if changes else 0
        if overtaken:
            return overtaken
        if keys:
            return self._move_partitions(found, wanted, told)
        if not told["begins"] and is_plain_again(found, wanted.get((), "@")):
            self._warn(self._plain_again(["the table's own folder"]))
        return 0

    def _move_partitions(
        self, table: Entry, wanted: dict[tuple[str, ...], str], told: Entry
    ) -> int:
        altered, gone, plain = [], [], []
        storage = table["StorageDescriptor"]
        # Once each: pages that change while they are listed may repeat a partition.
        found = {tuple(one["Values"]): one for one in self._glue.partitions()}
        self._require_held(wanted.keys() - found.keys(), keys_of(table))
        for values, one in found.items():
            location = wanted.pop(values, None)
            if location is None:
                gone.append(list(values))
            elif not is_at(one, location):
                if not told["begins"] and is_plain_again(one, location):
                    plain.append(values)
                kept: Entry = {key: one[key] for key in OF_A_PARTITION if key in one}
                own = {**one["StorageDescriptor"], "Location": location}
                altered.append({**kept, "StorageDescriptor": own})
        # After the first move only a rollback adds partitions in their plain folders.
        plain += [] if told["begins"] else [one for one, at in wanted.items() if is_plain(at)]
        new = (
            {"Values": list(values), "StorageDescriptor": {**storage, "Location": location}}
            for values, location in wanted.items()
        )
        # New rows first, then the switch of what both have, then what is gone.
        overtaken = self._glue.add(new) + self._glue.update(altered)
        self._glue.drop(gone)
        if plain:
            self._warn(self._plain_again(["/".join(values) for values in plain]))
        return overtaken

    def _plain_again(self, partitions: list[str]) -> str:
        more = len(partitions) - PARTITIONS_SHOWN
        shown = ", ".join(partitions[:PARTITIONS_SHOWN]) + (f" and {more} more" if more > 0 else "")
        return (
            f"A rollback has put {len(partitions)} partitions of {self._glue.name} back into their "
            f"plain folders, in which later commits may have folders of their own: {shown}. "
            "Readers that also list the folders inside a location, as Athena does, read rows of "
            "several versions there. Hive fails on such a folder ('Not a file'). "
            "Overwrite these partitions before such readers use the table."
        )

    def _require_follower(self, found: Entry | None, told: Entry, *, marks: bool = False) -> Entry:
        """Return the table in Glue if it is the one that follows.

        Only a call that lets a table follow `marks` it, while the follower begins: it takes any.

        Two accounts or regions may have tables of one name at one place, and the head records one
        version: of the other table vacuum would delete what it names.

        Raises:
            UsageError: the table is absent, or is not the one that follows.
        """
        marks = marks and told["begins"]
        if found is not None and (marks or mark_of(found) == told["follower"]):
            return found
        if found is None:
            problem = f"Glue has no table {self._glue.name}, by which readers follow {self._table}."
        else:
            problem = (
                f"The table {self._glue.name} of Glue is not the one that follows {self._table}: "
                f"its property {MARK} is {mark_of(found) or 'absent'}, and the one that follows "
                f"has {told['follower']}."
            )
        message = (
            f"{problem} Nothing was changed in Glue. To make the table in this account and region "
            f"the follower, run: repave follow {self._table} --glue {self._glue.name} --rebuild. "
            "Repave then stops updating the former follower. A table follows in one account and "
            "region of Glue. If another one has the table that follows, use that one. "
            f"Drop a table that does not follow {EXTERNAL}"
        )
        raise UsageError(message)

    def _begun_again(self) -> RepaveError:
        return RepaveError(
            f"Another process has let {self._glue.name} follow {self._table} again while this one "
            "moved it, perhaps in another region of Glue. If it is this one that follows, run: "
            f"repave sync {self._table}"
        )

    def _require_place(self, found: Entry) -> Location:
        """Return the table's root in the form of the location in Glue.

        Raises:
            UsageError: the table in Glue is another one, or readers do not use its locations.
        """
        named = found.get("StorageDescriptor", {}).get("Location", "")
        try:
            place = Location.of(named)
        except UsageError:
            place = None
        root = str(self._table)
        at = str(place.with_scheme("s3")) if place else ""
        moved = not found.get("PartitionKeys") and at.startswith(f"{root}/@")
        # A table at repave:// reads the newest version by itself, and no folder of a commit.
        if place is None or place.scheme == "repave" or (at != root and not moved):
            message = (
                f"{self._glue.name} is in Glue and is at {named or 'no place'}, not at {root}. "
                "Nothing was changed in Glue. Use another name. If this folder is a copy of that "
                f"table, switch its follower off: repave follow {root} --off glue"
            )
            raise UsageError(message)
        if found.get("Parameters", {}).get("projection.enabled", "").lower() == "true":
            message = (
                f"{self._glue.name} has partition projection, with which Athena does not read the "
                "locations of partitions. Nothing was changed in Glue. Remove the table's property "
                "projection.enabled, then run this again."
            )
            raise UsageError(message)
        if found.get("PartitionKeys") and not reads_locations(found):
            message = (
                f"Spark lists the folder of {self._glue.name} and does not read the locations of "
                "its partitions: its property spark.sql.partitionProvider is not 'catalog'. "
                "Nothing was changed in Glue. Drop that table, then run: repave follow "
                f"{root} --glue {self._glue.name} --rebuild. Drop it {EXTERNAL}"
            )
            raise UsageError(message)
        return self._table.with_scheme(place.scheme)

    def _require_external(self, found: Entry) -> None:
        """Refuse a table whose files a catalog deletes with it.

        Raises:
            UsageError: `DROP TABLE` would delete them.
        """
        if deleted := self._deleted(found):
            message = f"{deleted} Or use another name. Nothing was changed."
            raise UsageError(message)

    def _deleted(self, found: Entry) -> str:
        """Return why `DROP TABLE` would delete a table's files, "" if it would not."""
        if is_managed(found):
            kind, fix = "is a managed table", "its TableType to EXTERNAL_TABLE"
        elif is_purged(found):
            kind, fix = f"has the property {PURGE}", f"{PURGE} to false in its Parameters"
        else:
            return ""
        return (
            f"{self._glue.name} in Glue {kind}: DROP TABLE in Spark or Hive would "
            f"delete the folder {self._table} with the files of all versions and Repave's "
            f"records. Set {fix} first (aws glue update-table)."
        )

    def _placed(
        self, folders: Iterable[tuple[str, str]], keys: Columns
    ) -> dict[tuple[str, ...], str]:
        """Return the place of each partition by its values; `folders` are partitions and places."""
        root, name = str(self._table), self._glue.name
        placed = ((key_values(partition, keys, root, name), place) for partition, place in folders)
        return distinct_partitions(placed, name)

    def _require_held(self, new: Iterable[tuple[str, ...]], keys: Columns) -> None:
        require_held(sorted(new), keys, str(self._table), self._glue.name)

    def _described(self, files: tuple[DataFile, ...], newest: DataFile | None) -> Entry:
        own = f"Create {self._glue.name} in Glue at {self._table}, then run this again"
        try:
            known = HiveColumns.of(files, str(self._table), newest=newest)
        except UsageError as error:
            message = f"{error} {own}."
            raise UsageError(message) from None
        if known.source not in FORMATS:
            message = f"Repave cannot create a table of {known.source} files in Glue. {own}."
            raise UsageError(message)
        listed, written = FORMATS[known.source]
        library = OPENX if known.source == "json" else SERDES[known.source]
        return {
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {"EXTERNAL": "TRUE", "classification": known.source},
            "PartitionKeys": columns_of(known.partition_columns),
            "StorageDescriptor": {
                "Columns": columns_of(known.columns),
                # A table without partitions is moved at once; until then it shows no rows.
                "Location": str(
                    self._table if known.partition_columns else self._table.under(NO_FILES)
                ),
                "InputFormat": listed,
                "OutputFormat": written,
                "SerdeInfo": serde(library),
            },
        }


def glue_follower(
    name: str,
    table: Location,
    ask: Ask,
    profile: str | None = None,
    warn: Warn | None = None,
) -> GlueFollower:
    """Return the table of Glue with this name, for the credentials that boto3 finds."""
    return GlueFollower(GlueTable(glue_client(profile), name), table, ask, warn)


def sync_all(
    table: Location, ask: Ask, profile: str | None = None, warn: Warn | None = None
) -> Any:  # noqa: ANN401 - JSON
    """Bring every follower that can be moved here to the newest version."""

    def move_named_in(document: Any) -> Any:  # noqa: ANN401 - JSON
        for one in document.get("followers", ()):
            if one["follower"] == KIND:
                return glue_follower(one["name"], table, ask, profile, warn).move()
        return document

    try:
        document = ask("sync")
    except Exception:
        # A follower that has stopped does not keep Glue back. Hive's exceptions are of any kind.
        move_named_in(ask("status"))
        raise
    return move_named_in(document)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
