"""Claims of the papers as checks: numbers of a run in, a verdict with its interval and its power out.

A claim, the parts that it is made of, the answer that a run gives, and all claims, in the order of ``claims.yaml``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import yaml

from papers.claims import numbers as m
from papers.claims.evidence import Evidence
from papers.claims.numbers import LackingError, Margin

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a claim, answered by one run; None is what is not known or was not run.

    ``says``: the statement, with the region in which it counts as holding. ``power``: how often it would be seen at
    this scale if the paper's number, or the effect that is ``assumed`` in its place, were true; a lower bound where it
    has several margins. ``why``: why it was not run, or what else must be said. ``by_paper``: the same statistic by the
    paper's own reading of the same trainings, without an error; ``paper_holds``: whether the statement holds of it
    alone.
    """

    says: str
    verdict: str
    ours: float | None = None
    interval: Interval | None = None
    power: float | None = None
    assumed: str = ""
    why: str = ""
    by_paper: float | None = None
    paper_holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a run says to a statement: the margins (or a verdict and power, ``judged``), and what people are shown."""

    margins: Sequence[Margin]
    ours: float | None = None
    interval: Interval | None = None
    note: str = ""
    judged: tuple[str, float | None] | None = None


Check = Callable[[Evidence], Reading]
"""What reads a statement's margins off a run; raises LackingError where the run lacks them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a claim before it is answered: see ``Part``, and what reads it off a run."""

    says: str
    assumed: str
    check: Check

    def answer(self, evidence: Evidence) -> Part:
        """Answer from a run, by the defaults, and beside it by the paper's own reading of the same trainings."""
        try:
            reading = self.check(evidence)
        except LackingError as error:
            return Part(self.says, m.NOT_RUN, assumed=self.assumed, why=str(error))
        return replace(self._judged(reading), **self._by_paper(evidence.by_paper))

    def _judged(self, reading: Reading) -> Part:
        if reading.judged is not None:
            word, power = reading.judged
            return Part(self.says, word, reading.ours, reading.interval, power, self.assumed, reading.note)
        margins, smallest = reading.margins, m.smallest(reading.margins)
        ours, interval = reading.ours, reading.interval
        if ours is None and smallest is not None:
            ours, interval = min(margin.value for margin in margins), smallest
        why = reading.note or ("" if smallest is not None else "no interval: the error is not known")
        return Part(self.says, m.verdict(margins), ours, interval, m.power(margins), self.assumed, why)

    def _by_paper(self, evidence: Evidence | None) -> dict[str, Any]:
        """Return the statistic by the paper's reading, and whether the statement holds of it, if it is there."""
        try:
            reading = None if evidence is None else self.check(evidence)
        except LackingError:
            return {}
        if reading is None:
            return {}
        smallest = min(margin.value for margin in reading.margins)
        value = smallest if reading.ours is None else reading.ours
        return {"by_paper": value, "paper_holds": smallest > 0} if math.isfinite(value) else {}


@dataclass(frozen=True, slots=True)
class Claim:
    """A line of what a paper reports, such as ``F10``; its keys are told in ``claims.yaml``."""

    id: str
    year: int
    place: str
    title: str
    paper: str
    statements: tuple[Statement, ...]
    unit: str = ""

    def answer(self, evidence: Evidence) -> Answer:
        """Answer all statements from one run."""
        parts = tuple(statement.answer(evidence) for statement in self.statements)
        return Answer(self, parts, evidence.name, evidence.scale, evidence.described, evidence.date)

    def unanswered(self, why: str) -> Answer:
        """Return the answer of no run."""
        parts = tuple(Part(s.says, m.NOT_RUN, assumed=s.assumed, why=why) for s in self.statements)
        return Answer(self, parts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run says to a claim; empty where none says anything, or where a day is not known.

    ``scale``: ``small``, ``paper`` or ``other``; ``scaled``: in words, how large the run was. ``kept``: it was read
    from an earlier table, since the results that are there answer less of the claim.
    """

    claim: Claim
    parts: tuple[Part, ...]
    run: str = ""
    scale: str = ""
    scaled: str = ""
    date: str = ""
    kept: bool = False

    @property
    def called(self) -> str:
        """The run, its scale, and of a kept answer its day; empty where no run says anything."""
        marks = (self.scale, *(("kept", *filter(None, [self.date])) if self.kept else ()))
        return f"{self.run} ({', '.join(marks)})" if self.run else ""

    @property
    def run_parts(self) -> tuple[Part, ...]:
        """Statements that a run answered."""
        return tuple(part for part in self.parts if part.verdict != m.NOT_RUN)

    @property
    def verdict(self) -> str:
        """The claim's: not reproduced if one statement is not, reproduced if all are, else what is missing."""
        verdicts = {part.verdict for part in self.parts}
        return next(word for word in (m.NOT_REPRODUCED, m.UNDECIDED, m.NOT_RUN, m.REPRODUCED) if word in verdicts)

    @property
    def power(self) -> float:
        """The mean power of the statements that were run, 0 where it is not known."""
        powers = [part.power or 0.0 for part in self.run_parts]
        return sum(powers) / len(powers) if powers else 0.0

    @property
    def deciding(self) -> Part:
        """The statement whose number stands for the claim: the first that has the claim's verdict."""
        return next(part for part in self.parts if part.verdict == self.verdict)

    @property
    def why(self) -> str:
        """What was not run, and what else must be said."""
        whole = len(self.run_parts)
        missing = list(dict.fromkeys(part.why for part in self.parts if part.why))
        some = f"{whole} of {len(self.parts)} statements run; " if 0 < whole < len(self.parts) else ""
        return some + "; ".join(missing)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        claim, part = self.claim, self.deciding
        return {
            "id": claim.id, "paper_year": claim.year, "place": claim.place, "title": claim.title,
            "verdict": self.verdict, "ours": part.ours, "interval": part.interval, "unit": claim.unit,
            "paper": claim.paper, "scale": self.scale or None, "scaled": self.scaled, "run": self.run,
            "date": self.date or None, "kept": self.kept, "power": part.power, "why": self.why,
            "parts": [asdict(part) for part in self.parts],
        }  # fmt: skip


def filled(answer: Answer, other: Answer) -> Answer:
    """Return an answer with the statements that its run could not answer taken from another run's; a note says so."""
    parts = []
    for ours, theirs in zip(answer.parts, other.parts, strict=True):
        taken = ours.verdict == m.NOT_RUN and theirs.verdict != m.NOT_RUN
        why = "; ".join(filter(None, (f"from the run {other.called}", theirs.why)))
        parts.append(replace(theirs, why=why) if taken else ours)
    return replace(answer, parts=tuple(parts))


def _statement(says: str, assumed: str, check: Sequence[Any]) -> Statement:
    name, *given = check
    return Statement(says, assumed, partial(resolve_name(f"papers.claims.{name}"), **dict(*given)))


CLAIMS: Mapping[str, Claim] = {
    name: Claim(name, **{**words, "statements": tuple(_statement(**statement) for statement in words["statements"])})
    for name, words in yaml.safe_load(Path(__file__).with_name("claims.yaml").read_text(encoding="utf-8")).items()
}
"""Name -> claim."""
