"""Train on mixtures of two domains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq.plans.cuts import parted
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite import unit_name
from aiq.records.trial import LOST, Status
from aiq.storage import shards
from aiq.storage.trials import pack_mixtures
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.tasks.suite.training.crowd import in_turns, together
from aiq.tasks.suite.training.interface import read_interface
from aiq.tasks.suite.training.trainers import on_pairs
from aiq.training.turns import Turns


def train_mixture_block(
    run: Run,
    group: str,
    block: str,
    sources: Sequence[str | Path],
    target: str | Path,
    keeper: Keeper = FORGETFUL,
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
        """Train one chunk of repetitions of one pair, at all proportions."""
        a, b, chunk = keys[unit]
        first = chunk * settings.repetitions_per_chunk
        repetitions = range(first, first + settings.repetitions_per_chunk)
        results = yield from in_turns(learn, a, b, repetitions, keeper.memory(unit, wanted[unit]))
        warn_of_lost(unit, [result.status for result in results])
        return shards.Unit(wanted[unit], pack_mixtures(results))

    common = None if interface is None else interface.words
    wanted = {unit: plan.mixture_unit(a, b, common) for unit, (a, b, _) in keys.items()}
    keeper.reads(places, lambda unit: [parted(name)[0] for name in keys[unit][:2]])
    units = take_over(target, "mixtures", wanted, train, keeper, together(run))
    shards.write(target, "mixtures", plan.of_mixture_job(job), c.seed, units)


def warn_of_lost(unit: str, found: Sequence[Status]) -> None:
    """Say how many trainings of a unit gave nothing."""
    for status in LOST:
        lost = sum(one == status for one in found)
        if lost:
            LOGGER.warning("%s: %d of %d trainings %s", unit, lost, len(found), status)
