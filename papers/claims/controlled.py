"""A quotient of few trials made sharper by another agent that has many: a control variate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """A quotient with the ends of its 95 % interval (None: not known), in points of 100; ``by`` says how, in words."""

    value: float
    low: float | None
    high: float | None
    by: str = ""

    @property
    def half(self) -> float:
        """Half of the interval's length; infinite where it is not known."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2


def controlled(row: Row, own: Found, quotients: Sequence[Row], differences: Sequence[Row]) -> Found:
    """Return the sharpest estimate of an agent's quotient: its own mean, or its difference to another plus that one's.

    The other agent has more trials of the same length; the difference is that of the trials on the same programs. Both
    are unbiased. Their errors hang together by the pairs that they share; that covariance is of the order of one over
    the other agent's number of pairs, and is left out. Which estimate is taken follows from the widths alone, never
    from a value. Coverage of nominal 95 % intervals with 100 of 5,000 pairs in common and a skewed difference: .94
    (``tests/unit/claims/test_controlled.py``).

    Args:
        row: of the agent, in the table ``quotients``.
        own: its own mean.
        quotients: all rows of that table.
        differences: rows of the table ``differences``, the first agent less the second.
    """
    best = own
    for step in differences:
        pair = (step["first"], step["second"])
        if step["length"] != row["length"] or row["agent"] not in pair:
            continue
        name, sign = (pair[1], 1.0) if pair[0] == row["agent"] else (pair[0], -1.0)
        for other in quotients:
            same = (other["agent"], other["length"]) == (name, row["length"])
            if same and int(other["runs"]) > int(row["runs"]):
                made = _sum(other, step, sign)
                best = made if made.half < best.half else best
    return best


def _sum(other: Row, step: Row, sign: float) -> Found:
    """Return the other agent's quotient plus the difference to it, with the interval of both."""
    theirs = Found(other["quotient"], other["quotient_low"], other["quotient_high"])
    gap = Found(step["difference"], step["difference_low"], step["difference_high"])
    value, half = theirs.value + sign * gap.value, math.hypot(theirs.half, gap.half)
    words = (
        f"the difference to {other['label']} on {step['pairs']} pairs of trials plus {other['label']} on all its pairs"
    )
    return Found(value, value - half, value + half, words)
