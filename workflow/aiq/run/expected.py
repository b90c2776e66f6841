"""What a suite will cost by the cost model alone: nothing is timed, and of data files headers are read alone.

Seconds are those of the machine of the calibration; ``aiq estimate --measure`` times this machine instead.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aiq.domains import base
from aiq.domains.family import Sizes
from aiq.domains.labelled import image_folder, npz
from aiq.errors import DomainError, InputError, did_you_mean
from aiq.plans.cost import Costs, Work, sizes
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite_products import drawn_pairs
from aiq.run.costing import FIGURE_BYTES, FIGURE_SECONDS, JOB_BYTES, Cost, Request, StageCost, outputs

UNIT_BYTES = 7_000  # of a unit of a shard, whatever it holds
TRIAL_BYTES = 300  # of a trial, and 8 more for the loss of every epoch
MIXED_BYTES = 70  # of a training on a mixture or alone
RESULT_BYTES = 40_000  # of a reduced result of a domain
PAIR_BYTES = 6_000  # of a reduced pair and of its rows in tables, without its draws
PACKED = 0.4  # bytes of stored data over those in memory
READING = 0.02  # seconds to read and store a megabyte of data
HELD: Mapping[str, Callable[[Any, base.Request], Sizes | None]] = MappingProxyType(
    {"npz": npz.held, "image_folder": image_folder.held}
)
"""What tells the sizes of files of a person's own, by source."""
SHEET = ("domain", "train", "test", "classes", "shape")


def expected(run: Run, sheet: str | Path | None = None) -> Cost:
    """Return the cost of a suite by the model.

    ``sheet``: a table of sizes (columns domain, train, test, classes, shape as in 3x32x32) for domains whose source
    does not tell them; None takes what the sources tell, and assumptions where they do not.

    Raises:
        InputError: the sheet cannot be read, or holds what no domain has.
    """
    plan = run.plan
    certain = looked_up(run)
    if sheet is not None:
        from_sheet = read_sheet(sheet, plan.sizing.costs.sizes)
        plan.sizing.costs.sizes.update(from_sheet)
        certain |= from_sheet
    held = plan.sizing.costs.sizes | certain
    stages = [_domains(run, held), *_trained(run, held), _played(run), _reduction(run)]
    assumed = tuple(name for name, domain in held.items() if not domain.certain)
    start = plan.sizing.costs.calibration.start / 2
    return cost_of_suite(run, stages, start, files_by=files_by(run), assumed=assumed, modelled=True)


def cost_of_suite(run: Run, stages: Iterable[StageCost], start: float, **more: Any) -> Cost:
    """Return the cost of a suite from that of its stages; ``more``: further fields of it."""
    c = run.configuration
    rules = (getattr(s, "convergence", None) for s in (c.training, c.agent_training, c.dissimilarity.training))
    return Cost(
        tuple(stage for stage in stages if stage.jobs),
        start,
        upper_bound=any(rule is not None for rule in rules),
        device=c.device,
        left_out=left_out(run),
        asked=Request.of(run.plan.requests()),
        outputs=outputs(run.plan),
        threads=c.threads,
        **more,
    )


def looked_up(run: Run) -> dict[str, Sizes]:
    """Return the sizes of the domains that are read from own archives and folders of pictures, where these are there.

    Jobs are cut by the configuration alone, wherever it is read, and ask for what that tells.
    """
    c = run.configuration
    by_domain = {}
    for name, settings in c.domains.items():
        own = getattr(settings, "labelled", settings)
        look = HELD.get(str(getattr(own, "source", "")))
        if look is None:
            continue
        with suppress(DomainError):
            whole = look(own, base.Request(name, 0, (), Path(c.data_root or "data").expanduser(), download=False))
            if whole is not None:
                by_domain[name] = sizes(settings, whole)
    return by_domain


def of_trainings(run: Run, held: Mapping[str, Sizes] | None = None) -> Costs:
    """Return the cost model of what trainings take, by the sizes that are given, else by those of the files."""
    plain = run.plan.sizing.costs
    costs = Costs(run.configuration, plain.calibration, occupied=True)
    costs.sizes.update(plain.sizes | looked_up(run) if held is None else held)
    return costs


def left_out(run: Run) -> tuple[str, ...]:
    """Return whose own work no estimate counts: agents and learners made elsewhere."""
    c = run.configuration
    agents = tuple(f"agent {agent.name}" for agent in c.agents.outside)
    return agents if c.pool.learners is None else (*agents, "the learners of the pool")


def read_sheet(path: str | Path, sizes: Mapping[str, Sizes]) -> dict[str, Sizes]:
    """Return the sizes of a table by domain.

    Raises:
        InputError: it cannot be read, lacks a column, names no domain of the suite, or a size is no whole number.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"the sheet {path} cannot be read ({why}); give a CSV file of sizes") from error
    by_domain = {}
    for row in rows:
        missing = [name for name in SHEET if not row.get(name)]
        if missing:
            raise InputError(f"the sheet {path} has a row without {missing[0]}; its columns are {', '.join(SHEET)}")
        name = row["domain"]
        if name not in sizes:
            raise InputError(f"the sheet {path} has the domain {name!r}, which is none of the suite"
                             f"{did_you_mean(name, sizes)}")  # fmt: skip
        try:
            shape = tuple(int(side) for side in row["shape"].split("x"))
            train, test, classes = (int(row[key]) for key in ("train", "test", "classes"))
        except ValueError as error:
            raise InputError(f"the sheet {path}: a size of {name!r} is no whole number ({error})") from error
        if min(*shape, classes) < 1 or min(train, test) < 0:
            raise InputError(f"the sheet {path}: sizes of {name!r} must be positive")
        by_domain[name] = replace(sizes[name], train=train, test=test, classes=classes, shape=shape, certain=True)
    return by_domain


def _domains(run: Run, held: Mapping[str, Sizes]) -> StageCost:
    start = run.plan.sizing.costs.calibration.start / 2
    size = sum(domain.megabytes for domain in held.values())
    seconds = 0.4 * start * len(held) + READING * size
    return StageCost("domains", len(held), 0, seconds, 0.0, PACKED * 1e6 * size + JOB_BYTES * len(held))


def _trained(run: Run, held: Mapping[str, Sizes]) -> Iterator[StageCost]:
    c, plan, s = run.configuration, run.plan, run.plan.sizing
    d, names = c.dissimilarity, list(c.domains)
    costs = of_trainings(run, held)
    pool = [costs.chunk(name) for name in names]
    if c.pool.learners is not None:
        pool = [Work(s.costs.calibration.unit, work.megabytes) for work in pool]
    yield _stage(run, "trials", sum(len(plan.trial_jobs(n)) for n in names), c.pool.size * len(names), pool,
                 c.pool.chunks, c.pool.policies_per_chunk * (TRIAL_BYTES + 8 * _epochs(c.training)))  # fmt: skip
    agents = [costs.agent(name, agent.name) for name in names for agent in c.agents.networks]
    yield _stage(run, "agents", len(plan.agent_jobs), len(agents) * c.agents.repetitions, agents,
                 c.agents.repetitions, TRIAL_BYTES + 8 * _epochs(c.agent_training))  # fmt: skip
    mixed = [costs.pair(a, b) for a, b in plan.mixed]
    each = d.repetitions * len(d.trained_points)
    yield _stage(run, "mixtures", len(plan.mixture_jobs), len(mixed) * each, mixed,
                 d.chunks, MIXED_BYTES * each / d.chunks)  # fmt: skip
    alone = [costs.alone(job.domain, part) for job in plan.ends.jobs for part, _ in job.units]
    count = (d.ends_trained + len(d.shares) * c.control_repetitions * c.controls) * len(names) if alone else 0
    yield _stage(run, "alone", len(plan.ends.jobs), count, alone, 1, MIXED_BYTES * count / max(1, len(alone)))
    if c.baseline is not None:
        works = [s.baseline(name) for name in plan.baseline_domains] + [s.baseline_play(name) for name in names]
        yield _stage(run, "baseline", len(works), len(plan.baseline_domains) * c.baseline.repetitions, works, 1, 0.0)


def _stage(run: Run, name: str, jobs: int, trainings: int, units: list[Work], times: int, content: float) -> StageCost:
    k = run.plan.sizing.costs.calibration
    trained = sum(work.seconds - k.unit for work in units) * times
    seconds = trained + k.unit * len(units) * times + jobs * k.start / 2
    return StageCost(name, jobs, trainings, seconds, trained,
                     len(units) * times * (UNIT_BYTES + content) + jobs * JOB_BYTES)  # fmt: skip


def _epochs(settings: object) -> int:
    """Return the losses that a training keeps."""
    return int(getattr(settings, "epochs", 100))


def _played(run: Run) -> StageCost:
    """What agents from outside cost besides their own thinking, which nobody knows."""
    c, start = run.configuration, run.plan.sizing.costs.calibration.start / 2
    jobs = len(c.agents.outside) * len(c.domains)
    return StageCost("outside", jobs, jobs * c.agents.repetitions, jobs * start, 0.0, jobs * (UNIT_BYTES + JOB_BYTES))


def reductions(run: Run) -> int:
    """Return how many jobs reduce, compare, draw and tabulate, without the one that writes the page."""
    c, plan = run.configuration, run.plan
    played = 2 * len(c.domains) if c.baseline is not None else 0  # plays are the baseline's, and give their entropy
    return len(plan.results()) - played + plan.ends.measured + len(plan.products())


def _reduction(run: Run) -> StageCost:
    c, plan = run.configuration, run.plan
    start = plan.sizing.costs.calibration.start / 2
    jobs = reductions(run) + 1  # the page
    figures = sum(len(made.figure_names(plan)) for made in plan.products())
    resampled = len(c.domains) * c.complexity.resamples * c.pool.size * 1e-7
    compared = len(plan.pairs) * c.dissimilarity.resamples * 1e-5
    baselines = plan.sizing.known_baselines(len(plan.pairs)).seconds if plan.with_known_baselines else 0.0
    seconds = 0.4 * start * jobs + FIGURE_SECONDS * figures + resampled + compared + baselines
    size = figures * FIGURE_BYTES + jobs * JOB_BYTES + (2 * len(c.domains) + 4) * RESULT_BYTES
    size += len(plan.pairs) * (PAIR_BYTES + 3 * 8 * c.dissimilarity.resamples)  # draws of the pair, and in two cells
    return StageCost("reduction", jobs, 0, seconds, 0.0, size)


def files_by(run: Run) -> dict[str, float]:
    """Return how many files of a whole run, records and logs of its jobs included, a domain and a pair add on average.

    What there is one of whatever the suite's size (space, scores, tables, figures of the whole) belongs to neither.
    """
    plan, names = run.plan, list(run.configuration.domains)
    shards = len(plan.shards()) - len(plan.mixture_jobs) - plan.ends.measured
    reduced = sum(kind in ("complexity", "entropy", "play") for kind, _ in plan.results().values())
    counted = {
        "domain": (len(names), shards + reduced, 5 * len(names)),
        "pair": (len(plan.pairs), len(plan.mixture_jobs), 5 * len(drawn_pairs(plan))),
    }
    return {what: (5 * jobs + 2 * drawn) / count for what, (count, jobs, drawn) in counted.items()}
