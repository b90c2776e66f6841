"""The suite of all kinds of tests in a tiny cut: labelled data played beside a pole, cups, a program and a game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tiny
import tiny_control
import yaml

from aiq import domains, storage
from aiq.config import Configuration, validate
from aiq.domains.control.mixed_worlds import MixedDomain
from aiq.errors import StorageError
from aiq.plans.run import Run
from aiq.records.domains import ControlInterface
from aiq.run.reducing.space import AgentScores
from aiq.storage import read_result
from aiq.training.data import control_interface

pytestmark = [pytest.mark.workflow]
CONFIG = yaml.safe_load((Path(__file__).resolve().parents[2] / "config" / "everything.yaml").read_text("utf-8"))
WITHOUT_FILES = ("wine", "pole", "cups-5", "bf-one", "lake-dry")


def cut() -> dict:
    """The configuration with five domains and trainings of some steps."""
    short = {
        **CONFIG["training"],
        "steps": 60,
        "replay": 60,
        "evaluation": {"every": 30, "episodes": 2, "final_episodes": 2},
    }
    return {
        **CONFIG,
        "results": "results/control",
        "domains": {name: CONFIG["domains"][name] for name in WITHOUT_FILES},
        "training": short,
        "pool": {**CONFIG["pool"], "size": 4, "policies_per_chunk": 2},
        "complexity": {"resamples": 40},
        "entropy": {"resamples": 40},
        "dissimilarity": {
            **CONFIG["dissimilarity"],
            "training": short,
            "proportions": 3,
            "repetitions": 2,
            "repetitions_per_chunk": 2,
            "end_repetitions": 2,
            "end_repetitions_per_chunk": 2,
            "resamples": 40,
        },
        "agents": {"repetitions": 1, "networks": CONFIG["agents"]["networks"][:2]},
        "baseline": {"network": {"layers": 1, "width": 4}, "training": short, "repetitions": 1, "episodes": 2},
        "page": {},
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run; not to be changed."""
    folder = tmp_path_factory.mktemp("everything")
    tiny_control.make(folder, cut())
    return folder


def test_every_pair_of_kinds_is_mixed_under_one_interface_and_agents_are_scored_on_all(made: Path):
    run = Run.of(cut())
    with tiny.inside(made):
        interface = read_result(run.layout.interface, "interface", ControlInterface, run.plan.ends.common)
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())
    assert (interface.observations, interface.actions, interface.spread) == (16, 5, 100.0)
    assert len(run.plan.pairs) == 15
    assert set(scores.domain) == set(WITHOUT_FILES)
    assert len(scores.performance) == 2 * len(WITHOUT_FILES)
    assert (scores.performance >= 0).all()
    assert (scores.performance <= 1).all()
    assert not scores.unscored


def test_a_change_of_the_data_under_a_prepared_domain_is_refused(made: Path, monkeypatch):
    from aiq.domains.labelled import library_sets
    from aiq.run.training.domains import prepared

    run = Run.of(cut())
    with tiny.inside(made):
        prepared(run, "wine", run.layout.domain("wine"))
        original = library_sets.split
        monkeypatch.setattr(library_sets, "split", lambda *a: tuple(part[::-1] for part in original(*a)))
        with pytest.raises(StorageError, match="domain wine was prepared from other data than it is read from now"):
            prepared(run, "wine", run.layout.domain("wine"))


def test_the_domains_of_the_shipped_configuration_can_be_mixed_with_each_other(data_root: Path):
    settings = validate(Configuration, CONFIG).domains
    told = {"root_seed": CONFIG["seed"], "data_root": str(data_root)}
    found = {name: domains.control_domain(name, one, **told) for name, one in settings.items()}
    interface = control_interface(found.values())
    assert (interface.observations, interface.actions, interface.spread) == (64, 10, 200.0)
    assert (found["cifar10"].observations, found["cifar10"].actions) == (64, 10)
    picture = found["mnist"].measured.samples
    whole = domains.load("mnist", settings["mnist"].labelled, **told)
    assert np.array_equal(picture.observations * 255, whole.test_x.reshape(-1, 64).astype(np.float32))
    assert np.array_equal(picture.answer, whole.test_y)
    worlds = MixedDomain(found["mnist"], found["grids"], [0.5] * 3, interface).worlds([1, 2, 3])
    assert (worlds.observations, worlds.actions) == (64, 10)
