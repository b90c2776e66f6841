"""All claims answered from results folders, and the page that is made of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any

from aiq.errors import InputError, choice
from aiq.records.estimate import jsonable
from aiq.records.table import Display, Table, words
from aiq.storage.files import replacing
from aiq.storage.tables import render
from papers.claims import CLAIMS, Answer, Claim, Part, filled
from papers.claims import numbers as m
from papers.claims.evidence import Evidence
from papers.planned import Planned
from papers.reading import of_suite, read_evidence


@dataclass(frozen=True)
class Report:
    """Claims with their answers, in the order of the papers."""

    answers: tuple[Answer, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what ``aiq claims --json`` prints."""
        return {"claims": [answer.as_dict() for answer in self.answers]}

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

    def display(self) -> Display:
        """Return the table for the screen, one row per claim, and what the words mean."""
        rows = tuple(
            (a.claim.id, a.verdict, a.deciding.ours, a.deciding.interval, by_paper(a.deciding), a.claim.unit,
             a.deciding.power, a.claim.paper, a.called or None, a.why)
            for a in self.answers
        )  # fmt: skip
        columns = ("claim", "verdict", "ours", "95 %", "paper's reading", "unit", "power", "the paper", "run",
                   "what else")  # fmt: skip
        sentences = filter(None, (self.sentence, self.paper_sentence, *self.words))
        return Display("claims of the papers", columns, rows, tuple(sentences))

    @property
    def words(self) -> tuple[str, ...]:
        """What the words of the report mean."""
        read = any(part.by_paper is not None for a in self.answers for part in a.parts)
        return (*SENTENCES, *((READING,) if read else ()), *((KEPT,) if any(a.kept for a in self.answers) else ()))

    @property
    def sentence(self) -> str:
        """How many claims have which verdict."""
        verdicts = [answer.verdict for answer in self.answers]
        counts = ", ".join(f"{verdicts.count(word)} {word}" for word in m.VERDICTS)
        return f"{len(self.answers)} claim{'s' * (len(self.answers) != 1)}: {counts}"

    @property
    def paper_sentence(self) -> str:
        """How many statements hold by the paper's own reading; empty where none was read so."""
        read = [part for a in self.answers for part in a.parts if part.by_paper is not None]
        if not read:
            return ""
        hold = sum(bool(part.paper_holds) for part in read)
        seen = sum(part.verdict == m.REPRODUCED for part in read)
        return (
            f"by the paper's own reading of the same trainings, without errors, {hold} of {len(read)} statements hold; "
            f"by the defaults {seen} of the {len(read)} are reproduced"
        )


def by_paper(part: Part) -> str | None:
    """Return a statistic by the paper's reading and whether the statement holds of it; None where it is not known."""
    if part.by_paper is None:
        return None
    return f"{words(part.by_paper)} ({'holds' if part.paper_holds else 'does not hold'})"


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

    Without folders every claim stays unanswered, without names (``only``) all are answered. Of the table ``keep`` that
    an earlier call wrote answers stand that answer more statements. ``pass_over``: see ``read_evidence``.
    """
    for name in only:
        if name not in CLAIMS:
            raise InputError(choice("claim", name, CLAIMS))
    evidence = read_evidence(folders, pass_over) if folders else []
    answers = tuple(answer(CLAIMS[name], evidence) for name in (only or CLAIMS))
    if keep is None:
        return Report(answers)
    earlier = read_answers(keep)
    return Report(tuple(with_earlier(fresh, earlier.get(fresh.claim.id)) for fresh in answers))


def of_experiment(planned: Planned) -> Report:
    """Answer the claims of an experiment from its own run."""
    place, experiment = Path(str(planned.run.layout.root)), planned.experiment
    own = of_suite(place, planned.raw, experiment.experiment, planned.scale, tuple(experiment.claims))
    return Report(tuple(CLAIMS[name].answer(own) for name in experiment.claims))


def answer(claim: Claim, evidence: Sequence[Evidence]) -> Answer:
    """Answer a claim by the run that answers most of its statements, at the paper's scale first, then of most power.

    Statements that it cannot answer are taken from the other runs in that order, with a note that says from which.
    Power tells how surely a run can see the claim, and not what it saw; so the choice does not lean to either verdict.
    """
    if not evidence:
        return claim.unanswered("no results were given")

    def rank(answered: tuple[Answer, Evidence]) -> tuple[int, bool, float, bool]:
        candidate, run = answered
        return len(candidate.run_parts), run.scale == "paper", candidate.power, claim.id in run.claims

    ranked = sorted(((claim.answer(run), run) for run in evidence), key=rank, reverse=True)
    if ranked[0][0].run_parts:
        return reduce(filled, [candidate for candidate, _ in ranked])
    of_it = [candidate.why for candidate, run in ranked if claim.id in run.claims]
    return claim.unanswered(of_it[0] if of_it else "no run among the results is about it")


# ---- the table of an earlier call ----------------------------------------------------------------


NEEDED = ("id", "statement", "statement_verdict", "ours", "low", "high", "power", "assumed", "run", "scale", "scaled")
"""Columns without which a table holds no answers; ``date``, ``why`` and the paper's reading may be missing."""

Row = Mapping[str, str]


def read_answers(path: str | Path) -> dict[str, Answer]:
    """Return the answers in a table of ``aiq claims -o FILE.csv`` by claim, where its statements are as they were."""
    answers = {}
    for name, own in groupby(_rows(path), key=lambda row: row["id"]):
        if name not in CLAIMS:
            raise InputError(f"{path}: {choice('claim', name, CLAIMS)}")
        claim, rows = CLAIMS[name], list(own)
        if [row["statement"] for row in rows] == [statement.says for statement in claim.statements]:
            run, scale, scaled, day = (rows[0].get(column, "") for column in ("run", "scale", "scaled", "date"))
            answers[name] = Answer(claim, tuple(_part(row, path) for row in rows), run, scale, scaled, day)
    return answers


def with_earlier(fresh: Answer, earlier: Answer | None) -> Answer:
    """Return the answer to more statements, then that at the paper's scale, else the fresh one, filled up."""
    if earlier is None or not earlier.run_parts:
        return fresh
    earlier = replace(earlier, kept=True)
    ahead, behind = sorted(
        (fresh, earlier), key=lambda candidate: (len(candidate.run_parts), candidate.scale == "paper"), reverse=True
    )  # of equals the fresh one stays first
    return filled(ahead, behind)


def _rows(path: str | Path) -> list[Row]:
    """Return the rows of the table by column, every cell as text: the number of a statement may be a word of it."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    lacking = [column for column in NEEDED if column not in (reader.fieldnames or ())]
    if lacking:
        raise InputError(
            f"{path} has no column {', '.join(lacking)}; give the table that aiq claims RESULTS -o FILE.csv wrote"
        )
    return [{column: cell or "" for column, cell in row.items() if column} for row in rows]


def _part(row: Row, path: str | Path) -> Part:
    verdict = row["statement_verdict"]
    if verdict not in m.VERDICTS:
        raise InputError(f"{path}: {choice('verdict', verdict, m.VERDICTS)}")
    ours, low, high, power, by_paper = (
        _number(row, column, path) for column in ("ours", "low", "high", "power", "by_paper")
    )
    interval = None if low is None or high is None else (low, high)
    holds = {"True": True, "False": False}.get(row.get("paper_holds", ""))
    return Part(row["statement"], verdict, ours, interval, power, row["assumed"], row.get("why", ""), by_paper, holds)


def _number(row: Row, column: str, path: str | Path) -> float | None:
    try:
        return float(row[column]) if row.get(column) else None
    except ValueError:
        raise InputError(f"{path}: {column} of {row['id']} is {row[column]!r}; it must be a number or empty") from None


# ---- page, table and JSON ------------------------------------------------------------------------


START = """# What the papers report, and what came out here

Written by `aiq claims RESULTS -o docs/runs/claims.md`. Every statement of every claim, with the paper's own reading of
the same trainings, what its power assumes, and notes: `docs/runs/claims.csv`. A claim is *not run here* where no run is
about it, or where a part of it could not be checked and no other part failed. Most runs are small, and a verdict holds
for that scale alone. CIFAR100 has to be downloaded; F5, F6, F16 and F17 have classes of CIFAR10 in its place. How a
verdict comes about: [claims](../methods/claims.md). Settings and times: [experiments](experiments.md).
"""


def write(report: Report, path: str | Path) -> None:
    """Write a report as page (.md), table (.csv) or JSON (.json)."""
    suffix = Path(path).suffix
    text = page(report) if suffix == ".md" else render(report.table()) if suffix == ".csv" else document(report)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page(report: Report) -> str:
    """Return the page as Markdown: one row per claim with the statement that decides; the table holds all of them."""
    read = report.paper_sentence
    columns = ("claim", "the paper", "verdict", "statement that decides", "ours", "95 %", "power", "run")
    lines = [START, f"**{report.sentence}.**", *([f"{read[0].upper()}{read[1:]}."] if read else []), ""]
    lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for answer in report.answers:
        claim, part = answer.claim, answer.deciding
        unit = f" {claim.unit}" if claim.unit and part.ours is not None else ""
        power = None if part.power is None else round(part.power, 3)
        cells = (claim.id, claim.paper, answer.verdict, part.says, f"{words(part.ours)}{unit}", words(part.interval),
                 words(power), answer.called or "–")  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")  # a bar ends no cell
    lines += ["", "Words:", "", *(f"- {line[0].upper()}{line[1:]}." for line in report.words if line != READING)]
    return "\n".join(lines) + "\n"


def document(report: Report) -> str:
    """Return what ``--json`` prints."""
    return json.dumps(jsonable(report.as_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
