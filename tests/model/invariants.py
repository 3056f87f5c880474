"""What must hold in every state, and from every state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .canceller import Canceller
from .recoverer import Recoverer
from .state import (
    FINISHED,
    IDLE,
    NEVER_PUBLISHED,
    NO_PLAN,
    PUBLISHED,
    REVERTED,
    UNFINISHED,
    Local,
    Shared,
    Step,
)
from .world import PARTITIONS, Configuration, Feature, World

if TYPE_CHECKING:
    from collections.abc import Iterator


class Invariants:
    """The invariants of one configuration; each check answers with a sentence or with nothing."""

    def __init__(self, configuration: Configuration) -> None:
        self.world = World(configuration)
        calm = World(configuration, faults=False)
        self.calm = Recoverer(calm)
        self.operator = Canceller(calm)
        self.settled: dict[tuple[Shared, Local], bool] = {}

    def broken(self, shared: Shared) -> str:
        """Name the first invariant of the store that does not hold."""
        return next((words for words in self.findings(shared) if words), "")

    def findings(self, shared: Shared) -> Iterator[str]:
        """Check one invariant after the other."""
        yield self.hole(shared)
        yield self.lost_append(shared)
        yield self.loss(shared)
        yield self.older(shared)
        yield self.version(shared)
        yield self.phantom(shared)
        yield self.residue(shared)
        yield self.leak(shared)
        yield self.doubled(shared)
        yield self.policy(shared)
        yield self.foreign(shared)
        yield self.two_winners(shared)
        yield self.pointer(shared)
        lost = self.needs_restored_ledger(shared)
        if not lost and not self.recovers(shared._replace(in_flight=()), IDLE):
            yield "I5 STUCK: recover() does not come to rest"

    def serial(self, shared: Shared) -> int:
        """Files a serial run of the published commits, in the order of decision, would leave."""
        published = (job for job in shared.order if shared.statuses[job] in PUBLISHED)
        return self.world.fold(tuple(published))

    def hole(self, shared: Shared) -> str:
        """A listing reader finds files in every partition that has rows."""
        serial = self.serial(shared)
        for partition in PARTITIONS:
            files = self.world.partition_files[partition]
            if serial & files and not shared.objects & files:
                return f"I6 HOLE: partition {partition} has rows and no file"
        return ""

    def loss(self, shared: Shared) -> str:
        """The published snapshot's files are all there."""
        missing = shared.live & ~shared.objects
        return f"I1 LOSS: published {self.world.names(missing)} is not there" if missing else ""

    def older(self, shared: Shared) -> str:
        """A snapshot table keeps every version whole, for whoever pinned it."""
        missing = self.world.names(shared.ever_live & ~shared.objects)
        return f"I12 OLDER VERSION misses {missing}" if shared.ever_live & ~shared.objects else ""

    def lost_append(self, shared: Shared) -> str:
        """Appended rows go only with an overwrite that was decided after them."""
        for place, job in enumerate(shared.order):
            if not self.world.is_append(job) or shared.statuses[job] not in PUBLISHED:
                continue
            replaced = any(
                not self.world.is_append(later) and self.world.overlaps(job, later)
                for later in shared.order[place + 1 :]
            )
            missing = self.world.job_files[job] & ~shared.objects
            if missing and not replaced:
                return f"I7 LOST APPEND: {self.world.names(missing)}"
        return ""

    def version(self, shared: Shared) -> str:
        """A snapshot is one whole version: what a serial run in order of decision leaves."""
        serial = self.serial(shared)
        if shared.live == serial:
            return ""
        names = self.world.names
        return f"I8 MIXED VERSION: head names {names(shared.live)}, not {names(serial)}"

    def phantom(self, shared: Shared) -> str:
        """Nothing of an undecided or reverted commit is visible."""
        if self.world.snapshot:
            return ""  # files lie at their keys from the start, and no reader of ours lists
        for job, status in enumerate(shared.statuses):
            seen = shared.objects & self.world.job_files[job]
            if seen and status in NEVER_PUBLISHED:
                return f"I2 PHANTOM: {self.world.names(seen)} of an undecided commit"
        return ""

    def residue(self, shared: Shared) -> str:
        """A partition nobody works on holds exactly the published files and foreign ones."""
        if self.world.snapshot:
            return ""
        busy = 0
        for job, status in enumerate(shared.statuses):
            busy |= self.world.scopes[job] if status in UNFINISHED else 0
        wrong = (shared.objects & ~self.world.foreign ^ shared.live) & ~busy
        return f"I3 RESIDUE at rest: {self.world.names(wrong)}" if wrong else ""

    def leak(self, shared: Shared) -> str:
        """No upload of an ended commit is open: nothing can resurrect it."""
        for job, status in enumerate(shared.statuses):
            left = shared.open_uploads & self.world.job_files[job]
            if left and status in {FINISHED, REVERTED}:
                return f"I3 LEAK: upload of {self.world.names(left)} of an ended commit is open"
        return ""

    def doubled(self, shared: Shared) -> str:
        """One token is decided once."""
        tokens = [self.world.jobs[job].token for job in shared.order]
        twice = {token for token in tokens if token and tokens.count(token) > 1}
        return f"I9 DOUBLED: token {min(twice)} is decided twice" if twice else ""

    def policy(self, shared: Shared) -> str:
        """Under policy fail nobody overwrites what was published after their base version."""
        for job in shared.order:
            if shared.stale >> job & 1:
                return f"I10 POLICY: {self.world.jobs[job].name} overwrote a newer commit"
        return ""

    def foreign(self, shared: Shared) -> str:
        """A foreign file goes only when a decided plan names it."""
        gone = self.world.foreign & shared.used_keys & ~shared.objects
        planned = any(plan > 0 and plan & self.world.foreign for plan in shared.plans)
        return "I11 FOREIGN FILE deleted without a plan" if gone and not planned else ""

    def two_winners(self, shared: Shared) -> str:
        """Of those that saw one heartbeat, the store tells one that it replaced it."""
        return "I13 TWO WINNERS took one commit over" if shared.taken_twice else ""

    def pointer(self, shared: Shared) -> str:
        """The follower names files that are there, never goes back, and is newest at rest."""
        if not self.world.followed:
            return ""
        missing = shared.versions[shared.pointer] & ~shared.objects
        if missing:
            return f"I14 POINTER names {self.world.names(missing)}, which is not there"
        if shared.pointer < shared.furthest:
            return f"I15 BACKWARDS: the follower went from {shared.furthest} to {shared.pointer}"
        resting = not any(status in UNFINISHED for status in shared.statuses)
        if resting and shared.pointer != len(shared.versions) - 1:
            return "I14 POINTER is behind when nothing is unfinished"
        return ""

    def recovers(self, shared: Shared, local: Local) -> bool:
        """Recover() alone, its calls answered, comes to rest whatever it does first."""
        key = (shared, local)
        known = self.settled.get(key)
        if known is None:
            self.settled[key] = False  # a way back to here would be a loop
            resting = local == IDLE and not any(s in UNFINISHED for s in shared.statuses)
            steps = list(self.calm_moves(shared, local))
            known = resting or (
                bool(steps) and all(self.recovers(s.shared, s.local) for s in steps)
            )
            self.settled[key] = known
        return known

    def calm_moves(self, shared: Shared, local: Local) -> Iterator[Step]:
        """Recover; cancel what cannot be recovered, where an operator may do that."""
        if Feature.CANCEL not in self.world.features:
            yield from self.calm.moves(shared, local)
            return
        if local == IDLE:
            yield from self.calm.moves(shared, local)
        yield from self.operator.moves(shared, local)

    def needs_restored_ledger(self, shared: Shared) -> bool:
        """Tell whether a planned commit lost its ledger: neither recover nor cancel may go on."""
        return Feature.LEDGER_LOST in self.world.features and any(
            status in UNFINISHED and shared.plans[job] != NO_PLAN and not shared.ledgers >> job & 1
            for job, status in enumerate(shared.statuses)
        )

    def wrong_end(self, shared: Shared, local: Local) -> str:
        """Check what one actor believes against the store."""
        if local.job < 0:
            return ""
        status = shared.statuses[local.job]
        name = self.world.jobs[local.job].name
        if local.step == "done" and status not in PUBLISHED:
            twin = self.world.twin_of(local.job)
            if twin is None or shared.statuses[twin] not in PUBLISHED:
                return f"I4 FALSE SUCCESS of {name}"
        if local.step == "failed" and status not in NEVER_PUBLISHED:
            return f"I4 FALSE FAILURE: {name} said it failed and is decided"
        return ""
