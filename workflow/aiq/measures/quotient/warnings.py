"""Sentences that belong beside a table of scores."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.measures.quotient.bootstrap import FEWEST, Replicates
from aiq.records.quotient import AgentScore
from aiq.records.space import Space

POINT = 1e-9  # intervals narrower than this are points
MANY_FLAT = 0.01  # share of flat replicates from which it is said


def sentences(
    space: Space,
    agents: Sequence[AgentScore],
    boot: Replicates | None,
    repeated: bool,
    single: Sequence[str],
) -> tuple[str, ...]:
    """Return the warnings of the space and those of the scores in it.

    Args:
        space: the space.
        agents: the scored agents.
        boot: the bootstrap, or None.
        repeated: whether the agents' own repetitions were resampled.
        single: agents with one repetition where others have more.
    """
    found = list(space.warnings)
    if any(agent.hull is not None and agent.hull.method == "sampled" for agent in agents):
        found.append(
            f"hulls in {space.dimensions} dimensions have too many facets to be listed: volumes are estimates that "
            "may miss far corners, which their standard errors do not tell; keep fewer dimensions or raise "
            "quotient.facet_budget"
        )
    if not repeated:
        found.append("no agent has more than one repetition: no interval carries the agents' own uncertainty")
    elif single:
        found.append(f"one repetition: the interval of {', '.join(single)} leaves the agent's own uncertainty out")
    if boot is not None and boot.used < FEWEST:
        found.append(f"{boot.used} replicates are too few for intervals; at least {FEWEST} are needed")
    if boot is None:
        found.append("nothing is known of any uncertainty: there are no intervals, and no order is more than a guess")
        return tuple(found)
    exact = [a.agent for a in agents if _is_point(a)]
    if exact:
        found.append(f"the interval of {', '.join(exact)} is a point: nothing that was resampled moves the score")
    outside = [a.agent for a in agents if _is_outside(a)]
    if outside:
        found.append(
            f"the AIQ per dimension of {', '.join(outside)} lies outside its interval: noise in weak dimensions "
            f"moves the value; trust the interval, and measure more or ask for fewer than {space.dimensions} dimensions"
        )
    flat = float((boot.suite <= 0).mean()) if boot.used else 0.0
    if flat >= MANY_FLAT:
        found.append(
            f"in {flat:.0%} of the replicates the suite has no volume in {space.dimensions} dimensions, and "
            "the interval of 'relative' leaves them out"
        )
    return tuple(found)


def _is_point(agent: AgentScore) -> bool:
    interval = agent.per_dimension.interval
    return interval is not None and interval[1] - interval[0] < POINT


def _is_outside(agent: AgentScore) -> bool:
    interval = agent.per_dimension.interval
    return interval is not None and not interval[0] - POINT <= agent.per_dimension.value <= interval[1] + POINT
