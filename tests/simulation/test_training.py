"""Training one policy at a time: what every trainer must equal, tested for itself."""

import math

import numpy as np
import pytest
import torch

from aiq.config.training import Convergence, Pool, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training.checkpoints import Progress
from aiq.training.data import LabelledData, mixed
from aiq.training.supervised import train_chunk, train_mixtures

ADAM = {"name": "adam", "learning_rate": 0.01}


@pytest.fixture(params=["reference", "population"])
def trainer(request):
    return request.param


def blobs(name="blobs", shape=(12,), classes=3, n=240, seed=0):
    """Well separated Gaussian clusters: any network that learns at all reaches an accuracy near 1."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(classes, *shape)) * 2
    y = np.arange(n, dtype=np.int64) % classes
    x = (centres[y] + generator.normal(size=(n, *shape))).astype(np.float32)
    return LabelledDomain(
        name, x[: n // 2], y[: n // 2], x[n // 2 :], y[n // 2 :], name, classes, DataSheet("b", "b", "b", (-9, 9))
    )


def training(**changes):
    values = {"epochs": 4, "batch_size": 16, "optimizer": ADAM, "trainer": "reference"} | changes
    return Training.model_validate(values)


def timeless(trials):
    return [(t.performance, t.losses, t.validation, t.status, t.epochs, t.compressed, t.parameters) for t in trials]


def test_policies_learn_and_are_recorded(trainer):
    policies = networks.chunk(Pool(size=6, policies_per_chunk=6, width=(8, 16)), 1, "blobs", 0)
    trials = train_chunk(LabelledData.of(blobs()), policies, training(trainer=trainer, epochs=10), order_seed=1)
    assert [t.policy for t in trials] == policies
    assert all(t.performance > 0.9 and t.status == "finished" and t.epochs == 10 for t in trials)
    assert all(t.losses[-1] < t.losses[0] and len(t.losses) == 10 and t.seconds > 0 for t in trials)
    assert all(0 < t.compressed <= t.bytes + 100 for t in trials)


def test_repetition_is_identical_and_the_order_matters(trainer):
    policies = networks.chunk(Pool(size=4, policies_per_chunk=4), 1, "blobs", 0)
    data = LabelledData.of(blobs())
    one, two, other = (
        train_chunk(data, policies, training(trainer=trainer, epochs=2), order_seed=seed) for seed in (1, 1, 2)
    )
    assert timeless(one) == timeless(two)
    assert timeless(one) != timeless(other)


def test_threads_and_global_state_are_left_as_found(trainer):
    torch.set_num_threads(1)
    before = torch.get_rng_state()
    policies = networks.chunk(Pool(size=2, policies_per_chunk=2), 1, "blobs", 0)
    train_chunk(LabelledData.of(blobs()), policies, training(trainer=trainer, epochs=1), order_seed=1, threads=2)
    assert torch.get_num_threads() == 1
    assert torch.equal(before, torch.get_rng_state())


def test_a_policy_that_diverges_is_counted_and_disturbs_nobody(trainer):
    data = LabelledData.of(blobs())
    policies = [Policy(Architecture("dense", widths), 1) for widths in ((16, 16, 16), (), (16, 16), ())]
    settings = training(trainer=trainer, epochs=3, optimizer={"name": "sgd", "learning_rate": 1e9})
    trials = train_chunk(data, policies, settings, order_seed=1)
    assert [t.status for t in trials] == ["diverged", "finished", "diverged", "finished"]
    for trial in trials:
        assert math.isnan(trial.performance) == (trial.status == "diverged")
        assert (trial.epochs < 3) == (trial.status == "diverged")
    alone = train_chunk(data, policies[1:2], settings, order_seed=1)
    assert alone[0].performance == trials[1].performance > 0.9


def test_the_stopping_rule_by_hand():
    curve = Progress(10, Convergence(patience=2, improvement=0.1))
    seen = [curve.epoch(1.0, True, accuracy) for accuracy in (0.5, 0.55, 0.75, 0.8, 0.84)]
    assert seen == [None, None, None, None, "converged"]
    assert Progress(1, None).epoch(1.0, True, None) == "finished"
    assert Progress(3, None).epoch(math.inf, True, None) == "diverged"
    assert Progress(3, None).epoch(1.0, False, None) == "diverged"


def test_wrong_calls_are_refused_in_a_sentence():
    data, dense = LabelledData.of(blobs()), [Policy(Architecture("dense", (2,)), 1)]
    for policies, told, sentence in (
        ([Policy(Architecture("convolutional", (2,), 5), 1)], {}, "take the dense family"),
        (dense, {"device": "tpu"}, "allowed are cpu and cuda"),
    ):
        with pytest.raises(TrainingError, match=sentence):
            train_chunk(data, policies, training(), order_seed=1, **told)


def test_mixtures_learn_what_they_see(trainer):
    pair = mixed(blobs("a", seed=1), blobs("b", seed=2))
    results = train_mixtures(
        pair,
        Architecture("dense", (16,)),
        training(trainer=trainer, epochs=12),
        proportions=(0.0, 0.5, 1.0),
        repetitions=(0, 1),
        samples=None,
        seed=3,
    )
    assert [(r.proportion, r.repetition) for r in results] == [(p, r) for p in (0.0, 0.5, 1.0) for r in (0, 1)]
    for result in results:
        assert (result.first > 0.9) == (result.proportion > 0)
        assert (result.second > 0.9) == (result.proportion < 1)
        assert result.status == "finished"


def test_a_mixture_does_not_depend_on_its_company(trainer):
    pair = mixed(blobs("a", seed=1), blobs("b", seed=2))

    def results(proportions, repetitions):
        return train_mixtures(
            pair,
            Architecture("dense", (4,)),
            training(trainer=trainer, epochs=1),
            proportions=proportions,
            repetitions=repetitions,
            samples=64,
            seed=3,
            dtype=torch.float64,
        )

    alone = results((0.3,), (2,))[0]
    company = next(r for r in results((0.0, 0.3, 1.0), (0, 1, 2)) if (r.proportion, r.repetition) == (0.3, 2))
    assert (alone.first, alone.second) == (company.first, company.second)


def test_a_chunk_may_have_both_families():
    generator = np.random.default_rng(0)
    x, y = generator.integers(0, 256, size=(40, 1, 8, 8)).astype(np.uint8), np.arange(40, dtype=np.int64) % 2
    domain = LabelledDomain("p", x, y, x, y, "p", 2, DataSheet("b", "b", "b", (0, 255)))
    policies = [Policy(Architecture("dense", (3,)), 1), Policy(Architecture("convolutional", (2,), 4), 2)]
    trials = train_chunk(LabelledData.of(domain), policies, training(trainer="population", epochs=2), order_seed=1)
    assert [trial.policy for trial in trials] == policies


def test_final_accuracies_of_a_population_are_those_of_its_policies_alone():
    """64 policies long enough for rounding to grow: single differences may, their mean must not be other than 0."""
    domain = blobs(shape=(20,), classes=6, n=800)
    noise = np.random.default_rng(1).normal(scale=3, size=(800, 20)).astype(np.float32)
    domain.train_x[:] += noise[:400]
    domain.test_x[:] += noise[400:]
    policies = networks.chunk(Pool(size=64, policies_per_chunk=64, width=(1, 16)), 1, "blobs", 0)
    data = LabelledData.of(domain)
    ours, theirs = (
        np.array([t.performance for t in train_chunk(data, policies, training(trainer=t, epochs=6), order_seed=1)])
        for t in ("population", "reference")
    )
    difference = ours - theirs
    assert 0.2 < ours.mean() < 0.95
    assert ours.std() > 0.05
    assert abs(difference.mean()) <= 0.002 + 3 * difference.std() / 8
    assert np.abs(difference).max() < 0.05
