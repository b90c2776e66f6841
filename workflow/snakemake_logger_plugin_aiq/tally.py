"""What a run has done, does and has left, from the events that Snakemake logs; no output, no Snakemake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

State = Literal["running", "done", "failed"]

UNMEASURED = "all"  # a rule without work of its own


@dataclass(slots=True)
class Job:
    """One job: the rule it is of, what it makes, where its logs are, when it started, and how it went."""

    rule: str
    output: tuple[str, ...]
    logs: tuple[str, ...]
    started: float
    state: State = "running"
    seconds: float = 0.0
    attempts: int = 1

    @property
    def name(self) -> str:
        """The first file that it makes, or its rule."""
        return self.output[0] if self.output else self.rule


@dataclass(frozen=True, slots=True)
class Stage:
    """Counts of one rule's jobs; on a cluster ``running`` are those submitted, queued ones among them."""

    rule: str
    total: int
    done: int
    running: int
    failed: int

    @property
    def waiting(self) -> int:
        """Jobs that have not started."""
        return max(0, self.total - self.done - self.running - self.failed)


@dataclass(frozen=True, slots=True)
class Left:
    """Time left: seconds for what can be told from finished jobs, and the rules of which none has finished yet."""

    seconds: float | None
    unmeasured: tuple[str, ...]


class Tally:
    """Keeps count."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._totals: dict[str, int] = {}
        self.jobs: dict[int, Job] = {}
        self.began = clock()

    def plan(self, stats: Mapping[str, int]) -> None:
        """Take in how many jobs each rule will have."""
        self._totals |= {rule: int(n) for rule, n in stats.items() if rule not in ("total", UNMEASURED)}

    def start(self, number: int, rule: str, output: Iterable[str], logs: Iterable[str]) -> None:
        """Take in a job that starts, or starts again."""
        if rule == UNMEASURED:
            return
        before = self.jobs.get(number)
        attempts = 1 if before is None else before.attempts + 1
        self.jobs[number] = Job(rule, tuple(output), tuple(logs), self._clock(), attempts=attempts)

    def finish(self, number: int) -> None:
        """Take in a finished job."""
        self._end(number, "done")

    def fail(self, number: int, logs: Iterable[str] = ()) -> Job | None:
        """Take in a failed job and return it; None if that was known."""
        job = self._end(number, "failed")
        if job is not None:
            job.logs = tuple(dict.fromkeys([*job.logs, *logs]))
        return job

    def _end(self, number: int, state: State) -> Job | None:
        job = self.jobs.get(number)
        if job is None or job.state != "running":
            return None
        job.state, job.seconds = state, self._clock() - job.started
        return job

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self.began

    def stages(self) -> list[Stage]:
        """Return the counts of every rule."""
        rules = dict.fromkeys([*self._totals, *(job.rule for job in self.jobs.values())])
        stages = []
        for rule in rules:
            states = [job.state for job in self.jobs.values() if job.rule == rule]
            counts = [states.count(state) for state in ("done", "running", "failed")]
            stages.append(Stage(rule, max(self._totals.get(rule, 0), len(states)), *counts))
        return stages

    def whole(self) -> Stage:
        """Return the counts of all rules together."""
        stages = self.stages()
        return Stage("all", *(sum(getattr(s, name) for s in stages) for name in ("total", "done", "running", "failed")))

    def left(self) -> Left:
        """Estimate the time left: remaining jobs at their rule's mean, over the jobs that ran at once so far.

        Rules of which no job has finished are named and not guessed.
        """
        now = self._clock()
        work, unmeasured = 0.0, []
        for stage in self.stages():
            if not stage.waiting + stage.running:
                continue
            jobs = [job for job in self.jobs.values() if job.rule == stage.rule]
            times = [job.seconds for job in jobs if job.state == "done"]
            if not times:
                unmeasured.append(stage.rule)
                continue
            mean = sum(times) / len(times)
            work += stage.waiting * mean
            work += sum(max(mean - (now - job.started), 0.1 * mean) for job in jobs if job.state == "running")
        measured = any(job.state == "done" for job in self.jobs.values())
        return Left(work / self._at_once(now) if measured else None, tuple(unmeasured))

    def _at_once(self, now: float) -> float:
        """Return how many jobs ran at once, on average, since the first one started (at least 1)."""
        if not self.jobs:
            return 1.0
        busy = sum(now - job.started if job.state == "running" else job.seconds for job in self.jobs.values())
        span = now - min(job.started for job in self.jobs.values())
        return max(1.0, busy / span) if span > 0 else 1.0

    def failed(self) -> list[Job]:
        """Return the jobs that failed and did not run again."""
        return [job for job in self.jobs.values() if job.state == "failed"]
