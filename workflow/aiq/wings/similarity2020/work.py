"""Train on tests alone and merged: by labels, by reward, or as the public program did; what a run will cost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from aiq import domains, seeding, storage
from aiq.config.base import BUILT_IN
from aiq.domains.control import ControlDomain
from aiq.domains.control.answered import Answered
from aiq.domains.control.settings import CartPole
from aiq.errors import InputError
from aiq.plans.base import Job
from aiq.plans.cost import START, sizes
from aiq.policies import networks
from aiq.run.costing import JOB_BYTES, Cost, Report, Request, StageCost, cost_of, process_start, shard_bytes, timed
from aiq.run.expected import PACKED, READING, UNIT_BYTES, read_sheet
from aiq.run.job import FORGETFUL, LOGGER
from aiq.run.training.domains import prepare_domain, prepared
from aiq.storage.records import pack
from aiq.training import reinforcement
from aiq.training.checkpoints import Memory
from aiq.training.data import control_interface
from aiq.wings.similarity2020 import plan as plans
from aiq.wings.similarity2020.plan import Merged, MergedJob
from aiq.wings.similarity2020.reduction import MergedRuns, PoolRuns, Run
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, PublishedAgent, Similarities

Train = Callable[[Merged, Sequence[int], Memory | None], MergedRuns]
"""What is trained, numbers of repetitions, and where the training is kept -> their record."""


def by_acting(run: Run, agent: DeepQAgent, sources: Mapping[str, str | Path]) -> Train:
    """Train one deep Q-network a repetition on episodes of one test, or of two, drawn at every reset."""
    c, network = run.configuration, networks.from_network(agent.network)
    worlds: dict[str, ControlDomain] = {name: prepared(run, name, path) for name, path in sources.items()}
    how: dict[str, Any] = {"seed": c.seed, "device": c.device, "threads": c.threads}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        runs: Sequence[Any]
        if what.kind == "alone":
            world, places = worlds[what.a], [(1.0, r) for r in repetitions]
            ground = control_interface([world])
            runs = reinforcement.train_alone(
                world, network, agent.training, places=places, interface=ground, memory=memory, **how
            )
            values = [(run.performance, run.performance) for run in runs]
        else:
            runs = reinforcement.train_mixtures(
                worlds[what.a], worlds[what.b], network, agent.training,
                proportions=[what.at], repetitions=repetitions, memory=memory, **how,
            )  # fmt: skip
            values = [(run.first, run.second) for run in runs]
        first, second = np.array(values, np.float64).reshape(-1, 2).T
        return MergedRuns(*astuple(what), runs[0].parameters, first, second, float(sum(run.seconds for run in runs)))

    return train


def by_pools(run: Run, agent: DeepQPool, sources: Mapping[str, str | Path]) -> Train:
    """Train a pool of deep Q-networks a repetition; the one that did best in training is measured.

    Repetition r has networks of its own, r * size to (r + 1) * size - 1 of the configuration's pool, and the same ones
    on every test: sizes are common to V_A, V_B and V_AB of a repetition, initial weights and episodes are not.
    """
    c, size, drawn = run.configuration, agent.pool.size, agent.pool.drawn()
    worlds: dict[str, ControlDomain] = {name: prepared(run, name, path) for name, path in sources.items()}

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        numbers = [r * size + k for r in repetitions for k in range(size)]
        architectures = [networks.sample(drawn, c.seed, number) for number in numbers]
        trained = reinforcement.train_pool(
            [worlds[name] for name in what.tests], architectures, agent.training, share=what.at, numbers=numbers,
            seed=c.seed, device=c.device, threads=c.threads, memory=memory,
        )  # fmt: skip
        rows = [(m.score, m.performances[0], m.performances[-1], float(m.parameters)) for m in trained]
        tables = np.array(rows, np.float64).reshape(len(repetitions), size, 4)
        members = PoolRuns(*(tables[..., k] for k in range(4)))
        first, second = members.best(members.first), members.best(members.second)
        parameters = round(float(members.best(members.parameters).mean()))
        seconds = float(sum(m.seconds for m in trained))
        return MergedRuns(*astuple(what), parameters, first, second, seconds, members)

    return train


def prepare_test(run: Run, name: str, at: Job) -> None:
    """Prepare a test."""
    prepare_domain(run, name, at.makes[0])


def train_merged(run: Run, job: MergedJob, at: Job) -> Callable[[str], object]:
    """Return what trains one chunk of repetitions; every test is read once."""
    c, units, keeper = run.configuration, job.units, at.keeper or FORGETFUL
    size = c.jobs.repetitions_per_chunk
    places = dict(zip(job.domains, at.needs["tests"], strict=True))
    train = trainer(run, places)

    def make(name: str) -> object:
        merged, chunk = units[name]
        runs = train(merged, range(chunk * size, (chunk + 1) * size), keeper.memory(name, run.plan.unit(merged)))
        if runs.lost:
            LOGGER.warning("%s: %d of %d trainings were lost", name, runs.lost, size)
        return pack(runs)

    keeper.reads(places, lambda name: list(dict.fromkeys(units[name][0].tests)))
    return make


def trainer(run: Run, sources: Mapping[str, str | Path]) -> Train:
    """Return what trains on some prepared tests, by the kind of the agent."""
    agent = run.configuration.agent
    if isinstance(agent, BlockNetwork):
        return _by_labels(run, agent, sources)
    if isinstance(agent, DeepQAgent):
        return by_acting(run, agent, sources)
    if isinstance(agent, DeepQPool):
        return by_pools(run, agent, sources)
    return _as_published(run, agent)


def _by_labels(run: Run, agent: BlockNetwork, sources: Mapping[str, str | Path]) -> Train:
    from aiq.wings.similarity2020 import merging

    c = run.configuration
    data = {name: storage.read_domain(path, run.plan.domain(name)) for name, path in sources.items()}
    how = merging.Training(agent, c.samples, c.seed, c.device, c.threads)
    played = {
        name: merging.Played(
            domains.control_domain(name, CartPole(source="cartpole", steps=c.played[name].steps)),
            c.played[name].episodes,
        )
        for name in sources
        if name in c.played
    }

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        first, second = data[what.a], data[what.b]
        common: dict[str, Any] = {"repetitions": repetitions, "halvings": what.halvings}
        if what.kind == "alone":
            return merging.train_alone(first, how, played=played, **common)
        if what.kind == "stitched":
            return merging.train_stitched(first, second, how, **common)
        return merging.train_sampled(first, second, how, at=what.at, played=played, **common)

    return train


def _as_published(run: Run, agent: PublishedAgent) -> Train:
    """Simulate the public program's trainings: nothing is learned, so no network is needed."""
    from aiq.wings.similarity2020.gym_suite import Bank, by_settings

    c = run.configuration
    suite = {name: by_settings(name, c.domains[name]) for name in c.domains}
    surplus = {source.foreign_actions for source in c.domains.values()}
    if len(surplus) > 1:
        raise InputError(
            f"foreign_actions are {', '.join(sorted(surplus))}; the published recipe has one for all tests"
        )
    bank = Bank(agent, surplus.pop(), c.seed)

    def train(what: Merged, repetitions: Sequence[int], memory: Memory | None = None) -> MergedRuns:
        tests = [suite[name] for name in what.tests]
        words = [word for test in tests for word in (test.name, str(test.actions))]
        rng = seeding.generator(c.seed, "published", "trainings", *words, repetitions[0])
        values = bank.trained(tests, len(repetitions), rng)
        return MergedRuns(*astuple(what), 0, values, values, 0.0)

    return train


# ---- Costs: one pair, timed, or the cost model without any data ---------------------------------------


SAMPLES = 256  # of a timed training
STEPS = 400  # environment steps of one
EPOCHS = 5  # of a second timed training


def estimate(run: Run, progress: Report) -> Cost:
    """Time a shortened training of one pair, and take the others by the cost model.

    Raises:
        AiqError: the configuration is wrong, or a data set or an agent's file is missing or unreadable.
    """
    c, plan = run.configuration, run.plan
    start = process_start("aiq.wings.similarity2020.work")
    a, b = c.chosen_pairs[0]
    progress(f"timing {a} and {b}")
    units = {name: unit for job in plan.jobs for name, unit in job.units.items()}
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: str(Path(folder) / f"{name}.h5") for name in (a, b)}
        for name, path in sources.items():
            prepare_domain(Run(shortened(c), type(plan)(shortened(c)), plan.layout), name, path)
        record, once = _timed(run, shortened(c), sources)
        longer = shortened(c, EPOCHS) if isinstance(c.agent, BlockNetwork) else None
        more = None if longer is None else _timed(run, longer, sources)[1]
    whole, count = _modelled(c, units), len(units) * c.jobs.repetitions_per_chunk
    training = _whole(once, more, whole, count)
    size = shard_bytes("merged", [pack(record)], len(units), len(plan.jobs))
    jobs = len(plan.jobs)
    merged = StageCost("merged", jobs, count, training + jobs * start, training, size + jobs * JOB_BYTES)
    tests = StageCost("tests", len(c.domains), 0, len(c.domains) * start, 0.0, len(c.domains) * JOB_BYTES)
    return cost_of(run, start, (tests, merged), device=c.device, threads=c.threads)


def _timed(run: Run, short: Similarities, sources: dict[str, str]) -> tuple[Any, tuple[float, float]]:
    """Train the first pair as settings say; return its record and its seconds: those taken and those modelled."""
    quick = Run(short, type(run.plan)(short), run.plan.layout)
    train = trainer(quick, sources)
    what = next(m for m in quick.plan.merged(*run.configuration.chosen_pairs[0]))
    record = train(what, range(1), None)
    return record, (timed(lambda: train(what, range(1), None)), _modelled(short, {"timed": (what, 0)}))


def _whole(once: tuple[float, float], more: tuple[float, float] | None, modelled: float, count: int) -> float:
    """Return the seconds of all trainings; two of different length tell apart what each takes whatever its length."""
    if more is None or more[0] <= once[0]:
        return once[0] / once[1] * modelled
    each = (more[0] - once[0]) / (more[1] - once[1])
    return each * modelled + max(0.0, once[0] - each * once[1]) * count


def _modelled(configuration: Similarities, units: dict[str, tuple[Merged, int]]) -> float:
    """Return the seconds of some units by the cost model, without the job's start."""
    return max(1e-9, plans.cost_of(configuration, units).seconds - START)


def shortened(c: Similarities, epochs: int = 1) -> Similarities:
    """Return settings under which a training takes seconds."""
    jobs = c.jobs.model_copy(update={"repetitions_per_chunk": 1})
    short = c.model_copy(update={"jobs": jobs, "repetitions": 1, "played": {}})
    if isinstance(c.agent, BlockNetwork):
        fewest = min(sizes(c.domains[name]).train for name in c.chosen_pairs[0])
        samples = min(SAMPLES, c.samples or fewest, fewest)
        return short.model_copy(update={"samples": samples, "agent": c.agent.model_copy(update={"epochs": epochs})})
    if isinstance(c.agent, PublishedAgent):
        return short
    training = c.agent.training
    steps = max(training.learning_starts + 1, min(training.steps, STEPS))
    evaluation = training.evaluation.model_copy(update={"every": steps, "episodes": 1, "final_episodes": 1})
    more: dict[str, object] = {"training": training.model_copy(update={"steps": steps, "evaluation": evaluation})}
    if isinstance(c.agent, DeepQPool):
        more["pool"] = c.agent.pool.model_copy(update={"size": 1})
    return short.model_copy(update={"agent": c.agent.model_copy(update=more)})


def expected(run: Run, sheet: str | Path | None = None) -> Cost:
    """Return the cost of a run; no data are read; ``sheet``: sizes of tests (see ``run.costs.expected``)."""
    c, plan = run.configuration, run.plan
    asks_no_data = c.control and not any(isinstance(test, Answered) for test in c.domains.values())
    if sheet is None and asks_no_data:
        return estimate(run, lambda what: None)
    test_sizes = {name: sizes(settings) for name, settings in c.domains.items()}
    if sheet is not None:
        test_sizes |= read_sheet(sheet, test_sizes)
    start, count = BUILT_IN.start / 2, len(c.domains)
    held = sum(size.megabytes for size in test_sizes.values())
    stored = PACKED * 1e6 * held + count * JOB_BYTES
    tests = StageCost("tests", count, 0, count * start + READING * held, 0.0, stored)
    works = [plans.cost_of(c, job.units, test_sizes) for job in plan.jobs]
    trained = sum(work.seconds - START for work in works)
    units = sum(len(job.units) for job in plan.jobs)
    merged = StageCost(
        "merged", len(works), units * c.jobs.repetitions_per_chunk, trained + len(works) * start, trained,
        units * UNIT_BYTES + len(works) * JOB_BYTES,
    )  # fmt: skip
    return cost_of(
        run, start, (tests, merged), device=c.device, asked=Request.of(plan.requests(test_sizes)), threads=c.threads,
        assumed=tuple(name for name, size in test_sizes.items() if not size.certain), modelled=True,
    )  # fmt: skip
