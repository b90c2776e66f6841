"""What each source of uncertainty adds to the agents' intervals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

Widths = Callable[[Collection[str]], Mapping[str, float]]
"""Sources that are held at their estimates -> half-width by agent."""


def squares(widths: Widths, names: Sequence[str], over: str) -> tuple[dict[str, float], float]:
    """Split the squared half-width of the agents' intervals by source; shares, which add up to 1 with the rest.

    Sources act together, so what a source adds depends on which others are there. It is taken as the mean of two
    answers: what goes when it alone is held, and what comes when all others are. Where sources simply add up both are
    the same. What is left when every source is held is the rest. The shares are scaled so that all is shared out.

    Args:
        widths: half-widths with some sources held, on common draws.
        names: the sources that can grow.
        over: ``mean`` splits the mean of the agents' squares, ``largest`` that of the widest agent.

    Returns:
        share by source, and the rest.
    """
    whole = widths(())
    if not whole or max(whole.values()) <= 0:
        return dict.fromkeys(names, 0.0), 1.0
    agents = list(whole) if over == "mean" else [max(whole, key=lambda name: whole[name])]

    def square(held: Collection[str]) -> float:
        """Return the mean squared half-width of the agents in question."""
        found = whole if not held else widths(held)
        return sum(found[name] ** 2 for name in agents) / len(agents)

    everything, rest = square(()), min(square(names), square(()))
    parts = {}
    for name in names:
        others = [other for other in names if other != name]
        gone = everything - square([name])
        come = (square(others) if others else everything) - rest
        parts[name] = max(0.0, (gone + come) / 2)
    known = sum(parts.values())
    scale = (everything - rest) / (everything * known) if known > 0 else 0.0
    return {name: part * scale for name, part in parts.items()}, rest / everything if known > 0 else 1.0
