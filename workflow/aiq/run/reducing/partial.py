"""Reduce what is there of a suite that is not finished; every product says that it is partial.

The plan of a part of a suite: the domains of which everything is there, with the work as the whole suite cut it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from aiq import storage
from aiq.errors import InputError, redo_command
from aiq.plans.base import Fingerprint, joined
from aiq.plans.layout import MixtureJob, parted
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite import SuitePlan
from aiq.plans.suite_jobs import EndsPlan
from aiq.records.quotient import Scores
from aiq.records.table import Table
from aiq.run.job import make
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.space import AgentScores
from aiq.run.upkeep.audit import audit
from aiq.storage import hdf5

LEAST = 2  # domains that make a space


@dataclass(frozen=True)
class Partial:
    """What was reduced: the domains that were there and those that were not, bad shards by path, files, the scores."""

    domains: tuple[str, ...]
    missing_domains: tuple[str, ...]
    missing: Mapping[str, str]
    files: tuple[str, ...]
    scores: Scores | None

    @property
    def share(self) -> str:
        """How much of the suite was reduced, in words."""
        return f"{len(self.domains)} of {len(self.domains) + len(self.missing_domains)} domains"

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "partial": True,
            "share": self.share,
            "domains": list(self.domains),
            "missing_domains": list(self.missing_domains),
            "missing": dict(self.missing),
            "files": list(self.files),
            "agents": [] if self.scores is None else self.scores.as_dict()["agents"],
        }


def reduce_partially(run: Run) -> Partial:
    """Reduce the domains of which everything is there to complexities, dissimilarities, a space and scores.

    All is written below ``partial`` in the results folder, as files of kinds of their own and tables with a column
    that says so, from which no rule and no verb reads.

    Raises:
        InputError: nothing is missing, or too little is there.
        StorageError: a shard cannot be read, or a file not be written.
    """
    states = audit(run).shards
    missing = {path: state for path, state in states.items() if state != "complete"}
    if not missing:
        raise InputError(
            f"every shard is complete, nothing is partial; {redo_command()} makes the results of the whole suite"
        )
    names, scored = there(run.plan, missing)
    jobs = [job for job in run.plan.mixture_jobs if run.layout.mixture_job(job) not in missing]
    plan = PartialPlan(run.plan, names, jobs)
    part = replace(run, configuration=plan.configuration, plan=plan)
    lost = tuple(name for name in run.configuration.domains if name not in names)
    with tempfile.TemporaryDirectory() as folder:
        made = _reduced(part, Path(folder), scored)
        record = Partial(tuple(names), lost, missing, (), _scores(made))
        files = [_marked(run, kind, path, record.share) for kind, path in made]
        files += _tables(run, made, record)
    return replace(record, files=tuple(files))


def there(plan: SuitePlan, missing: Mapping[str, str]) -> tuple[list[str], bool]:
    """Return the domains of which everything is there, and whether their agents are too.

    Where a pair is missing, the domain that lacks the most pairs is left out, the later one of two.
    """
    layout, c = plan.layout, plan.configuration
    own: dict[str, list[str]] = {name: [layout.trial_job(j) for j in plan.trial_jobs(name)] for name in c.domains}
    for alone in plan.ends.jobs:
        own[alone.domain].append(layout.alone_job(alone))
    agents = {name: [layout.outside(name, agent.name) for agent in c.agents.outside] for name in c.domains}
    for job in plan.agent_jobs:
        agents[job.domain].append(layout.agent_job(job))
    whole = [name for name, paths in own.items() if not any(path in missing for path in [*paths, layout.domain(name)])]
    with_agents = [name for name in whole if not any(path in missing for path in agents[name])]
    lost = [pair for job in plan.mixture_jobs if layout.mixture_job(job) in missing for pair in job.pairs]
    absent = {(parted(a)[0], parted(b)[0]) for a, b in lost}
    domains = _without(with_agents, absent)
    scored = len(domains) >= LEAST and plan.scored
    if len(domains) < LEAST:
        domains = _without(whole, absent)
    if len(domains) < LEAST:
        raise InputError(
            f"of {len(c.domains)} domains {len(domains)} have all shards, with their pairs; a space needs two"
        )
    if plan.landmarks is not None and not set(plan.landmarks) & set(domains):
        raise InputError("no landmark has all its shards; dissimilarities cannot be completed yet")
    return domains, scored


def _without(names: list[str], absent: set[tuple[str, str]]) -> list[str]:
    """Return the names among which no pair is absent."""
    kept = list(names)
    while True:
        lacking = [sum(pair[0] in kept and pair[1] in kept for pair in absent if name in pair) for name in kept]
        if not any(lacking):
            return kept
        most = max(range(len(kept)), key=lambda k: (lacking[k], k))
        del kept[most]


def _reduced(run: Run, folder: Path, scored: bool) -> list[tuple[str, Path]]:
    """Reduce a part of a suite into a folder by what the rules call; return the kind and path of each file."""
    layout = run.layout
    made = [("complexity", layout.complexity(name)) for name in run.configuration.domains]
    made += [("dissimilarity", layout.dissimilarity), ("space", layout.space)]
    made += [("scores", layout.scores)] if scored else []
    places = {path: str(folder / Path(path).relative_to(layout.root)) for _, path in made}
    for _, path in made:
        make(run, path, places=places)
    return [(kind, Path(places[path])) for kind, path in made]


def _marked(run: Run, kind: str, path: Path, share: str) -> str:
    """Write a result where partial ones lie, as a kind of its own that says how much it holds; return its path."""
    header, tree = hdf5.read(path, kind)
    inner = ("complexity", path.name) if kind == "complexity" else (path.name,)
    target = run.layout.path(PARTIAL, *inner)
    provenance = {**header.provenance, PARTIAL: share}
    hdf5.write(target, replace(header, kind=f"{PARTIAL} {kind}", provenance=provenance), tree)
    return target


def _scores(made: list[tuple[str, Path]]) -> Scores | None:
    path = next((path for kind, path in made if kind == "scores"), None)
    return None if path is None else storage.read_result(path, "scores", AgentScores).scores


def _tables(run: Run, made: list[tuple[str, Path]], record: Partial) -> list[str]:
    read = (storage.read_result(path, kind, DomainComplexity) for kind, path in made if kind == "complexity")
    tables = {
        "complexity": Table.of(
            ("domain", "complexity", "low", "high", PARTIAL),
            [[r.domain, r.complexity.value, *r.complexity.estimate.interval, record.share] for r in read],
        ),
        "missing": Table.of(("file", "state"), [list(item) for item in record.missing.items()]),
    }
    if record.scores is not None:
        rows = [[a.rank, a.agent, a.per_dimension.value, a.relative.value, record.share] for a in record.scores.agents]
        tables["agents"] = Table.of(("rank", "agent", "per_dimension", "relative", PARTIAL), rows)
    paths = {name: run.layout.path(PARTIAL, f"{name}.csv") for name in tables}
    for name, table in tables.items():
        storage.write_table(paths[name], table)
    return list(paths.values())


PARTIAL = "partial"  # in the fingerprints of all that such a plan reduces, so that nothing takes it for complete


class PartialPlan(SuitePlan):
    """A suite of some of the domains of another, whose shards it reads."""

    def __init__(self, whole: SuitePlan, names: Sequence[str], mixture_jobs: Iterable[MixtureJob]) -> None:
        kept = {name: settings for name, settings in whole.configuration.domains.items() if name in names}
        c = whole.configuration
        settings = c.dissimilarity.model_copy(update={"control_repetitions": c.control_repetitions})
        super().__init__(c.model_copy(update={"domains": kept, "dissimilarity": settings}))
        self.whole = whole
        self.ends = EndsPlan(c, whole.sizing, whole.domain)  # under the interface of the whole
        self.ends.jobs = tuple(job for job in whole.ends.jobs if job.domain in kept)
        self.pairs = tuple((a, b) for a, b in whole.pairs if a in kept and b in kept)
        landmarks = whole.landmarks
        self.landmarks = None if landmarks is None else tuple(name for name in landmarks if name in kept)
        mixed = set(self.mixed)
        self.mixture_jobs = tuple(job for job in mixture_jobs if not mixed.isdisjoint(job.pairs))

    @cache
    def domain(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared domain, of the whole suite."""
        return self.whole.domain(name)

    @property
    def with_known_baselines(self) -> bool:
        """Known baselines wait for the whole suite."""
        return False

    @cache
    def complexity(self, name: str) -> Fingerprint:
        """Fingerprint of a domain's complexity in a part of a suite."""
        return joined(PARTIAL, super().complexity(name))

    @cache
    def dissimilarity(self) -> Fingerprint:
        """Fingerprint of the dissimilarities of a part of a suite."""
        return joined(PARTIAL, super().dissimilarity())

    @cache
    def space(self) -> Fingerprint:
        """Fingerprint of the space of a part of a suite."""
        return joined(PARTIAL, super().space())

    @cache
    def scores(self) -> Fingerprint:
        """Fingerprint of scores in the space of a part of a suite."""
        return joined(PARTIAL, super().scores())
