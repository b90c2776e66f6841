"""Records of the open-world evaluation on CartPole3D (3.4 of the 2025 paper)."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.estimate import Estimate


@dataclass(frozen=True, slots=True)
class NoveltyTrial:
    """One trial of one agent.

    Attributes:
        kind: name of the agent.
        level: of the novelty; 0 if nothing became new.
        difficulty: of the level.
        number: of the trial.
        begins: number of the first novel episode, counted from 0.
        performance: of each episode, in [0, 1].
        alarmed: whether the agent said after each episode that something is new.
    """

    kind: str
    level: int
    difficulty: str
    number: int
    begins: int
    performance: tuple[float, ...]
    alarmed: tuple[bool, ...]

    def __post_init__(self) -> None:
        """Refuse what is no trial."""
        if len(self.performance) != len(self.alarmed) or not 0 < self.begins < len(self.performance):
            raise ValueError(f"a trial of {len(self.performance)} episodes cannot begin to be novel at {self.begins}")
        if not all(0 <= value <= 1 for value in self.performance):
            raise ValueError("a performance lies outside [0, 1]")

    @property
    def false_alarm(self) -> bool:
        """Whether the agent said so before the novelty began."""
        return any(self.alarmed[: self.begins])

    @property
    def delay(self) -> int | None:
        """Novel episodes played when it was first said, at least 1; None if never, or if said before."""
        if self.false_alarm:
            return None
        said = [k for k, one in enumerate(self.alarmed) if one]
        return said[0] - self.begins + 1 if said else None


@dataclass(frozen=True, slots=True)
class NoveltyResult:
    """What the trials of one kind on one level come to; intervals are over trials.

    Attributes:
        kind: name of the agents.
        level: of the novelty.
        difficulty: of the level.
        before: mean performance in the episodes before the novelty.
        first: mean performance in the first novel episodes.
        after: mean performance in the last episodes of the trials.
        apti: after / (after + the baseline's after); None without a baseline.
        false_alarms: share of trials with an alarm before the novelty.
        detected: share of the other trials with an alarm after it; None where there is no other trial.
        delay: mean novel episodes until the alarm, of the trials in which it came; None where it never did.
        apti_over_time: of each novel episode that all trials have.
    """

    kind: str
    level: int
    difficulty: str
    before: Estimate
    first: Estimate
    after: Estimate
    apti: Estimate | None
    false_alarms: Estimate
    detected: Estimate | None
    delay: Estimate | None
    apti_over_time: tuple[float, ...]

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        told: dict[str, object] = {"kind": self.kind, "level": self.level, "difficulty": self.difficulty}
        for name in ("before", "first", "after", "apti", "false_alarms", "detected", "delay"):
            value = getattr(self, name)
            told[name] = None if value is None else value.as_dict()
        return {**told, "apti_over_time": list(self.apti_over_time)}
