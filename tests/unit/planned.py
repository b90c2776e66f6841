"""Plans of small suites, their units and what differs between two of them."""

import copy
import itertools
from collections.abc import Mapping
from pathlib import Path

import yaml
from hypothesis import settings
from hypothesis import strategies as st

from aiq.config import parse
from aiq.plans.suite import SuitePlan

QUICK = settings(max_examples=25, deadline=None)
BASE = yaml.safe_load((Path(__file__).parents[2] / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
AGENTS = [{"name": f"net-{k}", "layers": 1 + k % 3, "width": 2 + k} for k in range(9)]

name = st.text("abcXYZ019_.-", min_size=1, max_size=5).filter(lambda text: text[0].isalnum())
names = st.lists(name, min_size=1, max_size=6, unique_by=str.lower)


jobs = st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4))


def raw(
    domains, *, chunks=6, repetitions=4, agents=3, agent_repetitions=2, jobs=(1, 1, 10), pool="domain", **dissimilarity
) -> dict:
    """A configuration of some domains, each with parameters of its own."""
    made = copy.deepcopy(BASE)
    made["domains"] = {d: {"source": "sklearn", "name": "digits", "limit": 10 + len(d) + ord(d[0])} for d in domains}
    made["pool"] |= {"size": 4 * chunks, "policies_per_chunk": 4, "interface": pool}
    made["dissimilarity"] |= {"repetitions": repetitions, "repetitions_per_chunk": 2, **dissimilarity}
    made["agents"] = {"networks": AGENTS[:agents], "repetitions": agent_repetitions}
    made["jobs"] = dict(zip(("chunks_per_job", "mixtures_per_job", "agents_per_job"), jobs, strict=True))
    return made


def plan(*args, **how) -> SuitePlan:
    return SuitePlan(parse(raw(*args, **how)))


COMMON = [[64], None, 10, 10]  # an interface in plain form
NINE = tuple(k / 10 for k in range(1, 10))


def units(made: SuitePlan, common: object = COMMON) -> dict[tuple, str]:
    """Every unit with its fingerprint; where ends are domains', under one interface."""
    found: dict[tuple, str] = {}
    for domain in made.configuration.domains:
        found["domain", domain] = made.domain(domain)
        for job in made.trial_jobs(domain):
            for chunk in job.chunks:
                assert ("trials", domain, chunk) not in found
                found["trials", domain, chunk] = made.trials_unit(domain, common[:3] if made.ends.pooled else None)
    for job in made.mixture_jobs:
        for (a, b), chunk in itertools.product(job.pairs, range(job.chunks)):
            assert ("mixtures", a, b, chunk) not in found
            found["mixtures", a, b, chunk] = made.mixture_unit(a, b, common if made.ends.shared else None)
    for job in made.ends.jobs:
        for part, chunk in job.units:
            assert ("alone", job.domain, part, chunk) not in found
            found["alone", job.domain, part, chunk] = made.ends.unit(job.domain, part, common)
    for job in made.agent_jobs:
        for agent, repetition in itertools.product(job.agents, range(made.configuration.agents.repetitions)):
            assert ("agents", job.domain, agent, repetition) not in found
            found["agents", job.domain, agent, repetition] = made.agent(job.domain, agent)
    return found


def shards(made: SuitePlan) -> dict[str, tuple[str, str]]:
    return made.shards()


def contains(larger: Mapping, smaller: Mapping) -> bool:
    return smaller.items() <= larger.items()


def results(made: SuitePlan) -> dict[tuple, str]:
    found = {
        (kind, d): getattr(made, kind)(d) for kind in ("complexity", "entropy") for d in made.configuration.domains
    }
    return {
        **found,
        **{(kind,): getattr(made, kind)() for kind in ("dissimilarity", "space", "scores", "known_baselines")},
    }


def redone(one: SuitePlan, other: SuitePlan) -> set[tuple]:
    """Units and results of which the fingerprint differs."""
    before, after = units(one) | results(one), units(other) | results(other)
    assert set(before) == set(after)
    return {key for key in before if before[key] != after[key]}


def every(made: SuitePlan, *kinds: str) -> set[tuple]:
    return {key for key in units(made) | results(made) if key[0] in kinds}
