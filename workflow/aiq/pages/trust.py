"""Sentences on how far an order of agents can be trusted."""

from __future__ import annotations

from collections.abc import Sequence


def told_apart(names: Sequence[str], sure: Sequence[float | None], enough: float = 0.95) -> str:
    """Return the sentence on which neighbours in an order are told apart.

    Args:
        names: in their order.
        sure: probability that each is above the next one; None where that is not known.
        enough: from which probability on neighbours count as told apart.
    """
    known = [(a, b, p) for a, b, p in zip(names, names[1:], sure, strict=False) if p is not None]
    if not known:
        return "How sure the order is has not been measured."
    unsure = [f"{a} and {b} ({p:.2f})" for a, b, p in known if p < enough]
    count = len(known)
    if not unsure:
        return f"Every agent is above the next one with a probability of at least {enough:.0%}."
    return (
        f"{count - len(unsure)} of {count} neighbours in this order are told apart with a probability of at least "
        f"{enough:.0%}; not told apart: {', '.join(unsure)}."
    )


def undecided(pairs: Sequence[tuple[str, str, bool]], where: str = "") -> str:
    """Return the sentence on how many differences between agents are decided.

    Args:
        pairs: two names, and whether the interval of their difference leaves 0 out.
        where: at which episodes, grid or the like, with a blank before it.
    """
    if not pairs:
        return "There is one agent alone, so there is nothing to compare."
    open_ = [f"{a} and {b}" for a, b, decided in pairs if not decided]
    if not open_:
        return f"All {len(pairs)} differences between agents{where} are decided: their intervals leave 0 out."
    shown = ", ".join(open_[:8]) + (f" and {len(open_) - 8} more" if len(open_) > 8 else "")
    return (
        f"{len(pairs) - len(open_)} of {len(pairs)} differences between agents{where} are decided: their intervals "
        f"leave 0 out. Not decided: {shown}."
    )
