"""Those who write and replace checkpoints, and vacuum, which removes old history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .table import ACTIVE, Checkpoint, Mutant, Place, Step, Table, chain, has

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .table import Lifetime

IDLE: Final = Place("idle")


class CheckpointWriter:
    """Writes the checkpoint of a version, with files or without, and names it later.

    One that is of the same version as the head's is that of a repair, or of a vacuum.
    """

    name = "writer"
    start = IDLE

    def __init__(self, life: Lifetime) -> None:
        self.life = life

    def moves(self, table: Table, place: Place) -> Iterator[Step]:
        if place != IDLE:
            yield Step("dies", table, IDLE)
            yield from self.name_it(table, place)
        elif table.version and len(table.written) < self.life.checkpoints:
            seen = table.named(table.checkpoint)
            same = seen.version == table.version
            previous = seen.previous if same else table.checkpoint
            name = len(table.written) + 1
            # Shards that nothing touched are named again.
            own = table.named(seen.files).shards | 1 << name
            yield self.write(table, Checkpoint(table.version, previous, name, own))
            if not same:
                yield self.write(table, Checkpoint(table.version, previous, seen.files, 0))

    def write(self, table: Table, checkpoint: Checkpoint) -> Step:
        """Put it; whoever names it remembers which one it replaces."""
        name = len(table.written) + 1
        put = table._replace(
            written=(*table.written, checkpoint),
            indexes=table.indexes | 1 << name,
            shards=table.shards | (1 << name if checkpoint.files == name else 0),
        )
        files = "with files" if checkpoint.files == name else "without files"
        words = f"writes checkpoint {name} of version {checkpoint.version} {files}"
        return Step(words, put, Place("name it", table.checkpoint, name))

    def name_it(self, table: Table, place: Place) -> Iterator[Step]:
        """Swap the head if it still names the checkpoint that was seen."""
        _, seen, name, _ = place
        unchanged = table.checkpoint == seen
        if Mutant.NAMES_CHECKPOINT_BY_VERSION in self.life.mutants:
            unchanged = table.named(table.checkpoint).version == table.named(seen).version
        if unchanged:
            yield Step(f"names checkpoint {name}", table.swapped(checkpoint=name), IDLE)
        else:
            yield Step("finds another checkpoint", table, IDLE)


class Vacuum:
    """Deletes replaced files, moves the beginning of the history, then removes its records."""

    name = "vacuum"
    start = IDLE

    def __init__(self, life: Lifetime) -> None:
        self.life = life
        self.hasty = Mutant.DELETES_BEFORE_WATERMARK in life.mutants

    def moves(self, table: Table, place: Place) -> Iterator[Step]:
        if place == IDLE:
            yield from self.find(table)
            return
        yield Step("dies", table, IDLE)
        early = Mutant.WATERMARK_BEFORE_FILES in self.life.mutants
        old = replaced_before(table, place.one)
        if place.step == "files":
            yield from delete_files(table, place, old)
            if not old or early:
                yield from self.swap(table, place)
        if place.step == "delete" or self.hasty:
            yield from self.delete(table, place)

    def find(self, table: Table) -> Iterator[Step]:
        """Choose where the history is to begin, and find the checkpoints that nobody names."""
        lost = self.lost_indexes(table), self.lost_shards(table)
        for wanted in range(table.history_from + 1, self.limit(table) + 1):
            words = f"finds the history before version {wanted} to be old"
            yield Step(words, table, Place("files", wanted, *lost))
        if any(lost):
            yield Step("finds lost checkpoints", table, Place("delete", 0, *lost))

    def limit(self, table: Table) -> int:
        """Keep what the live files are worked out from, and what unfinished commits ask for."""
        files = table.named(table.named(table.checkpoint).files)
        beyond = Mutant.WATERMARK_PASSES_FILES in self.life.mutants
        return min(asked(table), table.version if beyond else files.version)

    def lost_indexes(self, table: Table) -> int:
        """Find checkpoints that the head does not lead to and that will not be named any more."""
        named = chain(table)
        if Mutant.REMOVES_CHAIN in self.life.mutants:
            named = [table.checkpoint, table.named(table.checkpoint).files]
        return sum(1 << n for n in self.removable(table, table.indexes) if n not in named)

    def lost_shards(self, table: Table) -> int:
        named = 0
        for name in chain(table):
            named |= table.named(name).shards
        return sum(1 << n for n in self.removable(table, table.shards) if not has(named, n))

    def removable(self, table: Table, there: int) -> list[int]:
        """List the names of those older than the head's checkpoint."""
        newest = table.named(table.checkpoint).version
        if Mutant.REMOVES_NEW_CHECKPOINT in self.life.mutants:
            newest = table.version + 1
        names = range(1, len(table.written) + 1)
        return [n for n in names if has(there, n) and table.named(n).version < newest]

    def swap(self, table: Table, place: Place) -> Iterator[Step]:
        """Tell in the head where the history begins, unless a commit asks for what is before."""
        wanted = place.one
        if table.history_from >= wanted or asked(table) < wanted:
            yield Step("leaves the history as it is", table, IDLE)
        else:
            moved = table.swapped(history_from=wanted)
            words = f"lets the history begin with version {wanted}"
            yield Step(words, moved, place._replace(step="delete"))

    def delete(self, table: Table, place: Place) -> Iterator[Step]:
        """Delete records in any order."""
        _, before, indexes, shards = place
        for version in range(1, before):
            bit = 1 << version
            if table.plans & bit:
                left = table._replace(plans=table.plans & ~bit)
                yield Step(f"deletes the plan of version {version}", left, place)
            if table.tokens & bit:
                left = table._replace(tokens=table.tokens & ~bit)
                yield Step(f"deletes the token of version {version}", left, place)
        for name in range(1, len(table.written) + 1):
            bit = 1 << name
            if table.indexes & indexes & bit:
                left = table._replace(indexes=table.indexes & ~bit)
                yield Step(f"deletes checkpoint {name}", left, place)
            if table.shards & shards & bit:
                left = table._replace(shards=table.shards & ~bit)
                yield Step(f"deletes the shards of checkpoint {name}", left, place)


def replaced_before(table: Table, wanted: int) -> list[int]:
    """List the versions whose commits replaced a file that is still there."""
    return [v for v in range(1, wanted) if has(table.leftovers, v)]


def delete_files(table: Table, place: Place, old: list[int]) -> Iterator[Step]:
    """Delete replaced files in any order."""
    for version in old:
        left = table._replace(leftovers=table.leftovers & ~(1 << version))
        yield Step(f"deletes the file that version {version} replaced", left, place)


def asked(table: Table) -> int:
    """Find the oldest version that an unfinished commit may still ask for."""
    active = (n for n, status in enumerate(table.statuses) if status == ACTIVE)
    return min((table.bases[n] + 1 for n in active), default=table.version)
