"""How a run's numbers move with its choices, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.plans.cost.suite import LEARNER_SECONDS
from aiq.records.sensitivity import LEARNERS, Change, Sensitivity, Tried
from aiq.records.table import Shown

ALONE = (
    "each choice is changed alone: two that are harmless apart may move the numbers together; complexities and "
    "dissimilarities are divided by the largest of their run; ρ is Spearman's rank correlation with the run"
)


def sensitivity(found: Sensitivity) -> list[Shown]:
    """Return a table of the choices with numbers, one of those that need trainings, and one of what was refused."""
    tables = [
        Shown(
            f"what moves in {found.run} ({found.dimensions} dimensions; {' > '.join(found.order) or 'no agents'})",
            ("choice", "here", "complexity: change, ρ", "dissimilarity: change, ρ", "dimensions",
             "headline: change", "outside", "AIQ per dimension: change", "order"),
            tuple(_row(one) for one in found.computed),
            (*_robust(found), *([found.incomparable] if found.incomparable else []), ALONE),
        )
    ]  # fmt: skip
    waiting = [one for one in found.tried if one.kind == "untrained"]
    if waiting:
        rows = tuple((_named(one), one.usual, one.core_hours) for one in waiting)
        told = "aiq sensitivity CONFIG --train CHOICE trains one of these as a run of its own; then it stands above"
        tables.append(
            Shown("needs trainings", ("choice", "here", "core-hours (model)"), rows, (told, *_assumed(waiting)))
        )
    refused = [one for one in found.tried if one.kind == "refused"]
    if refused:
        rows = tuple((_named(one), one.reason) for one in refused)
        tables.append(Shown("does not apply", ("choice", "why"), rows))
    return tables


def _assumed(waiting: Sequence[Tried]) -> tuple[str, ...]:
    """Return what stands in for a cost that no model knows."""
    if not any(one.choice == LEARNERS and one.value != "null" for one in waiting):
        return ()
    return (f"{LEARNERS}: what a learner takes is not known before, so {LEARNER_SECONDS:g} s count for each training",)


def _row(one: Tried) -> tuple[object, ...]:
    """Return one choice."""
    outside = None
    if one.agents is not None and one.agents.outside is not None:
        outside = "{} of {}".format(*one.agents.outside)
    order = None if one.same_order is None else "same" if one.same_order else " > ".join(one.order)
    return (
        _named(one), one.usual, _change(one.complexity), _change(one.dissimilarity), one.dimensions,
        _largest(one.agents), outside, _largest(one.volume), order,
    )  # fmt: skip


def _largest(change: Change | None) -> str | None:
    """Return the largest change and whose it is."""
    return None if change is None else f"{change.largest:.3f} {change.name}"


def _named(one: Tried) -> str:
    """Return a choice and its value."""
    return f"{one.choice} = {one.value}"


def _change(change: Change | None) -> str | None:
    """Return a change in words."""
    if change is None:
        return None
    if change.largest == 0:
        return "0"
    rank = "–" if change.rank is None else f"{change.rank:.2f}"
    return f"{change.largest:.2f} {change.name}, {rank}"


def _robust(found: Sensitivity) -> tuple[str, ...]:
    """Return which choices keep the agents' order and intervals, and which do not."""
    judged = [one for one in found.computed if one.agents is not None]
    if not judged:
        return ()
    kept = sum(bool(one.same_order) for one in judged)
    sentences = [f"{kept} of {len(judged)} other values keep the order of the agents"]
    out = [one for one in judged if one.agents is not None and one.agents.outside and one.agents.outside[0]]
    if any(one.agents is not None and one.agents.outside for one in judged):
        named = f": {', '.join(_named(one) for one in out)}" if out else ""
        sentences.append(f"{len(out)} move an agent out of its {found.confidence:.0%} interval{named}")
    return tuple(sentences)
