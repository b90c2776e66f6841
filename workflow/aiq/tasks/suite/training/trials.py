"""Train the pool, and the agents to be scored, on a domain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq import seeding
from aiq.plans.run import SuiteRun as Run
from aiq.policies import pool
from aiq.records.trial import LOST, Policy, Trial
from aiq.storage import shards
from aiq.storage.trials import pack_trials
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper
from aiq.tasks.shell.units import take_over as take_over
from aiq.tasks.suite.training.interface import pool_interface
from aiq.tasks.suite.training.learners import LearnerPool
from aiq.tasks.suite.training.trainers import in_turns, on_domain, together
from aiq.training.turns import Turns


def train_trials(
    run: Run,
    domain: str,
    first: int,
    last: int,
    source: str | Path,
    target: str | Path,
    keeper: Keeper = FORGETFUL,
) -> None:
    """Train chunks ``first`` to ``last`` of the pool on one domain."""
    c, fingerprint = run.configuration, run.plan.trials(domain)
    interface = pool_interface(run)
    own = LearnerPool(run, domain, source) if c.pool.learners is not None else None
    learn = on_domain(run, domain, source, interface)
    wanted = fingerprint if interface is None else run.plan.trials_unit(domain, interface.ground)
    chunks = {f"chunk-{chunk:06d}": chunk for chunk in range(first, last + 1)}

    def train(name: str) -> Turns[shards.Unit]:
        """Train one chunk, with a batch order of its own."""
        if own is not None:
            yield 0  # learners of a person's own hold nothing that is known
            return shards.Unit(wanted, pack_trials(own.chunk(chunks[name])))
        policies = pool.chunk(c.pool, c.seed, domain, chunks[name])
        order = seeding.integer(c.seed, "order", domain, chunks[name])
        trials = yield from in_turns(learn, policies, c.training, order, keeper.memory(name, wanted))
        _log_failures(domain, name, trials)
        return shards.Unit(wanted, pack_trials(trials))

    keeper.reads({domain: source})
    units = take_over(target, "trials", dict.fromkeys(chunks, wanted), train, keeper, together(run))
    shards.write(target, "trials", fingerprint, c.seed, units)


def train_agents(
    run: Run, domain: str, block: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train some agents on one domain, every repetition by itself."""
    c = run.configuration
    job = run.plan.agent_job(domain, block)
    learn = on_domain(run, domain, source)
    keys = {f"{name}+{r:06d}": (name, r) for name in job.agents for r in range(c.agents.repetitions)}

    def train(unit: str) -> Turns[shards.Unit]:
        """Train one repetition of one agent."""
        name, repetition = keys[unit]
        key = ("agent", domain, name, repetition)
        policy = Policy(pool.from_network(run.plan.network(name)), seeding.integer(c.seed, *key, "weights"))
        order = seeding.integer(c.seed, *key, "order")
        trials = yield from in_turns(learn, [policy], c.agent_training, order, keeper.memory(unit, wanted[unit]))
        _log_failures(domain, unit, trials)
        return shards.Unit(wanted[unit], pack_trials(trials))

    wanted = {unit: run.plan.agent(domain, name) for unit, (name, _) in keys.items()}
    keeper.reads({domain: source})
    units = take_over(target, "agents", wanted, train, keeper, together(run))
    shards.write(target, "agents", run.plan.of_agent_job(job), c.seed, units)


def _log_failures(domain: str, unit: str, trials: Sequence[Trial]) -> None:
    """Say how many trials have no performance."""
    for status in LOST:
        lost = sum(trial.status == status for trial in trials)
        if lost:
            LOGGER.warning("%s %s: %d of %d trials %s", domain, unit, lost, len(trials), status)
