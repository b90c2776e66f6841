"""The AIQ benchmark at full scale: whole, planned without data; what is missing is one sentence. About 8 seconds."""

from pathlib import Path

import pytest

from aiq.config.load import read
from aiq.domains.base import Request
from aiq.domains.labelled.library_sets import load_torchvision
from aiq.errors import DomainError
from aiq.plans.run import Run
from aiq.run.costing import expected
from papers.claims.evidence import CALLED, Evidence
from papers.planned import planned

CONFIG = Path(__file__).resolve().parents[2] / "config" / "benchmark.yaml"


@pytest.fixture(scope="module")
def run():
    return Run.of(read(CONFIG))


def test_it_holds_the_six_domains_of_the_paper_whole(run):
    domains = {name: one.model_dump(mode="json") for name, one in run.configuration.domains.items()}
    assert len(Evidence("plan", domains=domains).benchmark()) == len(CALLED) == len(domains) == 6
    held = run.plan.sizing.costs.sizes
    assert {name: one.train for name, one in held.items()} == {
        "mnist": 60_000, "fashion-mnist": 60_000, "cifar10": 50_000, "cifar100": 50_000, "cartpole": 50_000,
        "cartpole3d": 50_000}  # fmt: skip
    assert held["cifar100"].classes == 100


def test_its_pool_and_mixtures_are_those_of_figures_16_and_17(run):
    c, figure = run.configuration, planned("f17", "paper").run.configuration
    assert (c.pool, c.training, c.dissimilarity) == (figure.pool, figure.training, figure.dissimilarity)
    assert {(one.layers, one.width) for one in c.agents.networks} <= {
        (one.layers, one.width) for one in figure.agents.networks
    }


def test_its_cost_is_known_without_data(run):
    found = expected(read(CONFIG))
    assert found.modelled
    assert not found.assumed
    assert found.trials == 6 * 256 + 20 * 6 * 5 + 21 * 9 * 5 + 6 * 5 * 12
    assert expected({**read(CONFIG), "device": "cuda"}).gpu_hours > 0


@pytest.mark.parametrize("name", ["mnist", "cifar100"])
def test_data_that_are_not_here_are_told_in_one_sentence(run, name, tmp_path: Path):
    settings = run.configuration.domains[name]
    with pytest.raises(DomainError, match=r"missing or damaged at .* put torchvision's files there") as told:
        load_torchvision(settings, Request(name, 1, (name,), tmp_path, download=False))
    assert "\n" not in str(told.value)
