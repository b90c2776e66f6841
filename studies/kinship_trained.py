"""What the study of kinship trains, by the pipeline as a run does it; an interrupted suite goes on shard by shard."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aiq.domains.base import LabelledDomain
from aiq.measures import complexity
from aiq.measures.similarity import normalised as implied_similarity
from aiq.plans.layout import MixtureJob
from aiq.plans.run import SuiteRun
from aiq.run.reducing.complexity import DomainComplexity, read_trials, reduce_complexity
from aiq.run.reducing.measuring import Cost, Departures, Measuring, read_alone, read_curves, relatives
from aiq.run.training import trials
from aiq.run.training.domains import measure_interface, prepare_domain
from aiq.storage import read_result
from studies.cells import KEPT, Row
from studies.kinship_tests import SEED

DQN = {
    "algorithm": "dqn", "steps": 2000, "discount": 0.9, "learning_starts": 32, "replay": 2000,
    "optimizer": {"name": "adam", "learning_rate": 0.002},
    "exploration": {"rule": "epsilon_greedy", "start": 1.0, "end": 0.05, "fraction": 0.5},
    "evaluation": {"every": 500, "episodes": 5, "final_episodes": 20},
}  # fmt: skip
"""As in config/everything.yaml."""


CONTROL = {"cartpole", "bf", "anytime_cups", "anytime_automaton", "anytime_grid", "gymnasium", "gym2020"}


@dataclass(frozen=True, slots=True)
class Budget:
    """What trains: width and kind of the network, samples of a mixture, epochs, repetitions, twins, proportions."""

    width: int = 48
    samples: int = 300
    epochs: int = 12
    repetitions: int = 4
    twins: int = 2
    proportions: int = 11
    family: str = "dense"


Tests = Mapping[str, LabelledDomain] | Mapping[str, dict[str, Any]]


def departures(tests: Tests, budget: Budget, against: str | None = None) -> list[Row]:
    """Return the relative dissimilarities of some tests, and all departures by repetition behind them.

    Args:
        tests: labelled domains, or settings of played ones.
        budget: of the trainings.
        against: the one test whose pairs are measured; None: all pairs.

    Returns:
        Rows with ``rho`` for pairs of tests, rows with ``by`` (repetition) for these and for pairs with twins.
    """
    run = SuiteRun.of(_raw(tests, budget, against))
    measuring, cost = trained(run, run.plan.mixture_jobs)
    found = Departures(run, measuring)
    rows: list[Row] = [{"trainings": cost.trainings, "seconds": cost.seconds}]
    rows += [{"a": a, "b": b, "by": found.of((a, b)).tolist()} for a, b in run.plan.mixed]
    for pair in relatives(run, measuring):
        value, low, high = pair.relative.estimate.cells()
        rows.append({"a": pair.a, "b": pair.b, "rho": value, "low": low, "high": high,
                     "se": None if pair.relative.error is None else pair.relative.error.se,
                     "against_twins": pair.relative.against_twins, "spread": pair.relative.spread,
                     "departure": float(np.mean(found.of((pair.a, pair.b)))),
                     "undefined": pair.relative.undefined})  # fmt: skip
    return rows


def trained(run: SuiteRun, jobs: Sequence[MixtureJob]) -> tuple[Measuring, Cost]:
    """Train some mixtures of a suite and all ends; what is there is read."""
    plan, layout = run.plan, run.layout
    prepared = {name: layout.domain(name) for name in run.configuration.domains}
    for name, path in prepared.items():
        _unless(path, lambda name=name, path=path: prepare_domain(run, name, path))
    _unless(layout.interface, lambda: measure_interface(run, list(prepared.values()), layout.interface))
    for end in plan.ends.jobs:
        told = (run, end.domain, end.block, prepared[end.domain], layout.alone_job(end))
        _unless(layout.alone_job(end), lambda told=told: trials.train_alone_block(*told))
    for job in jobs:
        sources = [prepared[name] for name in job.domains]
        given = (run, job.group, job.block, sources, layout.mixture_job(job))
        _unless(layout.mixture_job(job), lambda given=given: trials.train_mixture_block(*given))
    cost = Cost()
    curves = read_curves(run, [layout.mixture_job(job) for job in jobs], cost)
    ends = read_alone(run, [layout.alone_job(job) for job in plan.ends.jobs], cost)
    return Measuring(run, curves, ends), cost


def strangers(tests: Tests, budget: Budget) -> list[Row]:
    """Return for every test why its own twins are no strangers to it (empty where they are): no pair is trained."""
    rows = []
    for name, test in tests.items():
        run = SuiteRun.of(_raw({name: test}, budget, None))  # type: ignore[dict-item]
        found = Departures(run, trained(run, run.plan.mixture_jobs)[0])
        numbers = range(1, budget.twins + 1)
        departure = float(np.mean([found.of((name, f"{name}~{k}")) for k in numbers]))
        rows.append({"test": name, "undefined": found.kin(name, numbers), "departure": departure})
    return rows


def parts(tests: Tests, budget: Budget) -> list[Row]:
    """Return what the areas of all pairs are made of by the rule of the paper: labels of other data sets kept apart."""
    raw = _raw(tests, replace(budget, twins=0), None)
    raw["results"] += "-parts"
    raw["dissimilarity"] |= {"labels": "apart", "controls": True}
    run = SuiteRun.of(raw)
    measuring, _ = trained(run, run.plan.mixture_jobs)
    rows: list[Row] = []
    for a, b in run.plan.pairs:
        if a == b:
            continue
        measured = measuring.measure((a, b))
        known = {name: getattr(measured.parts, name).estimate.value for name in ("starvation", "confusion", "transfer")}
        half = np.interp(0.5, run.configuration.dissimilarity.points, measuring.whole((a, b)).mean(axis=0))
        ends = [float(measuring.ends_of(name).mean()) for name in (a, b)]
        rows.append({"a": a, "b": b, "signed": measured.signed.value, **known,
                     "similarity": float(implied_similarity(*ends, half))})  # fmt: skip
    return rows


def hardness(settings: Mapping[str, dict[str, Any]], family: str = "dense", size: int = 64) -> list[Row]:
    """Return relative excess of a pool on some domains with its error, and what each policy reached.

    Args:
        settings: of domains, all labelled or all played.
        family: of the pool's networks.
        size: of the pool.
    """
    raw = _raw(settings, Budget(family=family, twins=0), None)
    pool = {"size": size, "policies_per_chunk": 4, "family": family}
    if family == "convolutional":
        pool |= {"layers": [1, 2], "width": [1, 8], "dense_nodes": 16}
    run = SuiteRun.of({**raw, "pool": pool})
    plan, layout = run.plan, run.layout
    rows: list[Row] = []
    for name in settings:
        _unless(layout.domain(name), lambda name=name: prepare_domain(run, name, layout.domain(name)))
        jobs = plan.trial_jobs(name)
        for job in jobs:
            told = (run, name, job.first, job.last, layout.domain(name), layout.trial_job(job))
            _unless(layout.trial_job(job), lambda told=told: trials.train_trials(*told))
        reduce_complexity(run, name, [layout.trial_job(job) for job in jobs], layout.complexity(name))
        at_k = read_result(layout.complexity(name), "complexity", DomainComplexity).complexity.best_of_k
        if at_k is None:
            raise ValueError(f"a pool of {size} policies has no relative excess")
        error = complexity.standard_error(at_k, "relative_excess")
        found, _ = read_trials([layout.trial_job(job) for job in jobs], plan.trials(name))
        rows.append({"test": name, "excess": at_k.relative_excess.value, "se": None if error is None else error.se,
                     "reached": [trial.performance for trial in found]})  # fmt: skip
    return rows


def _unless(path: str | Path, make: Callable[[], object]) -> None:
    """Make a file that is not there."""
    if not Path(path).exists():
        make()


def _raw(tests: Tests, budget: Budget, against: str | None) -> dict[str, Any]:
    """Return the configuration of the tests' dissimilarities; arrays are written as archives."""
    told = hashlib.sha256(json.dumps([sorted(tests), repr(budget), against, repr(tests)]).encode()).hexdigest()[:10]
    folder = KEPT / "kinship" / told
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, Any] = {}
    for name, test in tests.items():
        if isinstance(test, dict):
            made[name] = test
            continue
        path = folder / f"{name}.npz"
        np.savez(path, x_train=test.train_x, y_train=test.train_y, x_test=test.test_x, y_test=test.test_y)
        made[name] = {"source": "npz", "path": str(path), "labels": test.label_space}
    return {"name": "kinship", "seed": SEED, "results": str(folder / "results"), "domains": made,
            "pool": {"size": 8, "policies_per_chunk": 8}, "data_root": os.environ.get("AIQ_DATA_ROOT"),
            **_trained(budget, made, against)}  # fmt: skip


def _trained(budget: Budget, made: Mapping[str, Any], against: str | None) -> dict[str, Any]:
    """Return how pools and mixtures are trained."""
    network: dict[str, Any] = {"layers": 2, "width": budget.width}
    if budget.family == "convolutional":
        network = {"family": "convolutional", "layers": 1, "width": 8, "dense_nodes": 32}
    training: dict[str, Any] = {
        "epochs": budget.epochs, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.003},
    }  # fmt: skip
    each = budget.repetitions
    settings: dict[str, Any] = {
        "twins": budget.twins, "controls": False, "resamples": 2, "proportions": budget.proportions,
        "repetitions": each, "repetitions_per_chunk": each, "end_repetitions": 3 * each,
        "end_repetitions_per_chunk": 3 * each, "network": network,
        "landmarks": None if against is None else {"names": [against]},
    }  # fmt: skip
    sources = {one["source"] for one in made.values()}
    if sources & CONTROL:
        return {"training": DQN, "dissimilarity": {**settings, "training": DQN}}
    labels = {"labels": "shared", "samples": budget.samples}
    return {"training": training, "dissimilarity": {**settings, **labels, "training": training}}
