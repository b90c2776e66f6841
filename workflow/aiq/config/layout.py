"""Where every file of a run lies: the one place that puts paths together."""

from __future__ import annotations

from pathlib import PurePosixPath

from aiq.config.plan import AgentJob, MixtureJob, Plan, TrialJob
from aiq.config.suite import Configuration


def pair_name(a: str, b: str) -> str:
    """Return the name of a pair of domains in file names; '+' occurs in no domain's name."""
    return f"{a}+{b}"


class Files:
    """What every run writes below its results folder, whatever it measures (paths relative to the working folder)."""

    def __init__(self, results: str) -> None:
        self.root = PurePosixPath(results)

    def path(self, *parts: str) -> str:
        """Join below the results folder."""
        return str(self.root.joinpath(*parts))

    @property
    def report(self) -> str:
        """The report, one page."""
        return self.path("report.html")

    def table(self, name: str) -> str:
        """A table of results."""
        return self.path("tables", f"{name}.csv")

    def provenance(self, name: str) -> str:
        """What made a table: configuration, code, host."""
        return self.path("tables", "provenance", f"{name}.json")

    def figure(self, name: str, suffix: str) -> str:
        """A figure, or the table beside it."""
        return self.path("figures", f"{name}.{suffix}")

    def log(self, *parts: str) -> str:
        """A job's log."""
        return self.path("logs", *parts) + ".log"

    def benchmark(self, *parts: str) -> str:
        """A job's measured time and memory."""
        return self.path("benchmarks", *parts) + ".tsv"

    def log_of(self, shard: str) -> str:
        """The log of the job that makes a shard."""
        return self.log(*PurePosixPath(shard).relative_to(self.root).with_suffix("").parts)

    def checkpoint(self, shard: str) -> str:
        """What an interrupted job has reached of a shard."""
        return self.path("checkpoints", *PurePosixPath(shard).relative_to(self.root).parts)

    @property
    def submissions(self) -> str:
        """Folder of what is submitted outside the workflow's controller: pickled calls, standard output and error."""
        return self.path("logs", "submitted")


class Layout(Files):
    """Paths of a configuration's results, as strings relative to the working directory.

    Methods take names or the wildcards ``{domain}`` and so on, so that rules and code share them.
    """

    def __init__(self, configuration: Configuration) -> None:
        super().__init__(configuration.results)

    def domain(self, domain: str) -> str:
        """A prepared domain."""
        return self.path("domains", f"{domain}.h5")

    def trials(self, domain: str, first: str = "{first}", last: str = "{last}") -> str:
        """A shard of trials."""
        return self.path("trials", domain, f"chunks-{first}-{last}.h5")

    def mixtures(self, group: str, block: str) -> str:
        """A shard of mixtures."""
        return self.path("mixtures", group, f"{block}.h5")

    def agents(self, domain: str, block: str) -> str:
        """A shard of agents."""
        return self.path("agents", domain, f"{block}.h5")

    def baseline(self, domain: str) -> str:
        """The baseline's trainings on a domain, with its weights."""
        return self.path("baseline", f"{domain}.h5")

    def play(self, domain: str) -> str:
        """What the trained baseline does on a domain."""
        return self.path("plays", f"{domain}.h5")

    def outside(self, domain: str, agent: str) -> str:
        """What an agent from outside does on a domain."""
        return self.path("outside", domain, f"{agent}.h5")

    def trial_job(self, job: TrialJob) -> str:
        """The shard of a job."""
        return self.trials(job.domain, f"{job.first:04d}", f"{job.last:04d}")

    def mixture_job(self, job: MixtureJob) -> str:
        """The shard of a job."""
        return self.mixtures(job.group, job.block)

    def agent_job(self, job: AgentJob) -> str:
        """The shard of a job."""
        return self.agents(job.domain, job.block)

    def complexity(self, domain: str) -> str:
        """A domain's complexity."""
        return self.path("complexity", f"{domain}.h5")

    def entropy(self, domain: str) -> str:
        """A domain's entropy."""
        return self.path("entropy", f"{domain}.h5")

    @property
    def dissimilarity(self) -> str:
        """All dissimilarities."""
        return self.path("dissimilarity.h5")

    @property
    def space(self) -> str:
        """The intelligence space."""
        return self.path("space.h5")

    @property
    def scores(self) -> str:
        """The agents' scores."""
        return self.path("scores.h5")

    @property
    def apti(self) -> str:
        """The agents' performances relative to the baseline's."""
        return self.path("apti.h5")


def every_shard(plan: Plan, layout: Layout) -> dict[str, tuple[str, str]]:
    """Return path -> (kind, fingerprint) of every prepared domain and shard that the plan asks for."""
    shards: dict[str, tuple[str, str]] = {}
    for domain in plan.configuration.domains:
        shards[layout.domain(domain)] = ("domain", plan.domain(domain))
        for trial_job in plan.trial_jobs(domain):
            shards[layout.trial_job(trial_job)] = ("trials", plan.trials(domain))
    for mixture_job in plan.mixture_jobs:
        shards[layout.mixture_job(mixture_job)] = ("mixtures", plan.of_mixture_job(mixture_job))
    for agent_job in plan.agent_jobs:
        shards[layout.agent_job(agent_job)] = ("agents", plan.of_agent_job(agent_job))
    for domain in plan.baseline_domains:
        shards[layout.baseline(domain)] = ("baseline", plan.of_baseline(domain))
    for domain in plan.configuration.domains:
        for agent in plan.configuration.agents.outside:
            shards[layout.outside(domain, agent.name)] = ("outside", plan.of_outside(domain, agent.name))
    return shards
