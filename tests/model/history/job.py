"""A job's driver: its base, its reservation, and what it finds out about it later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .table import ABSENT, ACTIVE, OTHER, PUBLISHED, Mutant, Place, Step, Table, has, replaced
from .table import visible as visible_versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .table import Lifetime

# `unknown` is the answer CommitStateUnknown: the job says neither yes nor no.
ENDS: Final = frozenset({"done", "failed", "unknown"})
# What a driver remembers: whether a reservation of its own may have landed.
SENT: Final = 1


class Driver:
    """Begins, sleeps as long as it likes, reserves, and learns how that ended."""

    start = Place("begin")

    def __init__(self, life: Lifetime, job: int) -> None:
        self.life = life
        self.job = job
        self.name = f"driver {life.jobs[job].name}"

    def moves(self, table: Table, place: Place) -> Iterator[Step]:
        if place.step == "begin":
            bases = replaced(table.bases, self.job, table.version)
            yield Step("reads its base", table._replace(bases=bases), Place("reserve"))
        elif place.step not in ENDS:
            yield from self.reserve(table, place)

    def reserve(self, table: Table, place: Place) -> Iterator[Step]:
        """Look oneself up, then the token, then conflicts; swap the head if nothing objects."""
        base = table.bases[self.job]
        old = base + 1 < table.history_from
        if table.statuses[self.job] == ACTIVE:
            return  # somebody finishes it
        if old and not self.goes_on(place):
            # The history does not say any more whom it conflicts with, nor whether it is over.
            unsure = place.one == SENT and Mutant.OLD_BASE_SAYS_FAILED not in self.life.mutants
            end = "unknown" if unsure else "failed"
            yield Step("finds its base too old", table, Place(end))
            return
        visible = visible_versions(table, base)
        if any(table.commits[v - 1] == self.job for v in visible):
            yield Step("finds itself published", table, Place("done"))
        elif self.token_is_active(table):
            return  # waits for it
        elif self.token_is_published(table):
            yield Step("finds its token published", table, Place("done"))
        elif self.life.jobs[self.job].replaces and self.meets(table, visible):
            # The head has changed since the base, so nothing sent before can land any more.
            yield Step("finds a conflict", table, Place("failed"))
        else:
            yield from self.swap(table)

    def goes_on(self, place: Place) -> bool:
        """Tell whether a mutant goes on from a base that is too old."""
        if place.one == SENT:
            careless = Mutant.OLD_BASE_GOES_ON
        elif self.life.jobs[self.job].replaces:
            careless = Mutant.OLD_OVERWRITE_GOES_ON
        else:
            careless = Mutant.OLD_APPEND_GOES_ON
        return careless in self.life.mutants

    def swap(self, table: Table) -> Iterator[Step]:
        """Send the reservation: answered, done without an answer, or on its way."""
        sent = Place("reserve", SENT)
        landed = decide(self.life, table, self.job)
        yield Step("reserves", landed, sent)
        # A second try from the same head is the same request.
        late = table._replace(late=table.late | 1 << self.job)
        yield Step("reserves: no answer, in flight", late, sent)

    def meets(self, table: Table, versions: list[int]) -> bool:
        """Tell whether a commit overlaps; one whose records are gone overlaps everything."""
        return any(table.commits[v - 1] != OTHER or not has(table.plans, v) for v in versions)

    def twins(self) -> list[int]:
        """List the other jobs of the same token."""
        jobs = self.life.jobs
        return [n for n, job in enumerate(jobs) if n != self.job and job.token]

    def token_is_active(self, table: Table) -> bool:
        token = self.life.jobs[self.job].token
        return token and any(table.statuses[twin] == ACTIVE for twin in self.twins())

    def token_is_published(self, table: Table) -> bool:
        """Look the token up in the head's log, then among the records."""
        if not self.life.jobs[self.job].token:
            return False
        published = [v for v, job in enumerate(table.commits, 1) if job in self.twins()]
        return any(v >= table.log_from or has(table.tokens, v) for v in published)


def decide(life: Lifetime, table: Table, job: int) -> Table:
    """Let a reservation land, and note what it breaks."""
    wrong = table.wrong or broken_by(life, table, job)
    statuses = replaced(table.statuses, job, ACTIVE)
    return table.swapped(statuses=statuses, wrong=wrong)


def broken_by(life: Lifetime, table: Table, job: int) -> str:
    """Say what is wrong with a decision, by what truly happened."""
    base = table.bases[job]
    name = life.jobs[job].name
    if table.statuses[job] != ABSENT:
        return f"H5 TWICE: {name} is decided twice"
    if life.jobs[job].replaces and any(other != OTHER for other in table.commits[base:]):
        return f"H6 POLICY: {name} replaces what it has not seen"
    for version, other in enumerate(table.commits, 1):
        if other != OTHER and life.jobs[other].token and life.jobs[job].token:
            forgotten = version < table.history_from and version <= base
            if not forgotten or Mutant.TOKEN_FOR_EVER in life.mutants:
                return f"H4 DOUBLED: the token of {name} is decided twice"
    return ""


class Others:
    """What happens by itself: commits are finished, other jobs commit, the log forgets."""

    name = "environment"
    start = Place("")

    def __init__(self, life: Lifetime) -> None:
        self.life = life

    def moves(self, table: Table, place: Place) -> Iterator[Step]:
        for job, status in enumerate(table.statuses):
            name = self.life.jobs[job].name
            if status == ACTIVE:
                statuses = replaced(table.statuses, job, PUBLISHED)
                finished = publish(table, job)._replace(statuses=statuses)
                yield Step(f"{name} is finished", finished, place)
            if has(table.late, job):
                landed = decide(self.life, table, job)
                yield Step(f"the reservation of {name} lands late", landed, place)
        if table.commits.count(OTHER) < self.life.others:
            yield Step("another job commits", publish(table, OTHER), place)
        # The log names the versions since the checkpoint, and some before it.
        if table.log_from <= table.named(table.checkpoint).version:
            forgets = table._replace(log_from=table.log_from + 1)
            yield Step(f"the log forgets version {table.log_from}", forgets, place)


def publish(table: Table, job: int) -> Table:
    """Make the next version, and its records."""
    version = 1 << table.version + 1
    return table.swapped(
        commits=(*table.commits, job),
        plans=table.plans | version,
        leftovers=table.leftovers | version,
        tokens=table.tokens | version if job != OTHER else table.tokens,
    )
