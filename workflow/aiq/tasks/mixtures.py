"""Train on mixtures of two domains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq import storage
from aiq.policies import pool
from aiq.storage import shards
from aiq.storage.trials import pack_mixtures
from aiq.tasks.job import LOGGER, Run
from aiq.tasks.taking_over import FORGETFUL, Keeper, take_over
from aiq.tasks.units import unit_name
from aiq.training.data import mixed
from aiq.training.mixtures import train_mixtures


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
    domains = {
        name: storage.read_domain(source, plan.domain(name)) for name, source in zip(job.domains, sources, strict=True)
    }
    keys = {unit_name(a, b, k): (a, b, k) for a, b in job.pairs for k in range(job.chunks)}

    def train(unit: str) -> shards.Unit:
        """Train one chunk of repetitions of one pair, at all proportions."""
        a, b, chunk = keys[unit]
        first = chunk * settings.repetitions_per_chunk
        results = train_mixtures(
            mixed(domains[a], domains[b], outputs=c.pool.outputs),
            pool.from_network(settings.network),
            settings.training,
            proportions=settings.points,
            repetitions=range(first, first + settings.repetitions_per_chunk),
            samples=settings.samples,
            seed=c.seed,
            device=c.device,
            threads=c.threads,
            memory=keeper.memory(unit, wanted[unit]),
        )
        diverged = sum(result.status == "diverged" for result in results)
        if diverged:
            LOGGER.warning("%s: %d of %d trainings diverged", unit, diverged, len(results))
        return shards.Unit(wanted[unit], pack_mixtures(results))

    wanted = {unit: plan.mixture(a, b) for unit, (a, b, _) in keys.items()}
    units = take_over(target, "mixtures", wanted, train, keeper)
    shards.write(target, "mixtures", plan.of_mixture_job(job), c.seed, units)
