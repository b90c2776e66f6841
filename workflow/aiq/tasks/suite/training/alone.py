"""Train on one domain alone: the ends of its mixtures, and its controls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq.config.measures import Dissimilarity
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite import unit_name
from aiq.storage import shards
from aiq.storage.trials import pack_alone
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.tasks.suite.training.crowd import in_turns, together
from aiq.tasks.suite.training.interface import read_interface
from aiq.tasks.suite.training.mixtures import warn_of_lost
from aiq.tasks.suite.training.trainers import on_alone
from aiq.training.turns import Turns


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

    def train(unit: str) -> Turns[shards.Unit]:
        """Train one chunk."""
        places = chunk_places(c.dissimilarity, *keys[unit])
        results = yield from in_turns(learn, places, keeper.memory(unit, wanted[unit]))
        warn_of_lost(unit, [result.status for result in results])
        return shards.Unit(wanted[unit], pack_alone(results))

    wanted = {unit: plan.ends.unit(domain, part, interface.words) for unit, (part, _) in keys.items()}
    keeper.reads({domain: source})
    units = take_over(target, "alone", wanted, train, keeper, together(run))
    shards.write(target, "alone", plan.ends.of_job(job), c.seed, units)


def chunk_places(settings: Dissimilarity, part: str, chunk: int) -> Sequence[tuple[float, int]]:
    """Return proportion and repetition of every training of a chunk of ``ends`` or ``controls``."""
    shares, each = (settings.shares, settings.repetitions_per_chunk) if part == "controls" else ((1.0,), 0)
    each = each or settings.ends_together
    return [(share, r) for share in shares for r in range(chunk * each, (chunk + 1) * each)]
