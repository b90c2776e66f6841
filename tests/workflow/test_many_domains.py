"""45 domains and 1,035 pairs from shards to figures: the truth comes out, and no job takes more than it asks for.

Shards are made up by ``benchmarks/scale_source.py``. What the rules call is called here in a process per job, without
Snakemake; ``benchmarks/scale.py`` drives the rules themselves, with 200 domains. Takes 15 s of one core.
"""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.run.products import make_products
from aiq.run.reducing.complexity import reduce_complexity
from aiq.run.reducing.dissimilarity import DRAWS, SuiteDissimilarity, reduce_dissimilarity
from aiq.run.reducing.space import build_space
from changes import changed

sys.path.insert(0, str(tiny.ROOT / "benchmarks"))
import scale_source

pytestmark = pytest.mark.workflow

DOMAINS = 45
PAIRS = DOMAINS * (DOMAINS + 1) // 2


def suite(folder: Path) -> Any:
    """The made-up suite with few policies and few repetitions."""
    raw = scale_source.configuration(DOMAINS, str(folder / "results"), pool=8)
    return Run.of(
        changed(
            raw, dissimilarity__repetitions=3, dissimilarity__repetitions_per_chunk=3, dissimilarity__proportions=7,
            complexity__resamples=50, agents__networks=[],
        )
    )  # fmt: skip


def apart(work: Any) -> float:
    """Do some work in a process of its own and return the megabytes that it took beyond those at its start."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            before = held()
            work()
            os.write(write, f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before}".encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        told = pipe.read()
    assert os.waitpid(pid, 0)[1] == 0
    return float(told)


def held() -> float:
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, dict[str, float]]:
    """The suite with its results, and the megabytes of each job."""
    run = suite(tmp_path_factory.mktemp("many"))
    plan, layout = run.plan, run.layout
    scale_source.write_shards(run)
    complexities = [layout.complexity(name) for name in run.configuration.domains]
    for name, path in zip(run.configuration.domains, complexities, strict=True):
        reduce_complexity(run, name, [layout.trial_job(job) for job in plan.trial_jobs(name)], path)
    mixtures = [layout.mixture_job(job) for job in plan.mixture_jobs]
    alone = [layout.alone_job(job) for job in plan.ends.jobs]
    jobs = {
        "reduce_dissimilarity": lambda: reduce_dissimilarity(run, mixtures, layout.dissimilarity, alone),
        "build_space": lambda: build_space(run, complexities, layout.dissimilarity, layout.space),
        "draw_dissimilarity": lambda: make_products(run, "draw_dissimilarity"),
    }
    return run, {rule: apart(work) for rule, work in jobs.items()}


def test_jobs_take_less_memory_than_they_ask_for(made):
    run, taken = made
    asked = {rule: megabytes for rule, megabytes, _ in run.plan.requests()}
    base = run.plan.sizing.costs.base / 4  # of Python and its libraries, which the process had at its start
    assert {rule: round(used) for rule, used in taken.items() if used + base > asked[rule]} == {}


def test_dissimilarities_are_those_of_the_truth(made):
    run, _ = made
    known = ("dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
    found = storage.read_result(run.layout.dissimilarity, *known, without=DRAWS)
    assert len(found.pairs) == PAIRS
    assert found.replicates.shape == (0, DOMAINS, DOMAINS)
    truth = scale_source.Truth(list(run.configuration.domains))
    rows = [(truth.area(p.a, p.b), p.measured.signed.value) for p in found.pairs if p.a != p.b]
    true, measured = np.array(rows).T
    assert np.corrcoef(true, measured)[0, 1] > 0.99
    assert np.abs(measured - true).mean() < 0.005


def test_the_suite_has_figures_of_the_whole_and_of_no_pair(made):
    run, _ = made
    drawn = sorted(path.stem for path in Path(run.layout.root, "figures").glob("*.png"))
    parts = [f"dissimilarity-{part}" for part in run.plan.ends.areas]
    assert drawn == sorted(["dissimilarity-matrix", "mixture-overview", "similarity-matrix", *parts])
    curves = storage.read_published(run.layout.figure("mixture-overview", "csv"))
    assert len({(row[0], row[1]) for row in curves.rows}) == PAIRS
    cells = storage.read_published(run.layout.figure("dissimilarity-matrix", "csv"))
    assert len(cells.rows) == DOMAINS**2
