"""What happens to the table: each action changes the table and the model, and says what it did."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

from e2e.lake import TableFolder
from life.deeds import UNCHANGED, Deed, end_of, settle
from life.model import Model, folder_of
from life.writes import PARTITIONS, Write, Writes
from repave import RepaveTable
from repave_lab.proxy.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

CALLS = ("CompleteMultipartUpload", "PutObject", "GetObject", "DeleteObjects", "ListObjectsV2", "*")
OUTAGE = 60
KEYS = ("", "", "_repave/head.json", "_repave/", "_delta_log/", r"\.parquet$")
DOES = ("error", "error_after", "lost", "reset", "truncate")


class Actions:
    """The actions on one table."""

    def __init__(
        self, spark: "SparkSession", table: TableFolder, model: Model, random: Random
    ) -> None:
        self.folder = table
        self.table = RepaveTable.for_path(spark, table.url)
        self.model = model
        self.random = random
        self.writes = Writes(spark, table.url, model, random)

    def any(self) -> str:
        """Do something."""
        if not self.model.newest:
            return self.write()
        actions: list[Callable[[], str]] = [self.write] * 6 + [self.faulty] * 3
        actions += [self.race, self.race, self.repeat, self.change, self.change, self.vacuum]
        actions += [self.follow, self.guard]
        return self.random.choice(actions)()

    def write(self) -> str:
        return self._alone(self._of(self.writes.draw()))

    def change(self) -> str:
        """Change the table without a write."""
        return self._alone(self._change())

    def _alone(self, deed: Deed) -> str:
        end = end_of(deed)
        told = settle(self.table, self.model, [deed], [end])
        assert end.how == "done", f"{told} {end.text}"
        return told

    def repeat(self) -> str:
        """Write twice with one token: the frame is the same, so the second changes nothing."""
        deed = self._of(self.writes.draw())
        told = self._alone(deed)
        end = end_of(deed)
        assert end.how in UNCHANGED, f"{told}, and again: {end}"
        self._assert_nothing_new(told)
        return f"{told}, and again: {end.how}"

    def guard(self) -> str:
        """A write of a partition that it must not touch changes nothing."""
        deed = self._of(self.writes.draw(only="part=nowhere"))
        end = end_of(deed)
        told = settle(self.table, self.model, [deed], [end])
        touches = deed.after(self.model) != self.model.rows
        assert end.how == ("CommitFailed" if touches else "done"), f"{told} {end.text}"
        return f"guarded {told}"

    def race(self) -> str:
        """Two threads change the table, or one of them vacuums it."""
        conflict = self.random.choice(("fail", "last-writer"))
        one = self._of(self.writes.draw(by_name=False, conflict=conflict))
        other = self._of(self.writes.draw(by_name=False, conflict=conflict))
        draw = self.random.random()
        if draw < 0.35:
            other = self._change()
        elif draw < 0.5:
            other = Deed("vacuum", self._vacuum, lambda model: model.rows)
        with ThreadPoolExecutor(2) as pool:
            ends = list(pool.map(end_of, (one, other)))
        told = "race: " + settle(self.table, self.model, [one, other], ends)
        self._see_vacuum()
        return told

    def faulty(self) -> str:
        """Change the table while requests fail; then recover it, or let the write try again."""
        draw = self.random.random()
        deed = self._of(self.writes.draw()) if draw < 0.7 else self._change()
        if draw > 0.9:
            deed = Deed("vacuum", self._vacuum, lambda model: model.rows)
        faults = self._faults()
        self.folder.lake.proxy.set_faults(faults)
        try:
            end = end_of(deed)
        finally:
            self.folder.lake.proxy.set_faults([])
        one, several = faults[0], "on" if len(faults) > 1 else ""
        where = f"{one.op} {one.key}".strip()
        told = f"fault {one.do} of {where} ({one.nth or one.probability}{several}): {end.how}, "
        if deed.token and end.how != "done" and self.random.random() < 0.5:
            told += "tried again, "
            end = end_of(deed)
        told += settle(self.table, self.model, [deed], [end])
        self._see_vacuum()
        return told

    def _faults(self) -> list[Fault]:
        """Draw a fault of some requests, or of all from a moment on."""
        op, do, key = (self.random.choice(some) for some in (CALLS, DOES, KEYS))
        draw, first = self.random.random(), self.random.randint(1, 9)
        if draw < 0.25:
            return [Fault(do, op=op, key=key, nth=first)]
        if draw < 0.5:
            return [Fault(do, key=key, nth=n) for n in range(first, first + OUTAGE)]
        return [Fault(do, op=op, key=key, probability=self.random.choice((0.1, 0.5, 0.8, 1.0)))]

    def vacuum(self) -> str:
        self._vacuum()
        self._assert_nothing_new("vacuum")
        self._see_vacuum()
        return f"vacuum: oldest version {self.model.oldest}"

    def follow(self) -> str:
        """Switch a follower on or off. A table without rows has no columns to follow."""
        # A Delta log names Parquet files only.
        kind = self.random.choice(
            ("delta", "symlink") if self.model.format == "parquet" else ["symlink"]
        )
        follows = kind in {one.follower for one in self.table.status().followers}
        if not follows and not self.model.rows:
            return "follow nothing"
        found = self.table.unfollow(kind) if follows else self.table.follow(kind)
        if found.version > self.model.newest:
            self.model.publish(found.version, Counter(self.model.rows))
        return f"unfollow {kind}" if follows else f"follow {kind}"

    def _of(self, one: Write) -> Deed:
        return Deed(str(one), lambda: self.writes.run(one), one.after, one.token)

    def _change(self) -> Deed:
        changes = [self._drop, self._drop_before]
        changes += [self._rollback] * 3 if self.model.readers == "snapshot" else []
        return self.random.choice(changes)()

    def _drop(self) -> Deed:
        part = self.random.choice(sorted(self.model.partitions, key=str) or ["a"])
        folder = folder_of(part)
        return Deed(
            f"drop {folder}",
            lambda: self.table.drop_partitions(folder).version,
            lambda model: model.without({part}),
        )

    def _drop_before(self) -> Deed:
        bound = self.random.choice([one for one in PARTITIONS if one])
        return Deed(
            f"drop before {bound}",
            lambda: self.table.drop_partitions(before=f"part={bound}").version,
            lambda model: model.without({one for one in model.partitions if one and one < bound}),
        )

    def _rollback(self) -> Deed:
        target = self.random.choice(self.model.readable)
        return Deed(
            f"rollback to {target}",
            lambda: self.table.rollback(target).version,
            lambda model: Counter(model.versions[target]),
        )

    def _vacuum(self) -> int | None:
        self.table.vacuum(retention="0s")
        return None

    def _see_vacuum(self) -> None:
        self.model.oldest = max(self.model.oldest, self.table.status().oldest_version)

    def _assert_nothing_new(self, told: str) -> None:
        version = self.table.status().version
        assert version == self.model.newest, f"version {version} after {told}"
