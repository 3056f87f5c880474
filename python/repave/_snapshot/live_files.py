"""The files of one version, from the newest checkpoint before it and the manifests since."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Final

from repave._envelope import RESTORE_IT
from repave._errors import InvalidRecordError
from repave._hidden import is_read
from repave._read import TableRecords
from repave._records import DataFile, data_file
from repave._snapshot.folders import Replaced, check_length
from repave._snapshot.newest import newest_of
from repave._snapshot.parallel import REQUESTS_AT_ONCE, Ahead, in_order

# The files that other kinds remove are in the folders that they replace.
KINDS_THAT_REMOVE: Final = ("append", "adopt")
NO_CHECKPOINT: Final[dict[str, Any]] = {
    "version": 0,
    "previous": "",
    "previous-version": 0,
    "shards": [],
    "commits": [],
}

# So many shards of a checkpoint, of up to 10,000 files each, wait for manifests in memory.
SHARDS_AHEAD: Final = 4

Record = dict[str, Any]


class LiveFiles:
    """Computes the files of a version, from the newest commit back to the checkpoint.

    The result is that of docs/protocol.md section 3, "Snapshot", which goes forward. The folder
    `contract` compares it with the jar's `LiveFiles`.

    Going back, a file is live when no newer commit replaced its folder or removed it. So replaced
    files are never kept in memory, and manifests of which nothing can be live are not read.

    Requests, all GETs: 1 for each checkpoint back to the one with files, 1 for each of its shards,
    and for each commit since: 1, and 1 for each shard of its manifest. Where there are few, they
    are sent before the answers that tell whether all of them are needed.
    """

    def __init__(self, records: TableRecords) -> None:
        self._records = records
        self._replaced = Replaced()
        self._removed: set[tuple[str, str]] = set()
        # A file of the newest commit that has one; after `each`, None if only `at` can tell. After
        # `at`, None if there are no files, or if the history does not tell which is the newest.
        self.newest: DataFile | None = None
        self._base: Record = NO_CHECKPOINT
        self._since: list[Record] = []

    def at(self, head: Record, version: int) -> tuple[DataFile, ...]:
        """Return the files of a version, by partition and name in the order of UTF-8."""
        live: dict[tuple[str, str], DataFile] = {}
        for file in self.each(head, version):
            live.setdefault((file.partition, file.name), file)
        found = tuple([live[place] for place in sorted(live)])
        if self.newest is None:
            with suppress(InvalidRecordError):  # a gap in the history does not hide the files
                self.newest = newest_of(found, self._history(head))
        return found

    def each(self, head: Record, version: int) -> Iterator[DataFile]:
        """Yield the files of a version, those of the newest commit first, and keep none in memory.

        A file that two records name comes twice; the first one counts.
        """
        with ThreadPoolExecutor(REQUESTS_AT_ONCE, "repave-records") as pool:
            ahead = Ahead(pool)
            self._send_for_manifests(ahead, head, version)
            checkpoint = self._checkpoint(head, version)
            self._send_for_shards(ahead, checkpoint["shards"])
            self._base = checkpoint
            self._since = self._commits(head, checkpoint["version"], version)
            manifest = partial(self._manifest, ahead)
            for commit, index in in_order(pool, manifest, self._that_matter(self._since)):
                yield from self._apply(pool, commit, index)
            yield from self._of_checkpoint(pool, ahead, checkpoint["shards"])

    def _send_for_manifests(self, ahead: Ahead, head: Record, version: int) -> None:
        """Ask for the manifests since the head's checkpoint before that one's answer is there."""
        since = range(head["checkpoint-version"] + 1, version + 1)
        if len(since) > REQUESTS_AT_ONCE:
            return
        for commit in reversed(head["log"]):
            if commit["version"] in since:
                ahead.send(commit["commit"], self._records.manifest_index)

    def _send_for_shards(self, ahead: Ahead, shards: list[Record]) -> None:
        """Ask for few shards while manifests are read: a commit may have replaced all files."""
        if len(shards) <= SHARDS_AHEAD:
            for shard in shards:
                if shard["first"] != shard["last"]:
                    ahead.send(shard["name"], self._records.checkpoint_shard)

    def _checkpoint(self, head: Record, version: int) -> Record:
        """Return the newest checkpoint with files that is not after a version."""
        for index in self._chain(head, head["checkpoint"], head["checkpoint-version"]):
            name, at = self._files_at(head, index)
            if at <= version:
                if name:
                    return self._records.checkpoint(name, at)
                return index if at else NO_CHECKPOINT
        return NO_CHECKPOINT

    def _chain(self, head: Record, name: str, version: int) -> Iterator[Record]:
        """Yield a checkpoint and those before it: 1 GET for each."""
        while name:
            index = self._records.checkpoint(name, version)
            yield index
            name, version = index["previous"], index["previous-version"]
            if version < head.get("history-from", 0):
                return

    def _history(self, head: Record) -> Iterator[Record]:
        """Yield the commits of the version and before: 1 GET for each checkpoint before its own."""
        yield from self._since
        base = self._base
        yield from reversed(base["commits"])
        if base["previous-version"] < head.get("history-from", 0):
            return
        for index in self._chain(head, base["previous"], base["previous-version"]):
            yield from reversed(index["commits"])

    def _files_at(self, head: Record, index: Record) -> tuple[str, int]:
        """Return the checkpoint ("" for this one) and the version of the last recorded files."""
        if "files-version" in index:
            return index["files-checkpoint"], index["files-version"]
        # Version 0.1 reads a checkpoint without files as that of an empty table, so the
        # checkpoints that it writes after one are not trusted.
        name, version = index["previous"], index["previous-version"]
        if name and version >= head.get("history-from", 0):
            before = self._records.checkpoint(name, version)
            own = (before.get("files-checkpoint", ""), before.get("files-version", version))
            if own != ("", version):
                return self._files_at(head, before)
        return "", index["version"]

    def _commits(self, head: Record, since: int, version: int) -> list[Record]:
        """Return the commits of the versions after `since`, newest first."""
        found: dict[int, Record] = {}
        wanted = range(since + 1, version + 1)
        if not wanted:
            return []
        for commit in self._records.logged(head):
            if commit["version"] in wanted:
                found[commit["version"]] = commit
            if len(found) == len(wanted):
                return [found[one] for one in reversed(wanted)]
        lost = next(one for one in wanted if one not in found)
        message = (
            f"The history of {self._records.table} does not name version {lost}, so the files of "
            f"version {version} are not known: vacuum removed the records older than "
            "repave.history.retention, or they were lost. With repave.readers=listing, "
            "`repave repair` rebuilds the records from the folders."
        )
        raise InvalidRecordError(message)

    def _that_matter(self, commits: Iterable[Record]) -> Iterator[Record]:
        """Yield the commits that may still have live files, given the newer ones."""
        for commit in commits:
            if self._replaced.everything:
                return
            touched = commit.get("touched", ())
            # An adoption touches the table's folder, and also removes files outside it.
            covered = touched and all(self._replaced.covers(folder) for folder in touched)
            if commit["kind"] == "adopt" or not covered:
                yield commit

    def _manifest(self, ahead: Ahead, commit: Record) -> Record:
        index = ahead.take(commit["commit"], self._records.manifest_index)
        if index is None:
            message = (
                f"The manifest of version {commit['version']} of {self._records.table} is missing, "
                f"so the files of later versions are not known.{RESTORE_IT}"
            )
            raise InvalidRecordError(message)
        # The kind decides which files of earlier versions are gone.
        if index["kind"] != commit["kind"]:
            raise self._records.of_another_kind(commit["commit"])
        return index

    def _apply(self, pool: ThreadPoolExecutor, commit: Record, index: Record) -> Iterator[DataFile]:
        removed: list[tuple[str, str]] = []
        removes = index["kind"] in KINDS_THAT_REMOVE
        for partitions in self._contents(pool, commit["commit"], index, removes=removes):
            for one in partitions:
                partition = check_length(one["partition"], commit["commit"])
                files = (*one.get("in", ()), *one.get("adopted", ()))
                for file in self._live(partition, files, commit["commit"]):
                    # A rollback brings back files of several commits.
                    if index["kind"] != "rollback" and is_read(file.name, file.bytes):
                        self.newest = self.newest or file
                    yield file
                if removes:
                    removed += [(partition, file["name"]) for file in one.get("out", ())]
        # After the commit's own files, because it removes only files of earlier commits.
        self._removed.update(removed)
        self._replaced.add(index, index["kind"])

    def _contents(
        self, pool: ThreadPoolExecutor, commit: str, index: Record, *, removes: bool
    ) -> Iterator[list[Record]]:
        yield index["partitions"]
        shards = index["shards"]
        if "contents" in index:
            if len(index["contents"]) != len(shards):
                message = (
                    f"The manifest of {commit} does not describe each of its shards.{RESTORE_IT}"
                )
                raise InvalidRecordError(message)
            shards = [
                shard
                for shard, holds in zip(shards, index["contents"], strict=True)
                if holds["added"] or (removes and holds["removed"])
            ]
        read = in_order(pool, lambda shard: self._records.manifest_shard(commit, shard), shards)
        for _, partitions in read:
            yield partitions

    def _of_checkpoint(
        self, pool: ThreadPoolExecutor, ahead: Ahead, shards: list[Record]
    ) -> Iterator[DataFile]:
        if self._replaced.everything:
            return
        wanted = [
            shard
            for shard in shards
            if shard["first"] != shard["last"] or not self._replaced.covers(shard["first"])
        ]
        ask = self._records.checkpoint_shard
        read = in_order(pool, lambda shard: ahead.take(shard["name"], ask), wanted)
        for shard, partitions in read:
            _check_order(shard, partitions)
            for one in partitions:
                partition = check_length(one["partition"], shard["name"])
                yield from self._live(partition, one.get("files", ()), shard["name"])

    def _live(self, partition: str, files: Iterable[Record], where: str) -> Iterator[DataFile]:
        if not files or self._replaced.covers(partition):
            return
        for file in files:
            if (partition, check_length(file["name"], where)) not in self._removed:
                yield data_file(partition, file, file.get("schema"))


def _check_order(shard: Record, partitions: list[Record]) -> None:
    if not shard.get("sorted", False):
        return  # written by version 0.1
    last = (shard["first"], "")
    for one in partitions:
        for file in one.get("files", ()):
            now = (one["partition"], file["name"])
            if now <= last or one["partition"] > shard["last"]:
                message = f"The checkpoint's shard {shard['name']} is not in order.{RESTORE_IT}"
                raise InvalidRecordError(message)
            last = now
