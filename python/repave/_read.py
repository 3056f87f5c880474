"""Reads a table's records straight from S3, without Spark; changes nothing.

Records are hostile input: whoever can write one file of the table can write these. `open_record`
checks the names in a record, since they become parts of keys. The jar's `RepaveTable` answers
the same; tests over the folder `contract` check both.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, Final, Protocol

from repave._envelope import BYTES_MAX, open_record, wrong_member
from repave._errors import InvalidRecordError, RepaveError, UsageError
from repave._location import RECORDS, Location
from repave._schemas import SchemaPlaces, file_document, state_schemas
from repave._snapshot.parallel import REQUESTS_AT_ONCE, in_order

COUNTS: Final = ("files-in", "bytes-in", "files-out", "bytes-out", "files-adopted")
# And the count of the files whose rows these are.
ROWS: Final = {"rows-in": "files-in", "rows-out": "files-out"}
STATUS: Final = (
    "table-id",
    "version",
    "oldest-version",
    "readers",
    "checkpoint-version",
)
ACTIVE: Final = ("commit", "kind", "state", "base", "version", "token", "reserved-millis")
NO_HEAD: Final[dict[str, Any]] = {
    "table-id": "",
    "version": 0,
    "oldest-version": 0,
    "readers": "",
    "checkpoint-version": 0,
    "checkpoint": "",
    "active": [],
    "log": [],
}
NEWEST: Final = -1


class Objects(Protocol):
    """Where the records are."""

    def read(self, location: Location, bytes_max: int) -> bytes | None:
        """Return an object's content, None if there is none."""


class TableRecords:
    """The records of one table, as the documents of docs/json.md."""

    def __init__(self, objects: Objects, table: Location) -> None:
        self._objects = objects
        self._table = table

    @property
    def table(self) -> Location:
        """Where the table is."""
        return self._table

    def status(self) -> dict[str, Any]:
        """Return the table's status: one GET."""
        return self._status(self.head())

    def overview(self) -> dict[str, Any] | None:
        """Return `status` and what tells its age: one GET. None if there is no head.

        `last-commit` is the commit of the newest version, "" if the head does not name it any
        more. `missed` has, by follower, when the first version that it lacks was published: 0 if
        the head does not name that version any more, None while its commit is unfinished.
        """
        head = self._record("head.json", "head")
        if head is None:
            return None
        versions = {one["version"]: one["commit"] for one in (*head["log"], *head["active"])}
        newest = versions.get(head["version"], "") if head["version"] else ""
        status = self._status(head)
        missed = {
            one["follower"]: _published_at(head, one["version"] + 1)
            for one in status.get("followers", ())
        }
        return {**status, "last-commit": newest, "missed": missed}

    def _status(self, head: dict[str, Any]) -> dict[str, Any]:
        active = [_only(ACTIVE, commit) for commit in head["active"]]
        status = {"table": str(self._table), **_only(STATUS, head), "active": active}
        followers = [_followed(one, head["version"]) for one in head.get("followers", ())]
        return {**status, "followers": followers} if followers else status

    def enclosing(self) -> Location | None:
        """Return the table that contains this folder, None also if it may not be read."""
        key = self._table.key
        while key:
            key = key.rpartition("/")[0]
            above = Location(self._table.scheme, self._table.bucket, key)
            try:
                found = TableRecords(self._objects, above).status()
            except InvalidRecordError:
                raise
            except RepaveError:
                return None  # the credentials are for this folder alone
            if found["table-id"]:
                return above
        return None

    def no_versions(self) -> UsageError:
        """Return the error about a folder without records; it names the table around it."""
        above = self.enclosing()
        if above is None:
            message = (
                f"Repave has not committed to {self._table}: it has no versions. Check the path."
            )
        else:
            message = (
                f"{self._table} is inside the table {above}, which Repave writes: use that table."
            )
        return UsageError(message)

    def require_version(self, head: dict[str, Any]) -> None:
        """Refuse a head without a version.

        Raises:
            UsageError: there is no table, or nothing was published in it.
        """
        if head["version"]:
            return
        if head["active"]:
            message = (
                f"{self._table} has no version yet: its first commit is not finished. Wait for its "
                "job, or finish it with `repave recover` if the job has died."
            )
        elif head["table-id"]:
            message = f"{self._table} has no version yet: none of its commits was published."
        else:
            raise self.no_versions()
        raise UsageError(message)

    def history(self, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the unfinished commits, oldest first, then the others, newest first.

        Each takes one GET, up to 16 at once.

        Args:
            limit: how many to yield; all by default.
        """
        commits = islice(self._states(self.head()), limit)
        with ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-records") as pool:
            found = in_order(pool, lambda one: self.manifest_index(one[0]["commit"]), commits)
            for (commit, state), index in found:
                yield _entry(commit, state, index)

    def _states(self, head: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
        for commit in head["active"]:
            yield commit, commit["state"]
        # A published commit that is not finished is in both lists.
        active = {commit["commit"] for commit in head["active"]}
        for commit in self.logged(head):
            if commit["commit"] not in active:
                yield commit, "published" if commit["version"] else "reverted"

    def manifest(self, version: int = NEWEST) -> dict[str, Any]:
        """Return what a version's commit did, file by file."""
        head = self.head()
        self.require_version(head)
        wanted = head["version"] if version == NEWEST else version
        commit = self._published(head, wanted)
        index = self.manifest_index(commit)
        if index is None:
            raise _missing(self._place(_manifest_path(commit)))
        partitions = [] if index["shards"] else index["partitions"]
        for shard in index["shards"]:
            partitions += self.manifest_shard(commit, shard)
        places = SchemaPlaces()
        return {
            "version": wanted,
            **_only(("commit", "kind", "scope", "touched"), index),
            **counts_of(index),
            "partitions": [_change(one, places) for one in partitions],
            **places.document(),
        }

    def head(self) -> dict[str, Any]:
        """Return the table's state: 1 GET; `NO_HEAD` if there is none."""
        head = self._record("head.json", "head")
        return NO_HEAD if head is None else head

    def _published(self, head: dict[str, Any], version: int) -> str:
        """Return the commit of a version."""
        first = head.get("history-from", 0)
        if 0 < version < first:
            message = (
                f"{self._table} has no record of version {version} any more: its history begins "
                f"at version {first}. Vacuum removed what is older than repave.history.retention, "
                "or it was lost."
            )
            raise UsageError(message)
        commits = self.logged(head) if 0 < version <= head["version"] else ()
        found = next((one["commit"] for one in commits if one["version"] == version), None)
        if found is None:
            message = f"{self._table} has no version {version}; its newest is {head['version']}."
            raise UsageError(message)
        return str(found)

    def logged(self, head: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the commits that ended, newest first: 1 GET for each checkpoint."""
        # Vacuum removed the records of older commits.
        begins = head.get("history-from", 0)
        first = max(1, begins)
        published = [one["version"] for one in head["log"] if one["version"] >= first]
        yield from (one for one in reversed(head["log"]) if not 0 < one["version"] < first)
        oldest = min(published, default=head["version"] + 1)
        name, version = head["checkpoint"], head["checkpoint-version"]
        while name and oldest > first:
            try:
                checkpoint = self.checkpoint(name, version)
            except InvalidRecordError:
                # A vacuum removes a checkpoint whose commits a newer one has taken over, and the
                # history that has ended.
                now = self.head()
                if now == head or now["table-id"] != head["table-id"]:
                    raise
                yield from (one for one in self.logged(now) if 0 < one["version"] < oldest)
                return
            for commit in reversed(checkpoint["commits"]):
                if first <= commit["version"] < oldest:
                    yield commit
            name, version = checkpoint["previous"], checkpoint["previous-version"]
            oldest = min(oldest, version + 1)
            if version < begins:
                return

    def checkpoint(self, name: str, version: int) -> dict[str, Any]:
        """Return the index of the checkpoint of a version: 1 GET.

        Raises:
            InvalidRecordError: it is of another version, or does not follow an older one.
        """
        place = self._place(f"checkpoints/{name}")
        checkpoint = self._named(f"checkpoints/{name}", "checkpoint")
        found, previous = checkpoint["version"], checkpoint["previous-version"]
        # Versions must decrease along the chain; otherwise a hostile chain would never end.
        if found != version or previous >= version:
            message = (
                f"The record {place} is a checkpoint of version {found} that follows version "
                f"{previous}, but a checkpoint of version {version} is expected there. Nothing was "
                "changed. Restore it from the bucket's older versions."
            )
            raise InvalidRecordError(message)
        return checkpoint

    def checkpoint_shard(self, name: str) -> list[dict[str, Any]]:
        """Return the partitions of a checkpoint's shard, with their files: 1 GET."""
        return list(self._named(f"checkpoints/{name}", "checkpoint-shard")["partitions"])

    def report(self, commit: str) -> Location:
        """Return where a commit's report is; it is written when the commit has been published."""
        return self._place(f"commits/{commit}/report.json")

    def commit_report(self, commit: str) -> dict[str, Any] | None:
        """Return what a commit cost, None if the record is not there: 1 GET."""
        return self._of_commit(commit, f"commits/{commit}/report.json", "report")

    def ledger(self, commit: str) -> dict[str, Any] | None:
        """Return a commit's ledger without its shards, None if it is not there: 1 GET."""
        return self._of_commit(commit, f"commits/{commit}/uploads.json.gz", "uploads")

    def ledger_shard(self, commit: str, number: int) -> list[dict[str, Any]]:
        """Return the uploads of a ledger's shard: 1 GET."""
        path = f"commits/{commit}/uploads-{number:05}.json.gz"
        record = self._of_commit(commit, path, "uploads-shard")
        if record is None:
            raise _missing(self._place(path))
        return list(record["uploads"])

    def _named(self, path: str, kind: str) -> dict[str, Any]:
        """Return a record that another one names."""
        record = self._record(path, kind)
        if record is None:
            raise _missing(self._place(path))
        return record

    def manifest_index(self, commit: str) -> dict[str, Any] | None:
        """Return a commit's manifest, without the shards: 1 GET."""
        return self._of_commit(commit, _manifest_path(commit), "manifest")

    def of_another_kind(self, commit: str) -> InvalidRecordError:
        """Return the error about a manifest whose kind is not that of its commit."""
        return InvalidRecordError(
            f"The record {self._place(_manifest_path(commit))} does not fit the ledger of its "
            "commit: it is the manifest of another kind of commit. None of the files that it names "
            "was deleted. Restore both records from the bucket's older versions."
        )

    def replaced(self, commit: str, index: dict[str, Any] | None) -> Iterator[str]:
        """Yield the paths of the files that a commit with this manifest replaced.

        Requests: 1 GET for each shard.
        """
        if index is None:
            return
        shards = (self.manifest_shard(commit, shard) for shard in index["shards"])
        for entry in chain(index["partitions"], chain.from_iterable(shards)):
            for file in entry.get("out", ()):
                yield "/".join(part for part in (entry["partition"], file["name"]) if part)

    def manifest_shard(self, commit: str, shard: str) -> list[dict[str, Any]]:
        """Return the partitions of a manifest's shard: 1 GET."""
        path = f"commits/{commit}/{shard}"
        record = self._of_commit(commit, path, "manifest-shard")
        if record is None:
            raise _missing(self._place(path))
        return list(record["partitions"])

    def _of_commit(self, commit: str, path: str, record: str) -> dict[str, Any] | None:
        members = self._record(path, record)
        if members is not None and members["commit"] != commit:
            raise wrong_member(str(self._place(path)), "commit")
        return members

    def _place(self, path: str) -> Location:
        return self._table.under(f"{RECORDS}/{path}")

    def _record(self, path: str, record: str) -> dict[str, Any] | None:
        place = self._place(path)
        content = self._objects.read(place, BYTES_MAX)
        if content is None:
            return None
        members = open_record(content, record, str(place))
        if not state_schemas(members):
            raise wrong_member(str(place), "schemas")
        return members


def _manifest_path(commit: str) -> str:
    return f"commits/{commit}/manifest.json.gz"


def _change(entry: dict[str, Any], places: SchemaPlaces) -> dict[str, Any]:
    """Return what a manifest says of one partition, with every list present."""
    lists = {name: entry.get(name, ()) for name in ("in", "out", "adopted")}
    return {
        "partition": entry["partition"],
        **{name: [file_document(file, places) for file in files] for name, files in lists.items()},
    }


def _entry(commit: dict[str, Any], state: str, index: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the history says of a commit with this manifest."""
    return {
        **_only(("version", "commit", "kind"), commit),
        "state": state,
        "token": commit["token"],
        "published-millis": commit.get("published-millis") or None,
        "partitions": len(index["touched"]) if index else None,
        **counts_of(index),
    }


def counts_of(index: dict[str, Any] | None) -> dict[str, Any]:
    """Return the sums of a manifest, each None if there is none.

    No files have no rows, which the manifest does not say.
    """
    if index is None:
        return dict.fromkeys((*COUNTS, *ROWS))
    rows = {name: index.get(name) if index[files] else 0 for name, files in ROWS.items()}
    return {**_only(COUNTS, index), **rows}


def _followed(follower: dict[str, Any], newest: int) -> dict[str, Any]:
    """Return how far a follower is."""
    version = follower["next"] - 1 if follower["next"] > follower["from"] else 0
    named = {"name": follower["name"]} if "name" in follower else {}
    behind = max(0, newest - version)
    return {"follower": follower["kind"], **named, "version": version, "behind": behind}


def _published_at(head: dict[str, Any], version: int) -> int | None:
    """Return when a version was published, as `TableRecords.overview` tells it."""
    if any(one["version"] == version for one in head["active"]):
        return None
    found = (one for one in head["log"] if one["version"] == version)
    return next((one.get("published-millis", 0) for one in found), 0)


def _only(names: tuple[str, ...], members: dict[str, Any]) -> dict[str, Any]:
    return {name: members[name] for name in names}


def _missing(location: Location) -> InvalidRecordError:
    return InvalidRecordError(
        f"The record {location} is missing. Nothing was changed. Restore it from the bucket's "
        "older versions."
    )
