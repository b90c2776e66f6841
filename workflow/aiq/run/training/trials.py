"""Train the pool and the agents on a domain, and networks on mixtures of two domains and on one domain alone.

Pools of learners made elsewhere are trained here too; what goes wrong with one of them stops nobody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from aiq import seeding, storage
from aiq.errors import AiqError
from aiq.plans.layout import parted, unit_name
from aiq.plans.run import SuiteRun as Run
from aiq.policies import learners, networks
from aiq.records.trial import LOST, AloneResult, MixtureResult, Policy, Trial
from aiq.run.job import FORGETFUL, LOGGER, Keeper, take_over
from aiq.run.training.domains import read_interface
from aiq.run.training.trainers import in_turns, labelled_training, on_alone, on_domain, on_pairs, together
from aiq.storage import shards
from aiq.storage.shards import pack_alone, pack_mixtures, pack_trials, unpack_alone
from aiq.training.data import LabelledData
from aiq.training.device import Turns
from aiq.training.learners import compressed, learn


def train_trials(
    run: Run, domain: str, first: int, last: int, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train chunks ``first`` to ``last`` of the pool on one domain."""
    c, fingerprint = run.configuration, run.plan.trials(domain)
    interface = read_interface(run, pool=True)
    own = LearnerPool(run, domain, source) if c.pool.learners is not None else None
    learn = on_domain(run, domain, source, interface)
    wanted = fingerprint if interface is None else run.plan.trials_unit(domain, interface.ground)
    chunks = {f"chunk-{chunk:06d}": chunk for chunk in range(first, last + 1)}

    def train(name: str) -> Turns[shards.Unit]:
        if own is not None:
            yield 0  # learners of a person's own hold nothing that is known
            return shards.Unit(wanted, pack_trials(own.chunk(chunks[name])))
        policies = networks.chunk(c.pool, c.seed, domain, chunks[name])
        order = seeding.integer(c.seed, "order", domain, chunks[name])
        trials = yield from in_turns(learn, policies, c.training, order, keeper.memory(name, wanted))
        warn_of_lost(f"{domain} {name}", trials, "trials")
        return shards.Unit(wanted, pack_trials(trials))

    keeper.reads({domain: source})
    units = take_over(target, "trials", dict.fromkeys(chunks, wanted), train, keeper, together(run))
    shards.write(target, "trials", fingerprint, c.seed, units)


class LearnerPool:
    """The pool of learners of a suite on one domain."""

    def __init__(self, run: Run, domain: str, source: str | Path) -> None:
        self._run, self._domain = run, domain
        read = storage.read_domain(source, run.plan.domain(domain))
        self._data = LabelledData.of(read)

    def chunk(self, number: int) -> list[Trial]:
        """Return the trials of one chunk; a learner that fails is a trial too."""
        c = self._run.configuration
        return [self._trial(*pair) for pair in learners.chunk(c.pool, c.seed, self._domain, number)]

    def _trial(self, policy: Policy, member: learners.Member) -> Trial:
        c = self._run.configuration
        options = {"seed": policy.seed, "device": c.device, "threads": c.threads}
        settings = labelled_training(c.training)
        lesson = learn(member.name, member.factory, member.arguments, self._data, settings, **options)
        size, reason = 1, lesson.reason
        if not reason:
            try:
                size = learners.size_of(member, lesson.learner)
            except AiqError as error:
                reason = f"learner {member.name} on {self._domain}: {error}"
        failed = bool(reason)
        if failed:
            LOGGER.warning("%s", reason)
        return Trial(
            policy=policy,
            performance=float("nan") if failed else lesson.performance,
            parameters=size,
            compressed=0 if failed else compressed(lesson.learner),
            epochs=len(lesson.losses),
            seconds=lesson.seconds,
            status="failed" if failed and lesson.status != "diverged" else lesson.status,
            losses=lesson.losses,
            validation=lesson.validation,
            reason=reason,
        )


def train_agents(
    run: Run, domain: str, block: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train some agents on one domain, every repetition by itself."""
    c = run.configuration
    job = run.plan.agent_job(domain, block)
    learn = on_domain(run, domain, source)
    keys = {f"{name}+{r:06d}": (name, r) for name in job.agents for r in range(c.agents.repetitions)}

    def train(unit: str) -> Turns[shards.Unit]:
        name, repetition = keys[unit]
        key = ("agent", domain, name, repetition)
        policy = Policy(networks.from_network(run.plan.network(name)), seeding.integer(c.seed, *key, "weights"))
        order = seeding.integer(c.seed, *key, "order")
        trials = yield from in_turns(learn, [policy], c.agent_training, order, keeper.memory(unit, wanted[unit]))
        warn_of_lost(f"{domain} {unit}", trials, "trials")
        return shards.Unit(wanted[unit], pack_trials(trials))

    wanted = {unit: run.plan.agent(domain, name) for unit, (name, _) in keys.items()}
    keeper.reads({domain: source})
    units = take_over(target, "agents", wanted, train, keeper, together(run))
    shards.write(target, "agents", run.plan.of_agent_job(job), c.seed, units)


def train_mixture_block(
    run: Run, group: str, block: str, sources: Sequence[str | Path], target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train on the mixtures of one block of pairs; every domain is read once."""
    c, plan = run.configuration, run.plan
    settings = c.dissimilarity
    job = plan.mixture_job(group, block)
    interface = read_interface(run)
    places = dict(zip(job.domains, sources, strict=True))
    learn = on_pairs(run, places, interface)
    keys = {unit_name(a, b, k): (a, b, k) for a, b in job.pairs for k in range(job.chunks)}

    def train(unit: str) -> Turns[shards.Unit]:
        a, b, chunk = keys[unit]
        first = chunk * settings.repetitions_per_chunk
        repetitions = range(first, first + settings.repetitions_per_chunk)
        results = yield from in_turns(learn, a, b, repetitions, keeper.memory(unit, wanted[unit]))
        warn_of_lost(unit, results)
        return shards.Unit(wanted[unit], pack_mixtures(results))

    common = None if interface is None else interface.words
    wanted = {unit: plan.mixture_unit(a, b, common) for unit, (a, b, _) in keys.items()}
    keeper.reads(places, lambda unit: [parted(name)[0] for name in keys[unit][:2]])
    units = take_over(target, "mixtures", wanted, train, keeper, together(run))
    shards.write(target, "mixtures", plan.of_mixture_job(job), c.seed, units)


def warn_of_lost(unit: str, results: Sequence[Trial | MixtureResult | AloneResult], called: str = "trainings") -> None:
    """Say how many trainings of a unit gave nothing."""
    for status in LOST:
        lost = sum(result.status == status for result in results)
        if lost:
            LOGGER.warning("%s: %d of %d %s %s", unit, lost, len(results), called, status)


def train_alone_block(
    run: Run, domain: str, block: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Train some chunks of a domain's ends and controls; the domain is read once."""
    c, plan = run.configuration, run.plan
    job = plan.ends.job(domain, block)
    interface = read_interface(run)
    if interface is None:
        raise ValueError("a domain is trained alone only where ends are domains'")
    learn = on_alone(run, domain, source, interface)
    keys = {unit_name(domain, part, chunk): (part, chunk) for part, chunk in job.units}
    earlier = cache(partial(_earlier_controls, run, domain, target, interface.words))

    def train(unit: str) -> Turns[shards.Unit]:
        places = plan.ends.places(*keys[unit])
        trained_before = earlier() if keys[unit][0] == "controls" else {}
        results = {place: trained_before[place] for place in places if place in trained_before}
        if results:
            LOGGER.info("%s: %d of %d trainings taken over from other chunks", unit, len(results), len(places))
        missing = [place for place in places if place not in results]
        if missing:
            trained = yield from in_turns(learn, missing, keeper.memory(unit, wanted[unit]))
            warn_of_lost(unit, trained)
            results |= zip(missing, trained, strict=True)
        else:
            yield 0
        return shards.Unit(wanted[unit], pack_alone([results[place] for place in places]))

    wanted = {unit: plan.ends.unit(domain, part, interface.words) for unit, (part, _) in keys.items()}
    keeper.reads({domain: source})
    units = take_over(target, "alone", wanted, train, keeper, together(run))
    shards.write(target, "alone", plan.ends.of_job(job), c.seed, units)


def _earlier_controls(run: Run, domain: str, target: str | Path, words: object) -> dict[tuple[float, int], AloneResult]:
    """Return the controls of a domain in other shards of its folder, in chunks of whatever number of repetitions.

    A suite that reaches so many domains that it trains fewer controls cuts them into smaller chunks. A training does
    not hang on what trains beside it, so those in the larger chunks are good. ``words``: the interface, as it stands
    in the fingerprints of units.
    """
    controls: dict[tuple[float, int], AloneResult] = {}
    for _, unit in shards.beside(target, "alone", unit_name(domain, "controls", 0)[:-6]):
        results = unpack_alone(unit.tree)
        each = len({result.repetition for result in results})
        if unit.fingerprint == run.plan.ends.unit(domain, "controls", words, each):
            controls |= {(result.proportion, result.repetition): result for result in results}
    used, there = run.configuration.control_repetitions, len({repetition for _, repetition in controls})
    if there > used:
        LOGGER.info(
            "%s: %d repetitions of its controls are there, of which this suite uses %d; "
            "dissimilarity.control_repetitions: %d would use all", domain, there, used, there,
        )  # fmt: skip
    return controls
