"""Where every file of a run lies: the one place that puts paths together."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath


def pair_name(a: str, b: str) -> str:
    """Return the name of a pair of domains in file names; '+' occurs in no domain's name."""
    return f"{a}+{b}"


class Files:
    """What every run writes below its results folder, whatever it measures (paths relative to the working folder)."""

    def __init__(self, results: str) -> None:
        self.root = PurePosixPath(results)
        self.moved = False
        """Whether the files lie elsewhere than the configuration says, and only those that a job declares."""

    def follow(self, log: str | PurePath) -> None:
        """Lie where the files of a job lie that was told this log.

        Where results are kept in a storage, Snakemake brings what a job declares to a folder of its own and sends from
        there what the job makes. Below that folder the paths are those of the configuration.

        Args:
            log: the job's log, as Snakemake names it.
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

    def checkpoint(self, shard: str) -> str:
        """What an interrupted job has reached of a shard."""
        return self.path("checkpoints", *PurePosixPath(shard).relative_to(self.root).parts)

    @property
    def submissions(self) -> str:
        """Folder of what is submitted outside the workflow's controller: pickled calls, standard output and error."""
        return self.path("logs", "submitted")
