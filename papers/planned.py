"""Where experiments lie, the run of one of them at a scale, and the files that are asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq.errors import InputError, choice
from aiq.plans.run import Run, SuiteRun
from papers.experiment import Experiment, configuration, read_experiment


@dataclass(frozen=True)
class Planned:
    """An experiment at a scale.

    Attributes:
        experiment: its file, checked.
        scale: ``small`` or ``paper``.
        raw: the raw configuration of its run.
        run: that run.
    """

    experiment: Experiment
    scale: str
    raw: dict[str, Any]
    run: SuiteRun

    @property
    def targets(self) -> tuple[str, ...]:
        """Files that are asked of the run; none means everything."""
        found: list[str] = []
        layout, domains = self.run.layout, self.run.configuration.domains
        for what in self.experiment.makes:
            if what == "all":
                return ()
            if what == "dissimilarity":
                found.append(layout.dissimilarity)
            elif what == "complexity":
                found += [layout.complexity(name) for name in domains]
            elif self.run.plan.with_entropy:
                found += [layout.entropy(name) for name in domains]
        return tuple(found)

    @property
    def file(self) -> str:
        """The file in which the run's configuration is kept, beside its results; its folder tells the scale."""
        return self.run.layout.path("experiments", self.scale, f"{self.experiment.experiment}.yaml")


def folder() -> Path:
    """Return the folder of the experiments' files."""
    return Path(__file__).resolve().parent / "experiments"


def names() -> tuple[str, ...]:
    """Return the names of all experiments, in the paper's order."""
    return tuple(sorted(path.stem for path in folder().glob("f*.yaml")))


def experiment(name: str) -> Experiment:
    """Return the file of an experiment, checked.

    Raises:
        InputError: there is no such experiment.
    """
    known = names()
    if name not in known:
        raise InputError(choice("experiment", name, known))
    return read_experiment(folder() / f"{name}.yaml")


def planned(name: str, scale: str, **given: Any) -> Planned:
    """Read an experiment and plan its run.

    Args:
        name: such as ``f10``.
        scale: ``small`` or ``paper``.
        given: keys of the configuration that replace the file's, such as ``data_root``; None replaces nothing.

    Raises:
        InputError: there is no such experiment.
        ConfigurationError: its file does not fit.
    """
    found = experiment(name)
    like = None if found.like is None else experiment(found.like)
    raw = configuration(found, scale, like) | {key: value for key, value in given.items() if value is not None}
    run: SuiteRun = Run.of(raw, measure="aiq", origin=f"experiment {name}, scale {scale}")
    return Planned(found, scale, raw, run)
