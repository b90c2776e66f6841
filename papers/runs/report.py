"""All claims answered from results folders, and the page that is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from aiq.errors import InputError, choice
from aiq.records.table import Shown, Table, words
from papers.claims import margins as m
from papers.claims.base import Answer, Claim, Part, filled
from papers.claims.evidence import Evidence
from papers.claims.registry import CLAIMS
from papers.planned import Planned
from papers.runs.kept import read_answers, with_earlier
from papers.runs.reading import of_suite, read_evidence


@dataclass(frozen=True)
class Report:
    """Claims with their answers, in the order of the papers."""

    answers: tuple[Answer, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq claims --json`` prints."""
        return {"claims": [answer.as_dict() for answer in self.answers]}

    def count(self, verdict: str) -> int:
        """Return how many claims have a verdict."""
        return sum(answer.verdict == verdict for answer in self.answers)

    def table(self) -> Table:
        """Return one row per statement of a claim."""
        columns = ("id", "year", "place", "paper", "verdict", "statement", "statement_verdict", "ours", "low", "high",
                   "unit", "power", "assumed", "run", "scale", "scaled", "date", "kept", "why", "by_paper",
                   "paper_holds")  # fmt: skip
        rows = [
            (a.claim.id, a.claim.year, a.claim.place, a.claim.paper, a.verdict, p.says, p.verdict, p.ours,
             *(p.interval or (None, None)), a.claim.unit, p.power, p.assumed, a.run, a.scale, a.scaled, a.date,
             a.kept, p.why, p.by_paper, p.paper_holds)
            for a in self.answers
            for p in a.parts
        ]  # fmt: skip
        return Table.of(columns, rows)

    def shown(self) -> Shown:
        """Return the table for the screen, one row per claim, and what the words mean."""
        rows = tuple(
            (a.claim.id, a.verdict, a.shown.ours, a.shown.interval, by_paper(a.shown), a.claim.unit, a.shown.power,
             a.claim.paper, called(a), a.why)
            for a in self.answers
        )  # fmt: skip
        columns = ("claim", "verdict", "ours", "95 %", "paper's reading", "unit", "power", "the paper", "run",
                   "what else")  # fmt: skip
        sentences = filter(None, (self.sentence, self.paper_sentence, *self.words))
        return Shown("claims of the papers", columns, rows, tuple(sentences))

    @property
    def words(self) -> tuple[str, ...]:
        """What the words of the report mean."""
        read = any(part.by_paper is not None for a in self.answers for part in a.parts)
        return (*SENTENCES, *((READING,) if read else ()), *((KEPT,) if any(a.kept for a in self.answers) else ()))

    @property
    def sentence(self) -> str:
        """How many claims have which verdict."""
        counts = ", ".join(f"{self.count(word)} {word}" for word in m.VERDICTS)
        return f"{len(self.answers)} claim{'s' * (len(self.answers) != 1)}: {counts}"

    @property
    def paper_sentence(self) -> str:
        """How many statements hold by the paper's own reading; empty where none was read so."""
        read = [part for a in self.answers for part in a.parts if part.by_paper is not None]
        hold = sum(bool(part.paper_holds) for part in read)
        seen = sum(part.verdict == m.REPRODUCED for part in read)
        if not read:
            return ""
        return (
            f"by the paper's own reading of the same trainings, without errors, {hold} of {len(read)} statements hold; "
            f"by the defaults {seen} of the {len(read)} are reproduced"
        )


def by_paper(part: Part) -> str | None:
    """Return a statistic by the paper's reading and whether the statement holds of it; None where it is not known."""
    if part.by_paper is None:
        return None
    return f"{words(part.by_paper)} ({'holds' if part.paper_holds else 'does not hold'})"


def called(answer: Answer) -> str | None:
    """Return the run, its scale, and of a kept answer its day."""
    marks = ", ".join((answer.scale, *(("kept", *filter(None, [answer.date])) if answer.kept else ())))
    return f"{answer.run} ({marks})" if answer.run else None


READING = (
    "paper's reading: the same number from the same trainings as the paper takes it (preset: paper), without an error, "
    "as the paper gives none: the minimum over the pool for a complexity, the plain area for a dissimilarity, all "
    "dimensions of these for the space, volumes in them for AIQ, and as the number of dimensions those that hold "
    "90 % of the squared coordinates; holds: by that number alone, which noise may have made"
)
KEPT = (
    "kept: the results given here answer less of the claim than an earlier run, whose answer stands; its results were "
    "not read again"
)
SENTENCES = (
    "ours is the number of the statement that decides, or of its smallest margin; a claim is reproduced where all its "
    "statements are, not reproduced where one is not, undecided where an interval holds both",
    "power: probability that the statement would have been seen at this scale if the paper's number, or the effect "
    "assumed in its place, were true; a verdict of little power says little",
)


def report(
    folders: Sequence[str | Path],
    only: Sequence[str] = (),
    keep: str | Path | None = None,
    pass_over: Callable[[str], None] | None = None,
) -> Report:
    """Answer claims from results folders; each is answered by the run that answers most of its statements.

    Args:
        folders: results folders, or folders of them; none leaves every claim unanswered.
        only: names of claims; none means all.
        keep: a table that an earlier call wrote; its answers stand where they answer more statements.
        pass_over: told why a results folder cannot be read, which is then left out; None refuses it.

    Raises:
        InputError: there is no such claim, a folder holds no results, or the table is not one of claims.
    """
    for name in only:
        if name not in CLAIMS:
            raise InputError(choice("claim", name, CLAIMS))
    evidence = read_evidence(folders, pass_over) if folders else []
    found = tuple(answer(CLAIMS[name], evidence) for name in (only or CLAIMS))
    if keep is None:
        return Report(found)
    earlier = read_answers(keep)
    return Report(tuple(with_earlier(fresh, earlier.get(fresh.claim.id)) for fresh in found))


def own_evidence(planned: Planned) -> Evidence:
    """Return the numbers of an experiment's own run."""
    place, experiment = Path(str(planned.run.layout.root)), planned.experiment
    return of_suite(place, planned.raw, experiment.experiment, planned.scale, tuple(experiment.claims))


def of_experiment(planned: Planned) -> Report:
    """Answer the claims of an experiment from its own run."""
    own = own_evidence(planned)
    return Report(tuple(CLAIMS[name].answer(own) for name in planned.experiment.claims))


def answer(claim: Claim, evidence: Sequence[Evidence]) -> Answer:
    """Answer a claim by the run that answers most of its statements, at the paper's scale first, then of most power.

    Statements that it cannot answer are taken from the other runs in that order, with a note that says from which.
    Power tells how surely a run can see the claim, and not what it saw; so the choice does not lean to either verdict.
    """

    def own(run: Evidence) -> bool:
        return claim.id in run.claims

    if not evidence:
        return claim.unanswered("no results were given")

    def rank(one: tuple[Answer, Evidence]) -> tuple[int, bool, float, bool]:
        return len(one[0].run_parts), one[1].scale == "paper", one[0].power, own(one[1])

    found = sorted(((claim.answer(one), one) for one in evidence), key=rank, reverse=True)
    if found[0][0].run_parts:
        return reduce(filled, [one for one, _ in found])
    of_it = [one.why for one, run in found if own(run)]
    return claim.unanswered(of_it[0] if of_it else "no run among the results is about it")
