"""How the numbers of a finished suite move with each choice of its configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from aiq.plans.cost import Work
from aiq.plans.run import Run, SuiteRun
from aiq.records.estimate import Estimate, Floats
from aiq.records.explain import Change, Sensitivity, Tried
from aiq.run.expected import of_trainings
from aiq.storage.files import replacing

FEWEST = 3  # values of which an order can be compared
CHANGED = "the changed configuration"


def moved(base: FinishedRun, other: FinishedRun) -> dict[str, Any]:
    """Return what moved between two runs of the same domains, as fields of ``Tried``."""
    names = list(base.complexity)
    fields: dict[str, Any] = {
        "complexity": _complexities(base, other, names),
        "dissimilarity": _matrices(base, other, names),
        "dimensions": other.space.dimensions,
    }
    if base.scores is None or other.scores is None:
        return fields
    for quantity, of in (("agents", "headline"), ("volume", "per_dimension")):
        first, second = _by_agent(base, of), _by_agent(other, of)
        before, after = (np.array([values[name].value for name in first]) for values in (first, second))
        fields[quantity] = change(list(first), before, after, [estimate.interval for estimate in first.values()])
    headlines = _by_agent(other, "headline")
    fields |= {"order": tuple(headlines), "same_order": list(headlines) == list(_by_agent(base, "headline"))}
    return fields | {"values": {name: estimate.value for name, estimate in headlines.items()}}


def _by_agent(run: FinishedRun, name: str) -> dict[str, Estimate]:
    return {} if run.scores is None else {agent.agent: getattr(agent, name) for agent in run.scores.scores.agents}


def _complexities(base: FinishedRun, other: FinishedRun, names: Sequence[str]) -> Change:
    """Return the change of the complexities, each run's divided by its largest.

    Intervals hold for one unit alone, and for sizes of the same learners.
    """
    first, second = ([run.complexity[name].complexity for name in names] for run in (base, other))
    before, after = (np.array([record.value for record in records]) for records in (first, second))
    pools = [run.run.configuration.pool.learners for run in (base, other)]  # they say what the sizes count
    like = pools[0] == pools[1] and all(base.complexity[name].unit == other.complexity[name].unit for name in names)
    outside = _outside(after, [record.estimate.interval for record in first]) if like else None
    return replace(change(names, _normalised(before), _normalised(after)), outside=outside)


def _matrices(base: FinishedRun, other: FinishedRun, names: Sequence[str]) -> Change:
    """Return the change of the dissimilarities between domains, each run's divided by its largest."""
    pairs = list(combinations(range(len(names)), 2))
    if not pairs:  # a suite of one domain
        return Change(float("nan"), "", None, None)
    before, after = (np.array([run.dissimilarity.matrix[i, j] for i, j in pairs]) for run in (base, other))
    return change([f"{names[i]} – {names[j]}" for i, j in pairs], _normalised(before), _normalised(after))


def change(
    names: Sequence[str], before: Floats, after: Floats, intervals: Sequence[tuple[float, float] | None] = ()
) -> Change:
    """Return the largest change of some values (n,), how far their order is kept, and how many leave their interval."""
    outside = _outside(after, intervals) if intervals else None
    apart = np.abs(after - before)
    if not np.isfinite(apart).any():
        return Change(float("nan"), "", None, outside)
    most = int(np.nanargmax(apart))
    rank = None
    if len(names) >= FEWEST and np.ptp(before) > 0 and np.ptp(after) > 0:
        rank = float(stats.spearmanr(before, after).statistic)
    return Change(float(apart[most]), names[most], rank, outside)


def _outside(after: Floats, intervals: Sequence[tuple[float, float] | None]) -> tuple[int, int] | None:
    """Return how many values lie outside intervals, and how many values and intervals there are; None where none is."""
    bounded = [(value, ends) for value, ends in zip(after, intervals, strict=True) if ends and np.isfinite(value)]
    return (sum(not low <= value <= high for value, (low, high) in bounded), len(bounded)) if bounded else None


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
    places = list(dict.fromkeys(choice.place for choice in (*REDUCED, *TRAINED)))
    for place in only:
        if place not in places:
            raise InputError(f"{place!r} is no choice{did_you_mean(place, places)}; choices are {', '.join(places)}")
    base, c = FinishedRun(run), run.configuration
    headlines = _by_agent(base, "headline")
    values = {name: estimate.value for name, estimate in headlines.items()}
    intervals = {name: estimate.interval for name, estimate in headlines.items()}
    tried = (*_reduced(base, raw, only, say), *_trained(base, raw, only))
    return Sensitivity(c.name, base.space.dimensions, tuple(values), values, intervals, c.quotient.confidence, tried)


def _as_it_stands(raw: Mapping[str, Any], origin: str) -> tuple[SuiteRun, dict[str, Any]]:
    """Return a run and its configuration with the numbers to which rounds have grown it, and without rounds.

    Else a choice would also undo the rounds: variants have a results folder of their own, where there are none.
    """
    run: SuiteRun = Run.of(raw, "aiq", origin)
    start: SuiteRun = Run.of({**raw, "precision": None}, "aiq", origin)
    grown = growth.applied(raw, start.configuration, growth.numbers(run.configuration))
    grown.pop("precision", None)
    return Run.of(grown, "aiq", origin), grown


def _asked(base: FinishedRun, among: Sequence[Choice], only: Sequence[str]) -> Iterator[tuple[Choice, Any, Any]]:
    """Yield the choices that are asked for with a value, and the fields of ``Tried`` that name both."""
    c = base.run.configuration
    asked = [choice for choice in among if not only or choice.place in only]
    for choice, value in others(c, base.space.dimensions, asked):
        usually = spelled(usual(c, choice))
        yield choice, value, {"choice": choice.place, "value": spelled(value), "usual": usually}


def _reduced(base: FinishedRun, raw: Mapping[str, Any], only: Sequence[str], say: Say) -> Iterator[Tried]:
    run = base.run
    for choice, value, named in _asked(base, REDUCED, only):
        say(f"{choice.place} = {value}")
        try:
            other: SuiteRun = Run.of(changed(raw, run.configuration, choice, value), "aiq", CHANGED)
            if (cost := hours(run, other)) > 0:
                yield Tried(**named, kind="untrained", core_hours=cost)
                continue
            changes = moved(base, reduced(run, other))
        except AiqError as error:
            yield Tried(**named, kind="refused", reason=str(error))
            continue
        yield Tried(**named, kind="reduced", **changes)


def _trained(base: FinishedRun, raw: Mapping[str, Any], only: Sequence[str]) -> Iterator[Tried]:
    run = base.run
    for choice, value, named in _asked(base, TRAINED, only):
        try:
            other: SuiteRun = Run.of(variant(raw, run, choice, value), "aiq", CHANGED)
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
    c, ending = run.configuration, slug(choice, value)
    names = {"name": f"{c.name}-{ending}", "results": f"{c.results.rstrip('/')}-{ending}"}
    return changed(raw, c, choice, value) | names


def write_variants(raw: Mapping[str, Any], origin: str, only: Sequence[str]) -> list[str]:
    """Write a configuration for each value of some choices that need trainings, and return the files.

    Raises:
        InputError: a key is no such choice.
        ConfigurationError: a value does not fit the suite.
    """
    run, raw = _as_it_stands(raw, origin)
    choices = {choice.place: choice for choice in TRAINED}
    paths = []
    for place in only:
        if place not in choices:
            raise InputError(
                f"{place!r} needs no training, or is no choice{did_you_mean(place, choices)}; those that need one are "
                f"{', '.join(choices)}"
            )
    for choice, value in others(run.configuration, 1, [choices[place] for place in only]):
        configuration = variant(raw, run, choice, value)
        Run.of(configuration, "aiq", CHANGED)
        path = Path(run.layout.path("sensitivity", f"{slug(choice, value)}.yaml"))
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(yaml.safe_dump(configuration, sort_keys=False), encoding="utf-8")
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
    core_hours: dict[str, float] = {}
    for key, (work, count) in _trainings(other).items():
        more = max(0, count - have[key][1] if key in have else count)
        core_hours[key[0]] = core_hours.get(key[0], 0.0) + float(work.seconds) * more / 3600
    return core_hours


def _trainings(run: SuiteRun) -> dict[tuple[str, ...], tuple[Work, int]]:
    """Return kind, names and fingerprint of all units -> what one costs and how many there are."""
    c, plan, costs = run.configuration, run.plan, of_trainings(run)
    trainings: dict[tuple[str, ...], tuple[Work, int]] = {}
    for name in c.domains:
        trainings["trials", name, str(plan.trials(name))] = (costs.chunk(name), c.pool.chunks)
        for agent in c.agents.networks:
            key = ("agents", name, agent.name, str(plan.agent(name, agent.name)))
            trainings[key] = (costs.agent(name, agent.name), c.agents.repetitions)
    for a, b in plan.mixed:
        trainings["mixtures", a, b, str(plan.mixture(a, b))] = (costs.pair(a, b), c.dissimilarity.chunks)
    for job in plan.ends.jobs:
        for part, _ in job.units:
            key = ("alone", job.domain, part, str(plan.ends.part(job.domain, part)))
            work, count = trainings.get(key, (costs.alone(job.domain, part), 0))
            trainings[key] = (work, count + 1)
    return trainings
