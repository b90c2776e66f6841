"""Record of something that a paper reports, beside what came out here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["reproduced", "not reproduced", "undecided", "not run here"]


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """One number or statement of a paper, and whether it came out here.

    Attributes:
        id: year, figure or table, and what it is about; unique among all claims.
        statement: what the paper says, as a sentence that can be wrong.
        source: where it stands.
        verdict: ``reproduced``: our interval holds the printed number and would not hold its contrary; ``undecided``:
            it holds both; ``not reproduced``: it does not hold the printed number.
        ours: our number, in the unit of the statement; None where there is none.
        interval: its 95 % interval, or the range of 95 % of single runs where ``note`` says so.
        paper: the printed number; None where the paper gives words only.
        scale: what was run.
        power: probability that this run would have told a difference of the published size from none; None where no
            size is known.
        note: what limits the verdict.
        freedom: degrees of freedom behind the interval; None where it is no t interval.
    """

    id: str
    statement: str
    source: str
    verdict: Verdict
    ours: float | None
    interval: tuple[float, float] | None
    paper: float | None
    scale: str
    power: float | None
    note: str = ""
    freedom: float | None = None

    def __post_init__(self) -> None:
        """Refuse a verdict without a number, and a power that is no probability."""
        if self.verdict in ("reproduced", "not reproduced") and (self.ours is None or math.isnan(self.ours)):
            raise ValueError(f"claim {self.id} is {self.verdict}, but there is no number of ours")
        if self.power is not None and not 0 <= self.power <= 1:
            raise ValueError(f"claim {self.id} has a power of {self.power}, which is no probability")
