"""The jobs of a suite, their names, and where every file of a run lies: the one place that puts paths together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath


def blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Cut ``count`` items into blocks of at most ``size``: (first, last), inclusive."""
    return [(first, min(first + size, count) - 1) for first in range(0, count, size)]


def digest(names: Sequence[str]) -> str:
    """Return eight hexadecimal digits that name a block by what it holds."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]


def twin(domain: str, number: int) -> str:
    """Return the name of a domain's twin; '~' occurs in no domain's name."""
    return f"{domain}~{number}"


def parted(name: str) -> tuple[str, int]:
    """Return the domain behind a name and the number of its twin, 0 for the domain itself."""
    domain, _, number = name.partition("~")
    return domain, int(number or 0)


def unit_name(a: str, b: str, chunk: int) -> str:
    """Return the name of a chunk of repetitions of a pair; '+' occurs in no domain's name."""
    return f"{a}+{b}+{chunk:06d}"


def pair_name(a: str, b: str) -> str:
    """Return the name of a pair of domains in file names; '+' occurs in no domain's name."""
    return f"{a}+{b}"


class Files:
    """What every run writes below its results folder, whatever it measures (paths relative to the working folder)."""

    def __init__(self, results: str) -> None:
        self.root = PurePosixPath(results)
        self.moved = False  # whether only what a job declares is there, elsewhere than the configuration says

    def follow(self, log: str | PurePath) -> None:
        """Lie where the files of a job lie that was told this log.

        Where results are kept in a storage, Snakemake brings what a job declares to a folder of its own and sends from
        there what the job makes. Below that folder the paths are those of the configuration.
        """
        named = tuple(part for part in self.root.parts if part != "/")
        parts = PurePosixPath(log).parts
        for start in range(len(parts) - len(named)):
            end = start + len(named)
            if parts[start:end] == named and parts[end] == "logs":
                place = PurePosixPath(*parts[:end])
                self.moved, self.root = place != self.root, place
                return

    def path(self, *parts: str) -> str:
        """Join below the results folder."""
        return str(self.root.joinpath(*parts))

    @property
    def report(self) -> str:
        """The report, one page."""
        return self.path("report.html")

    @property
    def page(self) -> str:
        """The page: one file that is turned, clicked and sorted."""
        return self.path("index.html")

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

    def benchmark_of(self, shard: str) -> str:
        """The measured time of the job that makes a shard."""
        return self.benchmark(*PurePosixPath(shard).relative_to(self.root).with_suffix("").parts)

    @property
    def controller(self) -> str:
        """Who works on these results now: the lock file of ``aiq run``."""
        return self.path("controller.json")

    @property
    def precision(self) -> str:
        """The rounds that have grown these results, and the numbers to which they have."""
        return self.path("precision.json")

    @property
    def submissions(self) -> str:
        """Folder of what is submitted outside the workflow's controller: pickled calls, standard output and error."""
        return self.path("logs", "submitted")


@dataclass(frozen=True, slots=True)
class TrialJob:
    """Chunks ``first`` to ``last`` (inclusive) of the pool on one domain.

    ``cut`` ends the name of its shard: it tells those under a suite's interface from others.
    """

    domain: str
    first: int
    last: int
    cut: str = ""

    @property
    def block(self) -> str:
        """Its name among the shards of the domain."""
        return f"{self.first:04d}-{self.last:04d}{self.cut}"

    @property
    def chunks(self) -> range:
        """The chunks."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class MixtureJob:
    """Chunks of repetitions of some pairs; ``group`` is the domain that all pairs share."""

    group: str
    block: str
    pairs: tuple[tuple[str, str], ...]
    chunks: int

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains that the job reads, in order of first use; twins are made of them."""
        return tuple(dict.fromkeys(parted(name)[0] for pair in self.pairs for name in pair))


@dataclass(frozen=True, slots=True)
class AloneJob:
    """Some chunks of one domain alone: of its ends, and of its controls."""

    domain: str
    block: str
    units: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class AgentJob:
    """Some agents on one domain, with all their repetitions."""

    domain: str
    block: str
    agents: tuple[str, ...]


class SuiteLayout(Files):
    """Paths of a configuration's results, as strings relative to the working directory.

    Methods take names or the wildcards ``{domain}`` and so on, so that rules and code share them.
    """

    def domain(self, domain: str) -> str:
        """A prepared domain."""
        return self.path("domains", f"{domain}.h5")

    def trials(self, domain: str, block: str) -> str:
        """A shard of trials."""
        return self.path("trials", domain, f"chunks-{block}.h5")

    def mixtures(self, group: str, block: str) -> str:
        """A shard of mixtures."""
        return self.path("mixtures", group, f"{block}.h5")

    @property
    def interface(self) -> str:
        """What all mixtures of the suite have in common."""
        return self.path("interface.h5")

    def alone(self, domain: str, block: str) -> str:
        """A shard of a domain alone."""
        return self.path("alone", domain, f"{block}.h5")

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
        return self.trials(job.domain, job.block)

    def mixture_job(self, job: MixtureJob) -> str:
        """The shard of a job."""
        return self.mixtures(job.group, job.block)

    def alone_job(self, job: AloneJob) -> str:
        """The shard of a job."""
        return self.alone(job.domain, job.block)

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
    def known_baselines(self) -> str:
        """What the baselines that people know say of the domains and pairs."""
        return self.path("known-baselines.h5")

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
