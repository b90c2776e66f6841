"""Precision as a goal: rounds that grow what buys most against growing everything alike, on suites of known truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aiq.explain.spending import AIM, next_round, squares, stalled
from studies.cells import Cells, Row
from studies.precision_suites import MOST, START, STEPS, Drawn, Grown
from studies.tables import share

SUITES, QUICK_SUITES, PER_CELL = 200, 2, 10
NARROWER = 3.0
"""The goal is the start's half-width over the root of this: what growing everything so often should reach."""
FACTOR, MOST_ROUNDS = 2.0, 10
UNBALANCED = 2 / 3
"""A start is unbalanced where the best allocation costs at most this share of a uniform one, by its own parts."""


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row per group of suites: core-hours of both ways, coverage and bias at the stop and at a fixed size.

    Args:
        quick: 2 suites instead of 200.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    count = QUICK_SUITES if quick else SUITES
    each = min(count, PER_CELL)
    found: list[Row] = []
    for first in range(0, count, each):
        key = {"suites": f"{first} to {first + each - 1}"}
        found += cells.of(key, lambda first=first: [suite(n) for n in range(first, first + each)])  # type: ignore[misc]
    groups = {
        "all": found,
        "unbalanced start": [one for one in found if one["best"] <= UNBALANCED],
        "balanced start": [one for one in found if one["best"] > UNBALANCED],
    }
    return [_row(name, rows) for name, rows in groups.items() if rows]


def suite(number: int) -> Row:
    """Grow one suite both ways and return costs, errors and half-widths."""
    drawn = Drawn.of(number)
    stored = drawn.stored(number)
    start = Grown(drawn, stored, START, number)
    goal = start.half / math.sqrt(NARROWER)
    shares, _ = squares(start.widths, list(START))
    rounds, adaptive = _adaptive(drawn, stored, start, goal)
    uniform_rounds, uniform = _uniform(drawn, stored, start, goal)
    fixed = Grown(drawn, drawn.stored(number, "again"), adaptive.numbers, number)
    row: Row = {
        "best": _best(drawn, shares),
        "goal": goal,
        "reached": adaptive.half <= goal,
        "uniform_reached": uniform.half <= goal,
        "rounds": rounds,
        "uniform_rounds": uniform_rounds,
        "ratio": (drawn.cost(adaptive.numbers) - 1) / (drawn.cost(uniform.numbers) - 1),
        "ratio_with_start": drawn.cost(adaptive.numbers) / drawn.cost(uniform.numbers),
    }
    for name, one in (("start", start), ("stop", adaptive), ("uniform", uniform), ("fixed", fixed)):
        row[f"{name}_covered"] = one.said.covers(drawn.truth).tolist()
        row[f"{name}_error"] = (one.said.value - drawn.truth).tolist()
        row[f"{name}_half"] = one.half
    return row


def _best(drawn: Drawn, shares: dict[str, float]) -> float:
    """Return the cost of the best allocation over that of a uniform one of the same variance, were numbers free."""
    prices = np.array([drawn.prices[name] * START[name] for name in START])
    parts = np.array([shares[name] for name in START])
    return float(np.sqrt(prices * parts).sum() ** 2 / (prices.sum() * parts.sum()))


def _adaptive(drawn: Drawn, stored: Any, start: Grown, goal: float) -> tuple[int, Grown]:
    """Grow by rounds as ``aiq run`` does, without a budget; return how many rounds, and the last."""
    now, halves, predicted = start, [start.half], list[float]()
    while now.half > goal and len(predicted) < MOST_ROUNDS and not stalled(halves, predicted):
        shares, rest = squares(now.widths, list(START))
        found = next_round(now.sources(shares), rest * now.half**2, goal, math.inf)
        numbers = {name: min(found.numbers[name], MOST * START[name]) for name in START}
        if numbers == now.numbers:
            break
        now = Grown(drawn, stored, numbers, now.seed)
        halves.append(now.half)
        predicted.append(found.half)
    return len(predicted), now


def _uniform(drawn: Drawn, stored: Any, start: Grown, goal: float) -> tuple[int, Grown]:
    """Grow every number by one factor, aimed at the goal, at most ``FACTOR`` in a round."""
    now, whole = start, 1.0
    count = 0
    while now.half > goal and whole < MOST:
        count += 1
        whole = min(whole * min(FACTOR, max(1.02, (now.half / (AIM * goal)) ** 2)), MOST)
        numbers = {name: STEPS[name] * math.ceil(whole * START[name] / STEPS[name] - 1e-9) for name in START}
        now = Grown(drawn, stored, {name: min(numbers[name], MOST * START[name]) for name in START}, now.seed)
    return count, now


def _row(name: str, rows: list[Row]) -> Row:
    """Return the row of a group of suites."""
    done = [one for one in rows if one["reached"] and one["uniform_reached"]]
    ratios = np.array([one["ratio"] for one in done] or [math.nan])
    with_start = [one["ratio_with_start"] for one in done] or [math.nan]
    half, error = share(int((ratios <= 0.5).sum()), len(done))
    found: Row = {
        "suites": name,
        "number": len(rows),
        "reached_the_goal": sum(one["reached"] for one in rows),
        "uniform_reached_it": sum(one["uniform_reached"] for one in rows),
        "both": len(done),
        "best_possible": float(np.median([one["best"] for one in rows])),
        "core_hours_ratio": float(np.median(ratios)),
        "ratio_quarter": float(np.quantile(ratios, 0.25)),
        "ratio_three_quarters": float(np.quantile(ratios, 0.75)),
        "ratio_with_start": float(np.median(with_start)),
        "at_most_half": half,
        "at_most_half_error": error,
        "rounds": float(np.mean([one["rounds"] for one in rows])),
        "uniform_rounds": float(np.mean([one["uniform_rounds"] for one in rows])),
    }
    for state in ("start", "stop", "uniform", "fixed"):
        each = np.array([np.nanmean(one[f"{state}_covered"]) for one in rows])
        flat = np.array([error for one in rows for error in one[f"{state}_error"]])
        found[f"coverage_{state}"] = float(each.mean())
        found[f"coverage_{state}_error"] = float(each.std() / math.sqrt(len(each)))
        found[f"bias_{state}"] = float(flat.mean() / math.sqrt((flat**2).mean()))
        found[f"half_over_goal_{state}"] = float(np.mean([one[f"{state}_half"] / one["goal"] for one in rows]))
    return found


def NOTES(rows: list[Row]) -> str:  # noqa: N802  a name that the frame looks for
    """Return what the columns mean and what they come to."""
    whole = rows[0]
    verdict = "is" if whole["core_hours_ratio"] <= 0.5 else "is not"
    return (
        "Suites are drawn as in `studies/precision_suites.py`: 5 or 6 tests, signal to noise 6 to 20, agents whose "
        "repetitions spread by .01 to .06, and costs by source that scatter about those of the quickstart (standard "
        f"deviation of 1 in the logarithm). Each begins with {START['pool']} policies, {START['mixtures']} of "
        f"mixtures, {START['ends']} of ends, {START['agents']} of agents. The goal is the half-width of the start "
        f"over √{NARROWER:g}. Both ways stop when they see it; both "
        f"end at {MOST} times the start at most, and rounds also where two of them gained nearly nothing.\n\n"
        "`core hours ratio`: core-hours of all rounds after the start, adaptive over uniform, median over suites in "
        "which both reached the goal (column `both`), with its quartiles; `with start`: the start counted on both "
        "sides. `best possible`: the cost of the best allocation over that of a uniform one, if the parts at "
        "the start were right "
        f"and nothing had to be grown from a start (at most {UNBALANCED:.2g}: unbalanced). `coverage` of nominal 95 % "
        "intervals of AIQ per dimension, over agents, ± Monte Carlo error over suites: at the start, where the rounds "
        "stop, where uniform growth stops, and at a fixed size: the numbers of the stop with fresh measurements, which "
        "nobody looked at before. `bias`: mean error over root mean square error. `half over goal`: mean half-width "
        "over the goal; at a fixed size it is larger than at the stop, since rounds stop when a half-width happens to "
        "be small.\n\n"
        f"At most half the core-hours of uniform growth {verdict} reached in the median suite: "
        f"{whole['core_hours_ratio']:.2f} of those after the start, {whole['ratio_with_start']:.2f} with the start; "
        f"at most half of those after the start in {whole['at_most_half']:.0%} of the suites. "
        f"Coverage at the stop is {whole['coverage_stop']:.3f} ± {whole['coverage_stop_error']:.3f}, at a fixed size "
        f"{whole['coverage_fixed']:.3f} ± {whole['coverage_fixed_error']:.3f}."
    )
