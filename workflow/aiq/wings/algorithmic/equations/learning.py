"""Choice and learning of the tabular agents, compiled.

Sources: Q(lambda): Watkins (1989), traces cut after an exploring action; HLQ(lambda): Hutter and Legg
(2007), equations 9 to 13; Sarsa(lambda): Rummery and Niranjan (1994).

A step is `decide`, then `learn` from the reward that came with the percept; for Freq the other way round.

Only entries whose trace is not zero can change, so they are kept in a list: a step costs what the
recent past visited, not the size of the table. A trace below `_FORGOTTEN` (for HLQ(lambda), which divides by
visits that decay too, below `_FORGOTTEN_HLQ`) is set to zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aiq.wings.algorithmic.equations.agents import FREQUENCY, HUTTER_LEGG, RANDOM, SARSA
from aiq.wings.algorithmic.equations.streams import Array, below, compiled_leaf, unit

EPSILON, INITIAL, TRACE, RATE, DISCOUNT, LEGACY = range(6)
FORGOTTEN, FORGOTTEN_HLQ = 1e-20, 1e-200
VISITS_FLOOR = 1e-100


class Tables(NamedTuple):
    """Mutable memory of one tabular agent; entry (x, b) lies at x * actions + b."""

    values: Array  # float64, (observations * actions,): Q, or for Freq the mean rewards (first row)
    traces: Array  # float64, eligibility E, or for Freq the sums of rewards
    visits: Array  # float64, V of HLQ, or for Freq the counts
    active: Array  # int64, entries with a trace, the first active_count[0] of them
    active_count: Array  # int64, (1,)
    actions: int


def new_tables(observations: int, actions: int) -> Tables:
    """Return memory for the given numbers of observations and actions; `clear` prepares it for an episode."""
    size = observations * actions
    return Tables(
        np.zeros(size), np.zeros(size), np.ones(size), np.zeros(size, np.int64), np.zeros(1, np.int64), actions
    )


@compiled_leaf
def clear(tables: Tables, parameters: Array) -> None:
    """Forget everything: values at their initial value, no traces, one visit everywhere."""
    tables.values[:] = parameters[INITIAL]
    tables.traces[:] = 0.0
    tables.visits[:] = 1.0
    tables.active_count[0] = 0


@compiled_leaf
def greedy_action(values: Array, begin: int, actions: int, stream: Array) -> int:
    """Return an action of highest value in the row that begins at ``begin``, ties drawn uniformly."""
    best, ties, chosen = values[begin], 1, 0
    for action in range(1, actions):
        value = values[begin + action]
        if value > best:
            best, ties, chosen = value, 1, action
        elif value == best:
            ties += 1
    if ties == 1:
        return chosen
    skip = below(stream, ties)
    for action in range(actions):
        if values[begin + action] == best:
            if skip == 0:
                return action
            skip -= 1
    return chosen


@compiled_leaf
def forget(tables: Tables) -> None:
    """Set all traces to zero."""
    for i in range(tables.active_count[0]):
        tables.traces[tables.active[i]] = 0.0
    tables.active_count[0] = 0


@compiled_leaf
def _mark(tables: Tables, entry: int) -> None:
    if tables.traces[entry] == 0.0:
        tables.active[tables.active_count[0]] = entry
        tables.active_count[0] += 1
    tables.traces[entry] += 1.0


@compiled_leaf
def _fade(tables: Tables, factor: float, forgotten: float) -> None:
    """Multiply every trace by ``factor`` and drop those below ``forgotten``."""
    if factor == 0.0:
        forget(tables)
        return
    i = 0
    while i < tables.active_count[0]:
        entry = tables.active[i]
        faded = tables.traces[entry] * factor
        if faded < forgotten:
            tables.traces[entry] = 0.0
            tables.active_count[0] -= 1
            tables.active[i] = tables.active[tables.active_count[0]]
        else:
            tables.traces[entry] = faded
            i += 1


@compiled_leaf
def _learn_hlq(tables: Tables, parameters: Array, entry: int, following: int, delta: float, kept: bool) -> None:
    """HLQ(lambda): V[s, a] += 1; Q[x, b] += delta E[x, b] / (V' - gamma E') V' / V[x, b], with ' at (s', a')."""
    visits, discount, trace = tables.visits, parameters[DISCOUNT], parameters[TRACE]
    visits[entry] += 1.0
    scale = delta * visits[following] / (visits[following] - discount * tables.traces[following])
    for i in range(tables.active_count[0]):
        other = tables.active[i]
        tables.values[other] += scale * tables.traces[other] / visits[other]
    for other in range(visits.shape[0]):
        visits[other] = max(visits[other] * trace, VISITS_FLOOR)
    if kept:
        _fade(tables, discount * trace, FORGOTTEN_HLQ)
    else:
        forget(tables)


@compiled_leaf
def learn(
    kind: int,
    tables: Tables,
    parameters: Array,
    state: int,
    action: int,
    reward: float,
    following: int,
    greedy: int,
    chosen: int,
) -> None:
    """Learn from (state, action) -> reward, ``following`` observation, where ``chosen`` will be done next.

    ``greedy`` is the best next action that was drawn before this update.
    """
    if kind == RANDOM:
        return
    if kind == FREQUENCY:
        tables.visits[action] += 1.0
        tables.traces[action] += reward
        tables.values[action] = tables.traces[action] / tables.visits[action]
        return
    actions = tables.actions
    entry = state * actions + action
    ahead = chosen if kind == SARSA else greedy
    delta = reward + parameters[DISCOUNT] * tables.values[following * actions + ahead] - tables.values[entry]
    kept = kind == SARSA or chosen == greedy
    _mark(tables, entry)
    if kind == HUTTER_LEGG:
        _learn_hlq(tables, parameters, entry, following * actions + chosen, delta, kept)
        return
    step = parameters[RATE] * delta
    for i in range(tables.active_count[0]):
        other = tables.active[i]
        tables.values[other] += step * tables.traces[other]
    if kept:
        _fade(tables, parameters[DISCOUNT] * parameters[TRACE], FORGOTTEN)
    else:
        forget(tables)


@compiled_leaf
def decide(kind: int, tables: Tables, parameters: Array, seen: int, stream: Array) -> tuple[int, int]:
    """Return the greedy action that was drawn for the observation ``seen``, and the action to take (epsilon-greedy)."""
    actions = tables.actions
    if kind == RANDOM:
        action = below(stream, actions)
        return action, action
    begin = 0 if kind == FREQUENCY else seen * actions
    greedy = greedy_action(tables.values, begin, actions, stream)
    return greedy, below(stream, actions) if unit(stream) < parameters[EPSILON] else greedy
