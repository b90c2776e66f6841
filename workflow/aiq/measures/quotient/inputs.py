"""Refusal of agents and performances that cannot be scored, in one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError

Floats = npt.NDArray[np.float64]


def check_agents(agents: Sequence[str]) -> tuple[str, ...]:
    """Return agents as distinct names, at least one."""
    names = tuple(str(name) for name in agents)
    if not names:
        raise InputError("scores need at least one agent, none was given")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"agent {name!r} is named {names.count(name)} times; every agent needs its own name")
    return names


def check_performance(
    performance: npt.ArrayLike, agents: tuple[str, ...], domains: tuple[str, ...], what: str
) -> Floats:
    """Return performances (A, n), or replicates (B, A, n), all within [0, 1]."""
    values = np.asarray(performance, dtype=np.float64)
    shape = (len(agents), len(domains))
    replicated = what == "performance_replicates"
    if values.ndim != 2 + replicated or values.shape[-2:] != shape or values.size == 0:
        expected = ("replicates, " if replicated else "") + f"{shape[0]} agents, {shape[1]} domains"
        raise InputError(f"{what} has shape {values.shape}, expected ({expected})")
    wrong = np.argwhere(~((values >= 0) & (values <= 1)))
    if wrong.size:
        *_, agent, domain = (int(i) for i in wrong[0])
        raise InputError(
            f"the performance of agent {agents[agent]!r} on domain {domains[domain]!r} is {values[tuple(wrong[0])]}; "
            "it must lie within [0, 1]"
        )
    return values
