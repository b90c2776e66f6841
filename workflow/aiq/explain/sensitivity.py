"""How the numbers of a finished suite move with each choice of its configuration."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy import stats

from aiq.errors import AiqError, ConfigurationError, InputError, did_you_mean
from aiq.explain.choices import REDUCED, TRAINED, Choice, changed, others, usual
from aiq.explain.finished import FinishedRun, reduced
from aiq.plans import growth
from aiq.plans.cost.suite import Work
from aiq.plans.run import Run, SuiteRun
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.explain import Change, Sensitivity, Tried
from aiq.run.costs.expected import of_trainings
from aiq.storage.files import replacing

FEWEST = 3  # values of which an order can be compared


def moved(base: FinishedRun, other: FinishedRun) -> dict[str, Any]:
    """Return what moved between two runs of the same domains, as fields of ``Tried``."""
    names = list(base.complexity)
    found: dict[str, Any] = {
        "complexity": _complexities(base, other, names),
        "dissimilarity": _matrices(base, other, names),
        "dimensions": other.space.dimensions,
    }
    if base.scores is None or other.scores is None:
        return found
    values, others = headlines(base), headlines(other)
    order = tuple(others)
    found["agents"] = _of_agents(values, others)
    found["volume"] = _of_agents(_volumes(base), _volumes(other))
    found |= {"order": order, "same_order": order == tuple(values)}
    return found | {"values": {name: one.value for name, one in others.items()}}


def headlines(run: FinishedRun) -> dict[str, Estimate]:
    """Return the headline by agent, best first."""
    return {} if run.scores is None else {one.agent: one.headline for one in run.scores.scores.agents}


def _volumes(run: FinishedRun) -> dict[str, Estimate]:
    return {one.agent: one.per_dimension for one in run.scores.scores.agents}


def _of_agents(base: Mapping[str, Estimate], other: Mapping[str, Estimate]) -> Change:
    before, after = (np.array([source[name].value for name in base]) for source in (base, other))
    return change(list(base), before, after, [one.interval for one in base.values()])


def _complexities(base: FinishedRun, other: FinishedRun, names: Sequence[str]) -> Change:
    """Return the change of the complexities, each run's divided by its largest.

    Intervals hold for one unit alone, and for sizes of the same learners.
    """
    first, second = ([run.complexity[name].complexity for name in names] for run in (base, other))
    before, after = (np.array([one.value for one in found]) for found in (first, second))
    like = _learners(base) == _learners(other) and all(
        base.complexity[name].unit == other.complexity[name].unit for name in names
    )
    outside = _outside(after, [one.estimate.interval for one in first]) if like else None
    largest, name, rank = _compared(names, _normalised(before), _normalised(after))
    return Change(largest, name, rank, outside)


def _learners(run: FinishedRun) -> Any:
    """Return the learners of the pool; None for networks. They say what the sizes behind complexities count."""
    return run.run.configuration.pool.learners


def _matrices(base: FinishedRun, other: FinishedRun, names: Sequence[str]) -> Change:
    """Return the change of the dissimilarities between domains, each run's divided by its largest."""
    pairs = list(combinations(range(len(names)), 2))
    if not pairs:  # a suite of one domain
        return Change(float("nan"), "", None, None)
    before, after = (np.array([found[i, j] for i, j in pairs]) for found in (base.matrix, other.matrix))
    named = [f"{names[i]} – {names[j]}" for i, j in pairs]
    largest, name, rank = _compared(named, _normalised(before), _normalised(after))
    return Change(largest, name, rank, None)


def change(
    names: Sequence[str], before: Floats, after: Floats, intervals: Sequence[tuple[float, float] | None]
) -> Change:
    """Return the largest change of some values (n,), how far their order is kept, and how many leave their interval."""
    largest, name, rank = _compared(names, before, after)
    return Change(largest, name, rank, _outside(after, intervals))


def _compared(names: Sequence[str], before: Floats, after: Floats) -> tuple[float, str, float | None]:
    """Return the largest change, whose it is, and Spearman's rank correlation."""
    apart = np.abs(after - before)
    if not np.isfinite(apart).any():
        return float("nan"), "", None
    most = int(np.nanargmax(apart))
    rank = None
    if len(names) >= FEWEST and np.ptp(before) > 0 and np.ptp(after) > 0:
        rank = float(stats.spearmanr(before, after).statistic)
    return float(apart[most]), names[most], rank


def _outside(after: Floats, intervals: Sequence[tuple[float, float] | None]) -> tuple[int, int] | None:
    """Return how many values lie outside intervals, and how many values and intervals there are; None where none is."""
    known = [(value, ends) for value, ends in zip(after, intervals, strict=True) if ends is not None]
    known = [(value, ends) for value, ends in known if np.isfinite(value)]
    if not known:
        return None
    return sum(not low <= value <= high for value, (low, high) in known), len(known)


def _normalised(values: Floats) -> Floats:
    """Return values divided by the largest of them; as they are where that is 0."""
    largest = float(np.nanmax(values))
    return values / largest if largest > 0 else values


Say = Callable[[str], None]


def sensitivity(
    raw: Mapping[str, Any], origin: str, only: Sequence[str] = (), say: Say = lambda _: None
) -> Sensitivity:
    """Return how the numbers of a finished suite move with its choices, one changed at a time.

    Choices that need no training are reduced again from the run's shards. Of those that need one, runs that were
    trained for it (``variant``) are read; of the others the cost is told.

    Args:
        raw: the configuration of the suite.
        origin: its name in refusals.
        only: keys to change; all where none is given.
        say: told each choice as it is tried.

    Raises:
        StorageError: the run is not finished.
        InputError: a key is no choice.
    """
    run, raw = _as_it_stands(raw, origin)
    _check(only)
    base = FinishedRun(run)
    found = headlines(base)
    values, intervals = ({name: getattr(one, key) for name, one in found.items()} for key in ("value", "interval"))
    tried = [*_reduced(run, raw, base, only, say), *_trained(run, raw, base, only)]
    return Sensitivity(
        run.configuration.name, base.space.dimensions, tuple(values), values, intervals,
        run.configuration.quotient.confidence, tuple(tried),
    )  # fmt: skip


def _as_it_stands(raw: Mapping[str, Any], origin: str) -> tuple[SuiteRun, dict[str, Any]]:
    """Return a run and its configuration with the numbers to which rounds have grown it, and without rounds.

    Else a choice would also undo the rounds: variants have a results folder of their own, where there are none.
    """
    run: SuiteRun = Run.of(raw, "aiq", origin)
    start: SuiteRun = Run.of({**raw, "precision": None}, "aiq", origin)
    found = growth.applied(raw, start.configuration, growth.numbers(run.configuration))
    found.pop("precision", None)
    return Run.of(found, "aiq", origin), found


def _check(only: Sequence[str]) -> None:
    known = list(dict.fromkeys(choice.place for choice in (*REDUCED, *TRAINED)))
    for place in only:
        if place not in known:
            raise InputError(f"{place!r} is no choice{did_you_mean(place, known)}; choices are {', '.join(known)}")


def _reduced(
    run: SuiteRun, raw: Mapping[str, Any], base: FinishedRun, only: Sequence[str], say: Say
) -> Iterator[Tried]:
    c = run.configuration
    for choice, value in others(c, base.space.dimensions, REDUCED):
        if only and choice.place not in only:
            continue
        say(f"{choice.place} = {value}")
        named: dict[str, Any] = {"choice": choice.place, "value": spelled(value), "usual": spelled(usual(c, choice))}
        try:
            other: SuiteRun = Run.of(changed(raw, c, choice, value), "aiq", "the changed configuration")
            if (cost := hours(run, other)) > 0:
                yield Tried(**named, kind="untrained", core_hours=cost)
                continue
            found = moved(base, reduced(run, other))
        except AiqError as error:
            yield Tried(**named, kind="refused", reason=str(error))
            continue
        yield Tried(**named, kind="reduced", **found)


def _trained(run: SuiteRun, raw: Mapping[str, Any], base: FinishedRun, only: Sequence[str]) -> Iterator[Tried]:
    """Yield what moves with trainings: numbers of variants that were run, the cost of the others."""
    c = run.configuration
    for choice, value in others(c, base.space.dimensions, TRAINED):
        if only and choice.place not in only:
            continue
        named: dict[str, Any] = {"choice": choice.place, "value": spelled(value), "usual": spelled(usual(c, choice))}
        try:
            other: SuiteRun = Run.of(variant(raw, run, choice, value), "aiq", "the changed configuration")
        except ConfigurationError as error:
            yield Tried(**named, kind="refused", reason=str(error))
            continue
        cost = hours(run, other)
        last = other.layout.scores if other.plan.scored else other.layout.space
        if not Path(last).exists():
            yield Tried(**named, kind="untrained", core_hours=cost)
            continue
        try:
            yield Tried(**named, kind="trained", core_hours=cost, **moved(base, FinishedRun(other)))
        except AiqError as error:
            yield Tried(**named, kind="refused", core_hours=cost, reason=str(error))


def variant(raw: Mapping[str, Any], run: SuiteRun, choice: Choice, value: Any) -> dict[str, Any]:
    """Return the configuration of a run of its own with one choice at another value."""
    made = changed(raw, run.configuration, choice, value)
    made["name"] = f"{run.configuration.name}-{slug(choice, value)}"
    made["results"] = f"{run.configuration.results.rstrip('/')}-{slug(choice, value)}"
    return made


def write_variants(raw: Mapping[str, Any], origin: str, only: Sequence[str]) -> list[str]:
    """Write a configuration for each value of some choices that need trainings, and return the files.

    Raises:
        InputError: a key is no such choice.
        ConfigurationError: a value does not fit the suite.
    """
    run, raw = _as_it_stands(raw, origin)
    known = {choice.place: choice for choice in TRAINED}
    paths = []
    for place in only:
        if place not in known:
            raise InputError(
                f"{place!r} needs no training, or is no choice{did_you_mean(place, known)}; those that need one are "
                f"{', '.join(known)}"
            )
    for choice, value in others(run.configuration, 1, [known[place] for place in only]):
        made = variant(raw, run, choice, value)
        Run.of(made, "aiq", "the changed configuration")
        path = Path(run.layout.path("sensitivity", f"{slug(choice, value)}.yaml"))
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(yaml.safe_dump(copy.deepcopy(made), sort_keys=False), encoding="utf-8")
        paths.append(str(path))
    return paths


def slug(choice: Choice, value: Any) -> str:
    """Return a choice and its value as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{choice.place}-{spelled(value)}").strip("-").lower()


def spelled(value: Any) -> str:
    """Return a value as the configuration spells it; a generator of learners by its name alone."""
    if isinstance(value, Mapping) and value.keys() == {"generator"}:
        return str(value["generator"])
    plain = list(value) if isinstance(value, tuple) else value
    return yaml.safe_dump(plain, default_flow_style=True, width=math.inf).split("\n")[0]


def hours(run: SuiteRun, other: SuiteRun) -> float:
    """Return the core-hours of the trainings that another configuration needs and a run does not have, by the model."""
    return sum(hours_by_kind(run, other).values())


def hours_by_kind(run: SuiteRun | None, other: SuiteRun) -> dict[str, float]:
    """Return kind of training -> the core-hours that another configuration needs and a run does not have.

    Args:
        run: what is there; None where nothing is.
        other: what is wanted.
    """
    have = {} if run is None else _trainings(run)
    found: dict[str, float] = {}
    for key, (work, count) in _trainings(other).items():
        more = max(0, count - have[key][1] if key in have else count)
        found[key[0]] = found.get(key[0], 0.0) + float(work.seconds) * more / 3600
    return found


def _trainings(run: SuiteRun) -> dict[tuple[str, ...], tuple[Work, int]]:
    """Return kind, names and fingerprint of all units -> what one costs and how many there are."""
    c, plan, costs = run.configuration, run.plan, of_trainings(run)
    found: dict[tuple[str, ...], tuple[Work, int]] = {}
    for name in c.domains:
        found["trials", name, str(plan.trials(name))] = (costs.chunk(name), c.pool.chunks)
        for agent in c.agents.networks:
            key = ("agents", name, agent.name, str(plan.agent(name, agent.name)))
            found[key] = (costs.agent(name, agent.name), c.agents.repetitions)
    for a, b in plan.mixed:
        found["mixtures", a, b, str(plan.mixture(a, b))] = (costs.pair(a, b), c.dissimilarity.chunks)
    for job in plan.ends.jobs:
        for part, _ in job.units:
            key = ("alone", job.domain, part, str(plan.ends.part(job.domain, part)))
            work, count = found.get(key, (costs.alone(job.domain, part), 0))
            found[key] = (work, count + 1)
    return found
