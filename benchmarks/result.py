"""One line of results: a run of one system on one workload."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

COMPLETE: Final = "complete-uploads"
Checked = Literal["right", "wrong", "refused", "failed"]


class Identity(NamedTuple):
    """What makes two runs the same one, so that a campaign can go on where it stopped."""

    system: str
    workload: str
    partitions: int
    scale: float
    repeat: int
    model: str
    seed: int
    git_sha: str


@dataclass(frozen=True)
class Circumstances:
    """On what the figures were taken."""

    model: str
    """The latency model, or the endpoint of a real store."""
    seed: int
    git_sha: str
    cores: int
    started: str
    load: float
    """The machine's load average when the run began."""
    versions: Mapping[str, str] = field(default_factory=dict)
    priority: str = "normal"
    """`real-time` leaves the machine's other work what the run does not use (`chrt`)."""


@dataclass(frozen=True)
class Figures:
    """What one write cost, in modelled seconds. None: it does not apply, or was not seen."""

    seconds: float
    task_seconds: float | None
    commit_seconds: float | None
    requests: Mapping[str, int]
    bytes_copied: int
    bytes_stored: int
    missing_seconds: float | None
    missing_longest_seconds: float | None
    missing_partitions: int | None
    doubled_seconds: float | None
    polled_missing_seconds: float | None = None
    """The same two as a reader saw them that listed the table `polls` times meanwhile."""
    polled_doubled_seconds: float | None = None
    polls: int = 0
    heap_peak_bytes: int | None = None
    """The JVM's heap at its fullest, garbage included, with the tasks that run in it."""
    commit_millis: Mapping[str, int] | None = None
    """What Repave's report says of each step of the commit."""
    tries: int = 1
    cpu_seconds: Mapping[str, float] | None = None
    """What each process took, and the JVM's compiler. They add up to the run's CPU time."""

    @property
    def overhead_seconds(self) -> float | None:
        """What Repave's commit took in addition to completing files."""
        if self.commit_millis is None:
            return None
        steps = self.commit_millis.items()
        return sum(millis for step, millis in steps if step != COMPLETE) / 1000


@dataclass(frozen=True)
class Result:
    """A run and what came of it. A wrong or failed one stays in the file and in the report."""

    system: str
    workload: str
    partitions: int
    files: int
    repeat: int
    circumstances: Circumstances
    checked: Checked
    figures: Figures | None = None
    reason: str = ""
    scale: float = 1.0

    @property
    def identity(self) -> Identity:
        told = self.circumstances
        return Identity(
            self.system,
            self.workload,
            self.partitions,
            self.scale,
            self.repeat,
            told.model,
            told.seed,
            told.git_sha,
        )

    @property
    def is_settled(self) -> bool:
        """Whether running it again would be a second measurement, not another try."""
        return self.checked != "failed"

    def line(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":")) + "\n"


def result_from(values: Mapping[str, Any]) -> Result:
    """Read one line's object; a field that is unknown or absent is an error."""
    given = dict(values)
    given["circumstances"] = Circumstances(**given["circumstances"])
    if given.get("figures") is not None:
        given["figures"] = Figures(**given["figures"])
    return Result(**given)


def read_results(files: Iterable[Path]) -> list[Result]:
    """Read result files; the last line of an interrupted run may be cut off, and is left out."""
    found: dict[Identity, Result] = {}
    for file in files:
        lines = file.read_text("utf-8").splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            if number == len(lines) and not line.endswith("\n"):
                continue
            try:
                result = result_from(json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                message = f"{file}, line {number}, is no result of this benchmark: {error}"
                raise ValueError(message) from error
            earlier = found.get(result.identity)
            if earlier is None or not earlier.is_settled:
                found[result.identity] = result
    return list(found.values())


def append_result(file: Path, result: Result) -> None:
    """Add a line, after cutting off what an interrupted run left of its last one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text("utf-8") if file.exists() else ""
    if text and not text.endswith("\n"):
        file.write_text(text[: text.rfind("\n") + 1], "utf-8")
    with file.open("a", encoding="utf-8") as lines:
        lines.write(result.line())
