"""The steps of a suite: one rule of the workflow each, from prepared domains to scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiq.config.agents import module_file
from aiq.plans.base import NAME, always
from aiq.plans.cost import Work
from aiq.plans.layout import SuiteLayout
from aiq.plans.sizing import APTI
from aiq.plans.units import Step
from aiq.plans.workflow import data_files

TRAINING, REDUCING = "aiq.run.training", "aiq.run.reducing"
PATHS = SuiteLayout("")
DOMAIN = {"domain": NAME}
BLOCK = r"(pairs|alone|agents)-[0-9a-f]{8}"
ONCE = (None,)


@dataclass(frozen=True, slots=True)
class OutsideJob:
    """One agent made elsewhere, on one domain."""

    domain: str
    agent: str


def outside_jobs(plan: Any) -> list[OutsideJob]:
    """Return the jobs of agents made elsewhere, agent by agent."""
    c = plan.configuration
    return [OutsideJob(domain, agent.name) for agent in c.agents.outside for domain in c.domains]


def learner_modules(plan: Any, job: Any) -> list[str]:
    """Return the Python files of the pool's learners that lie here."""
    learners = plan.configuration.pool.learners
    if learners is None:
        return []
    generator = getattr(learners, "generator", None)
    factories = [generator] if generator else [learner.factory for learner in learners]
    return sorted({path for name in factories for path in module_file(name)})


def factory_module(plan: Any, job: OutsideJob) -> list[str]:
    """Return the Python file of an agent made elsewhere, if it lies here."""
    return module_file(next(a for a in plan.configuration.agents.outside if a.name == job.agent).factory)


def _each_domain(plan: Any) -> list[str]:
    return list(plan.configuration.domains)


def _domain(plan: Any, job: Any) -> dict[str, list[str]]:
    return {"domain": [plan.layout.domain(job if isinstance(job, str) else job.domain)]}


def _domains(plan: Any, _: Any) -> dict[str, list[str]]:
    return {"domains": plan.files("prepare_domain")}


def _interface(plan: Any, needed: bool) -> dict[str, list[str]]:
    """Return what all networks have in common, where it is needed and found from all domains."""
    return {"interface": [plan.layout.interface]} if needed and plan.ends.measured else {}


def _trials(plan: Any, domain: str) -> dict[str, list[str]]:
    prepared = _domain(plan, domain) if plan.configuration.complexity.start == "chance" else {}
    return {"trials": plan.files("train_trials", plan.trial_jobs(domain)), **prepared}


def _played(plan: Any) -> list[OutsideJob]:
    return outside_jobs(plan) if plan.configuration.control else []


def _learned(plan: Any) -> list[OutsideJob]:
    return [] if plan.configuration.control else outside_jobs(plan)


def _asks(work: Callable[[Any, Any], Work]) -> Callable[[Any, Any], tuple[int, int]]:
    return lambda plan, job: work(plan, job).request


def _when(wanted: Callable[[Any], Any], jobs: Callable[[Any], Any] = lambda plan: ONCE) -> Callable[[Any], Any]:
    return lambda plan: jobs(plan) if wanted(plan) else ()


STEPS = (
    Step(
        "prepare_domain",
        "domain",
        PATHS.domain("{domain}"),
        f"{TRAINING}.domains:prepare_domain",
        arguments=lambda domain, at: (domain, at.target),
        jobs=_each_domain,
        follows=lambda plan, domain: plan.domain(domain),
        asks=_asks(lambda plan, domain: plan.sizing.prepared(domain)),
        given=lambda plan, domain, apart: data_files(plan.configuration, domain, apart),
        words=DOMAIN,
    ),
    Step(
        "measure_interface",
        "interface",
        PATHS.interface,
        f"{TRAINING}.domains:measure_interface",
        arguments=lambda _, at: (at.needs["domains"], at.target),
        jobs=_when(lambda plan: plan.ends.measured),
        follows=lambda plan, _: plan.ends.common,
        asks=_asks(lambda plan, _: plan.sizing.met()),
        reads=_domains,
    ),
    Step(
        "train_trials",
        "trials",
        PATHS.trials("{domain}", "{block}"),
        f"{TRAINING}.trials:train_trials",
        arguments=lambda job, at: (job.domain, job.first, job.last, at.of("domain"), at.target, at.keeper),
        jobs=lambda plan: [job for domain in plan.configuration.domains for job in plan.trial_jobs(domain)],
        follows=lambda plan, job: plan.trials(job.domain),
        asks=_asks(lambda plan, job: plan.sizing.chunks(job.domain, job.chunks)),
        reads=lambda plan, job: {**_domain(plan, job), **_interface(plan, plan.ends.pooled)},
        words={**DOMAIN, "block": r"\d+-\d+(-[0-9a-f]{8})?"},
        code=learner_modules,
        keeps="trials",
        trains=True,
    ),
    Step(
        "train_mixtures",
        "mixtures",
        PATHS.mixtures("{group}", "{block}"),
        f"{TRAINING}.trials:train_mixture_block",
        arguments=lambda job, at: (job.group, job.block, at.needs["domains"], at.target, at.keeper),
        jobs=lambda plan: plan.mixture_jobs,
        follows=lambda plan, job: plan.of_mixture_job(job),
        asks=_asks(lambda plan, job: plan.sizing.mixtures(job.pairs)),
        reads=lambda plan, job: {
            "domains": [plan.layout.domain(name) for name in job.domains],
            **_interface(plan, plan.ends.shared),
        },
        words={"group": NAME, "block": BLOCK},
        keeps="mixtures",
        trains=True,
    ),
    Step(
        "train_alone",
        "alone",
        PATHS.alone("{domain}", "{block}"),
        f"{TRAINING}.trials:train_alone_block",
        arguments=lambda job, at: (job.domain, job.block, at.of("domain"), at.target, at.keeper),
        jobs=lambda plan: plan.ends.jobs,
        follows=lambda plan, job: plan.ends.of_job(job),
        asks=_asks(lambda plan, job: plan.sizing.alone(job.domain, job.units)),
        reads=lambda plan, job: {**_domain(plan, job), **_interface(plan, plan.ends.shared)},
        words={**DOMAIN, "block": BLOCK},
        keeps="alone",
        trains=True,
    ),
    Step(
        "train_agents",
        "agents",
        PATHS.agents("{domain}", "{block}"),
        f"{TRAINING}.trials:train_agents",
        arguments=lambda job, at: (job.domain, job.block, at.of("domain"), at.target, at.keeper),
        jobs=lambda plan: plan.agent_jobs,
        follows=lambda plan, job: plan.of_agent_job(job),
        asks=_asks(lambda plan, job: plan.sizing.agents(job.domain, job.agents)),
        reads=_domain,
        words={**DOMAIN, "block": BLOCK},
        keeps="agents",
        trains=True,
    ),
    Step(
        "train_baseline",
        "baseline",
        PATHS.baseline("{domain}"),
        f"{TRAINING}.players:train_baseline",
        arguments=lambda domain, at: (domain, at.of("domain"), at.target, at.keeper),
        jobs=lambda plan: plan.baseline_domains,
        follows=lambda plan, domain: plan.of_baseline(domain),
        asks=_asks(lambda plan, domain: plan.sizing.baseline(domain)),
        reads=_domain,
        words=DOMAIN,
        keeps="baseline",
        trains=True,
    ),
    *(
        Step(
            rule,
            "outside",
            PATHS.outside("{domain}", "{agent}"),
            f"{TRAINING}.players:{rule}",
            arguments=lambda job, at: (job.domain, job.agent, at.of("domain"), at.target, at.keeper),
            jobs=_played if control else _learned,
            follows=lambda plan, job: plan.of_outside(job.domain, job.agent),
            asks=_asks(lambda plan, job: plan.sizing.agents(job.domain, [job.agent])),
            reads=_domain,
            words={**DOMAIN, "agent": NAME},
            code=factory_module,
            keeps="outside",
            trains=not control,
        )
        for rule, control in (("play_outside", True), ("learn_outside", False))
    ),
    Step(
        "reduce_complexity",
        "complexity",
        PATHS.complexity("{domain}"),
        f"{REDUCING}.complexity:reduce_complexity",
        arguments=lambda domain, at: (domain, at.needs["trials"], at.target),
        jobs=_each_domain,
        follows=lambda plan, domain: plan.complexity(domain),
        asks=_asks(lambda plan, _: plan.sizing.reduced()),
        reads=_trials,
        result=True,
        words=DOMAIN,
    ),
    Step(
        "play_baseline",
        "play",
        PATHS.play("{domain}"),
        f"{TRAINING}.players:play_baseline",
        arguments=lambda domain, at: (domain, at.of("domain"), at.of("baseline"), *at.makes),
        jobs=_when(lambda plan: plan.configuration.baseline, _each_domain),
        follows=lambda plan, domain: plan.play(domain),
        asks=_asks(lambda plan, domain: plan.sizing.baseline_play(domain)),
        reads=lambda plan, domain: {
            **_domain(plan, domain),
            "baseline": [plan.layout.baseline(plan.trained_on(domain))],
        },
        result=True,
        words=DOMAIN,
        second=("entropy", PATHS.entropy("{domain}"), lambda plan, domain: plan.entropy(domain)),
    ),
    Step(
        "measure_entropy",
        "entropy",
        PATHS.entropy("{domain}"),
        f"{REDUCING}.complexity:measure_entropy",
        arguments=lambda domain, at: (domain, at.of("domain"), at.target),
        jobs=_when(lambda plan: not plan.configuration.control, _each_domain),
        follows=lambda plan, domain: plan.entropy(domain),
        asks=_asks(lambda plan, domain: plan.sizing.prepared(domain)),
        reads=_domain,
        result=True,
        words=DOMAIN,
    ),
    Step(
        "measure_known_baselines",
        "known baselines",
        PATHS.known_baselines,
        f"{REDUCING}.baselines:measure_known_baselines",
        arguments=lambda _, at: (at.needs["domains"], at.target),
        jobs=_when(lambda plan: plan.with_known_baselines),
        follows=lambda plan, _: plan.known_baselines(),
        asks=_asks(lambda plan, _: plan.sizing.known_baselines(len(plan.pairs))),
        reads=_domains,
        result=True,
    ),
    Step(
        "reduce_dissimilarity",
        "dissimilarity",
        PATHS.dissimilarity,
        f"{REDUCING}.dissimilarity:reduce_dissimilarity",
        arguments=lambda _, at: (at.needs["mixtures"], at.target, at.needs["alone"]),
        follows=lambda plan, _: plan.dissimilarity(),
        asks=_asks(lambda plan, _: plan.sizing.compared(len(plan.mixed))),
        reads=lambda plan, _: {"mixtures": plan.files("train_mixtures"), "alone": plan.files("train_alone")},
        result=True,
    ),
    Step(
        "build_space",
        "space",
        PATHS.space,
        f"{REDUCING}.space:build_space",
        arguments=lambda _, at: (at.needs["complexity"], at.of("dissimilarity"), at.target),
        follows=lambda plan, _: plan.space(),
        asks=_asks(lambda plan, _: plan.sizing.placed(len(plan.pairs))),
        reads=lambda plan, _: {
            "complexity": plan.files("reduce_complexity"),
            "dissimilarity": [plan.layout.dissimilarity],
        },
        result=True,
    ),
    Step(
        "score_agents",
        "scores",
        PATHS.scores,
        f"{REDUCING}.space:score_agents",
        arguments=lambda _, at: (at.of("space"), at.needs["agents"], at.target, at.needs["outside"]),
        jobs=_when(lambda plan: plan.scored),
        follows=lambda plan, _: plan.scores(),
        asks=_asks(lambda plan, _: plan.sizing.scored()),
        reads=lambda plan, _: {
            "space": [plan.layout.space],
            "agents": plan.files("train_agents"),
            "outside": [plan.layout.outside(job.domain, job.agent) for job in outside_jobs(plan)],
        },
        given=lambda plan, _, apart: [table] if (table := plan.configuration.agents.table) else [],
        result=True,
    ),
    Step(
        "score_apti",
        "apti",
        PATHS.apti,
        f"{REDUCING}.baselines:score_apti",
        arguments=lambda _, at: (at.of("space"), at.of("scores"), at.needs["plays"], at.target),
        jobs=_when(lambda plan: plan.configuration.baseline and plan.scored),
        follows=lambda plan, _: plan.apti(),
        asks=always(*APTI),
        reads=lambda plan, _: {
            "space": [plan.layout.space],
            "scores": [plan.layout.scores],
            "plays": plan.files("play_baseline"),
        },
        result=True,
    ),
)
"""In the order in which files are made."""
