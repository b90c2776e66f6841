"""Where experiments lie, the run of one of them at a scale, and the files that are asked of it.

Experiments: one file per figure of the paper, with its settings at a small scale and at the paper's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from aiq.config.load import read
from aiq.errors import ConfigurationError, InputError, choice
from aiq.plans.run import Run, SuiteRun
from aiq.run.call import Snakemake
from aiq.run.checks import check_named
from aiq.run.controller import Held
from aiq.run.start import Start, called, check_call, go
from aiq.settings import Settings, validate
from aiq.storage.files import replacing

# ---- Experiments ---------------------------------------------------------------------------------


SCALES = ("small", "paper")
EVERY = "*"  # among domains: keys of every domain

Makes = Literal["complexity", "entropy", "dissimilarity", "all"]


class Scaled(Settings):
    """What an experiment's settings have at each of the two scales, over those that both share."""

    small: dict[str, Any] = Field(description="minutes on 2 cores")
    paper: dict[str, Any] = Field(description="as published")


class Experiment(Settings):
    """An experiment: a suite of variants that one figure of the paper shows."""

    experiment: str = Field(
        pattern=r"^f\d\d(-[a-z]+)?$", description="its name: the figure, and a word where another file has its name"
    )
    title: str = Field(min_length=1, description="what the figure shows")
    source: str = Field(min_length=1, description="section and figure of the paper")
    claims: list[str] = Field(min_length=1, description="claims that its results answer")
    makes: list[Makes] = Field(min_length=1, description="what is asked of the run; all: everything that it can give")
    like: str | None = Field(
        None,
        description="another experiment, whose settings, and without a scale here also its results, are this one's",
    )
    settings: dict[str, Any] = Field(default_factory=dict, description="configuration that both scales share")
    scale: Scaled | None = Field(None, description="what each scale adds or replaces; null takes a key away")


def read_experiment(path: str | Path) -> Experiment:
    """Read the file of an experiment."""
    record = validate(Experiment, read(path), str(path))
    if record.like is None and record.scale is None:
        raise ConfigurationError(f"{path}: give scale, with small and paper, or like, another experiment, or both")
    if record.like is not None and record.scale is not None:
        for scale in SCALES:
            if "results" not in getattr(record.scale, scale):
                raise ConfigurationError(f"{path}: scale {scale} lacks results; settings of its own need a folder too")
    return record


def configuration(experiment: Experiment, scale: str, like: Experiment | None = None) -> dict[str, Any]:
    """Return the raw configuration of an experiment at a scale, laid over the one that it is like."""
    merged: dict[str, Any] = {}
    for layer in (experiment,) if like is None else (like, experiment):
        merged = merge(merge(merged, layer.settings), {} if layer.scale is None else getattr(layer.scale, scale))
    if "domains" in merged:
        merged["domains"] = everywhere(merged["domains"])
    owner = experiment if like is None or experiment.scale is not None else like
    return {"name": owner.experiment, **merged}


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others laid over them: mappings key by key, anything else replaced, null taken away."""
    merged = dict(under)
    for key, value in over.items():
        before = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            merged[key] = merge(before if isinstance(before, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


def everywhere(domains: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return domains, each with the keys of ``*`` where it has none of its own."""
    common = domains.get(EVERY, {})
    return {name: {**common, **settings} for name, settings in domains.items() if name != EVERY}


# ---- Where experiments lie, and their runs -------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    """An experiment at a scale, ``small`` or ``paper``: its file, the raw configuration of its run, and that run."""

    experiment: Experiment
    scale: str
    raw: dict[str, Any]
    run: SuiteRun

    @property
    def targets(self) -> tuple[str, ...]:
        """Files that are asked of the run; none means everything."""
        layout, domains = self.run.layout, self.run.configuration.domains
        if "all" in self.experiment.makes:
            return ()
        files = {
            "complexity": [layout.complexity(name) for name in domains],
            "entropy": [layout.entropy(name) for name in domains if self.run.plan.with_entropy],
            "dissimilarity": [layout.dissimilarity],
        }
        return tuple(file for what in self.experiment.makes for file in files[what])

    @property
    def file(self) -> str:
        """The file in which the run's configuration is kept, beside its results; its folder tells the scale."""
        return self.run.layout.path("experiments", self.scale, f"{self.experiment.experiment}.yaml")


FOLDER = Path(__file__).resolve().parent / "experiments"


def names() -> tuple[str, ...]:
    """Return the names of all experiments, in the paper's order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("f*.yaml")))


def experiment(name: str) -> Experiment:
    """Return the file of an experiment, checked; raises InputError where there is none."""
    experiments = names()
    if name not in experiments:
        raise InputError(choice("experiment", name, experiments))
    return read_experiment(FOLDER / f"{name}.yaml")


def planned(name: str, scale: str, **given: Any) -> Planned:
    """Read an experiment and plan its run; ``given`` keys replace the file's, such as ``data_root``, unless None."""
    record = experiment(name)
    like = None if record.like is None else experiment(record.like)
    raw = configuration(record, scale, like) | {key: value for key, value in given.items() if value is not None}
    run: SuiteRun = Run.of(raw, measure="aiq", origin=f"experiment {name}, scale {scale}")
    return Planned(record, scale, raw, run)


def keep(planned: Planned, file: str | None = None) -> None:
    """Write the configuration of an experiment's run beside its results, or into another file."""
    record = planned.experiment
    heading = f"# {record.title} ({record.source}), scale {planned.scale}. Written by aiq experiment.\n"
    with replacing(file or planned.file) as temporary:
        temporary.write_text(heading + yaml.safe_dump(planned.raw, sort_keys=False), encoding="utf-8")


def run_experiment(planned: Planned, quiet: bool, say: Callable[[str], None], **how: Any) -> int:
    """Make what an experiment needs and return the exit status, as ``aiq run`` does, which has the options ``how``."""
    check_named(planned.run)
    words = (*planned.targets, *how["arguments"])
    snakemake = Snakemake(planned.file, how["profile"], how["cores"], words)
    check_call(snakemake)
    start = Start(planned.run, snakemake, how["resume"], how["yes"], quiet, say)
    if snakemake.only_looks:
        with tempfile.TemporaryDirectory(prefix="aiq-") as folder:
            file = str(Path(folder) / Path(planned.file).name)
            keep(planned, file)
            return go(replace(start, snakemake=replace(snakemake, config=file)))
    if start.resume:  # what is cleared away needs it, too
        keep(planned)

    def work(start: Start, forced: tuple[str, ...], lock: Held, child: list[int]) -> int:
        """Write the configuration once nothing is refused any more, and call Snakemake."""
        keep(planned)
        return called(start, forced, lock, child)

    return go(start, work)
