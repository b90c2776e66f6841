"""Training one policy at a time: what every trainer must equal, tested for itself."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from aiq.config.training import Convergence, Pool, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training.checkpoints import Progress
from aiq.training.data import LabelledData, determination, mixed, mixed_on, suite_interface
from aiq.training.supervised import train_alone, train_chunk, train_mixtures

SHEET = DataSheet("b", "b", "b", (-9, 9))
ADAM = {"name": "adam", "learning_rate": 0.01}


@pytest.fixture(params=[True, False], ids=["reference", "population"])
def how(request):
    """By which trainer."""
    return {"one_by_one": request.param}


def blobs(name="blobs", shape=(12,), classes=3, n=240, seed=0):
    """Well separated Gaussian clusters: any network that learns at all reaches an accuracy near 1."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(classes, *shape)) * 2
    y = np.arange(n, dtype=np.int64) % classes
    x = (centres[y] + generator.normal(size=(n, *shape))).astype(np.float32)
    return LabelledDomain(name, x[: n // 2], y[: n // 2], x[n // 2 :], y[n // 2 :], name, classes, SHEET)


def training(**changes):
    values = {"epochs": 4, "batch_size": 16, "optimizer": ADAM} | changes
    return Training.model_validate(values)


def timeless(trials):
    return [(t.performance, t.losses, t.validation, t.status, t.epochs, t.compressed, t.parameters) for t in trials]


def test_policies_learn_and_are_recorded(how):
    policies = networks.chunk(Pool(size=6, policies_per_chunk=6, width=(8, 16)), 1, "blobs", 0)
    trials = train_chunk(LabelledData.of(blobs()), policies, training(epochs=10), order_seed=1, **how)
    assert [t.policy for t in trials] == policies
    assert all(t.performance > 0.9 and t.status == "finished" and t.epochs == 10 for t in trials)
    assert all(t.losses[-1] < t.losses[0] and len(t.losses) == 10 and t.seconds > 0 for t in trials)
    assert all(0 < t.compressed <= t.bytes + 100 for t in trials)


def test_repetition_is_identical_and_the_order_matters(how):
    policies, data = networks.chunk(Pool(size=4, policies_per_chunk=4), 1, "blobs", 0), LabelledData.of(blobs())
    run = partial(train_chunk, data, policies, training(epochs=2), **how)
    one, two, other = (timeless(run(order_seed=seed)) for seed in (1, 1, 2))
    assert one == two != other


def test_threads_and_global_state_are_left_as_found(how):
    torch.set_num_threads(1)
    before = torch.get_rng_state()
    policies = networks.chunk(Pool(size=2, policies_per_chunk=2), 1, "blobs", 0)
    train_chunk(LabelledData.of(blobs()), policies, training(epochs=1), order_seed=1, threads=2, **how)
    assert torch.get_num_threads() == 1
    assert torch.equal(before, torch.get_rng_state())


def test_a_policy_that_diverges_is_counted_and_disturbs_nobody(how):
    data = LabelledData.of(blobs())
    policies = [Policy(Architecture("dense", widths), 1) for widths in ((16, 16, 16), (), (16, 16), ())]
    settings = training(epochs=3, optimizer={"name": "sgd", "learning_rate": 1e9})
    trials = train_chunk(data, policies, settings, order_seed=1, **how)
    assert [t.status for t in trials] == ["diverged", "finished", "diverged", "finished"]
    for trial in trials:
        assert math.isnan(trial.performance) == (trial.status == "diverged")
        assert (trial.epochs < 3) == (trial.status == "diverged")
    alone = train_chunk(data, policies[1:2], settings, order_seed=1, **how)
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


def test_mixtures_learn_what_they_see(how):
    pair = mixed(blobs("a", seed=1), blobs("b", seed=2))
    results = train_mixtures(
        pair,
        Architecture("dense", (16,)),
        training(epochs=12),
        proportions=(0.0, 0.5, 1.0),
        repetitions=(0, 1),
        samples=None,
        seed=3,
        **how,
    )
    assert [(r.proportion, r.repetition) for r in results] == [(p, r) for p in (0.0, 0.5, 1.0) for r in (0, 1)]
    for result in results:
        assert (result.first > 0.9) == (result.proportion > 0)
        assert (result.second > 0.9) == (result.proportion < 1)
        assert result.status == "finished"


def test_a_mixture_does_not_depend_on_its_company(how):
    pair = mixed(blobs("a", seed=1), blobs("b", seed=2))
    told = {"samples": 64, "seed": 3, "dtype": torch.float64, **how}

    def results(proportions, repetitions):
        call = {"proportions": proportions, "repetitions": repetitions, **told}
        return train_mixtures(pair, Architecture("dense", (4,)), training(epochs=1), **call)

    alone = results((0.3,), (2,))[0]
    company = next(r for r in results((0.0, 0.3, 1.0), (0, 1, 2)) if (r.proportion, r.repetition) == (0.3, 2))
    assert (alone.first, alone.second) == (company.first, company.second)


def test_a_chunk_may_have_both_families():
    generator = np.random.default_rng(0)
    x, y = generator.integers(0, 256, size=(40, 1, 8, 8)).astype(np.uint8), np.arange(40, dtype=np.int64) % 2
    domain = LabelledDomain("p", x, y, x, y, "p", 2, SHEET)
    policies = [Policy(Architecture("dense", (3,)), 1), Policy(Architecture("convolutional", (2,), 4), 2)]
    trials = train_chunk(LabelledData.of(domain), policies, training(epochs=2), order_seed=1)
    assert [trial.policy for trial in trials] == policies


def test_final_accuracies_of_a_population_are_those_of_its_policies_alone():
    """64 policies long enough for rounding to grow: single differences may, their mean must not be other than 0."""
    domain = blobs(shape=(20,), classes=6, n=800)
    noise = np.random.default_rng(1).normal(scale=3, size=(800, 20)).astype(np.float32)
    domain.train_x[:] += noise[:400]
    domain.test_x[:] += noise[400:]
    policies = networks.chunk(Pool(size=64, policies_per_chunk=64, width=(1, 16)), 1, "blobs", 0)
    data = LabelledData.of(domain)
    run = partial(train_chunk, data, policies, training(epochs=6), order_seed=1)
    ours, theirs = (np.array([t.performance for t in run(one_by_one=slow)]) for slow in (False, True))
    difference = ours - theirs
    assert 0.2 < ours.mean() < 0.95
    assert ours.std() > 0.05
    assert abs(difference.mean()) <= 0.002 + 3 * difference.std() / 8
    assert np.abs(difference).max() < 0.05


# ---- Numbers: populations equal the reference, and what they reach is R² clipped to [0, 1] ---------


def linear(name, features, noise=0.0, seed=0, pictures=False):
    """Numbers that are linear in the samples, with noise."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=features)
    parts = []
    for count in (200, 100):
        x = rng.normal(size=(count, features)).astype(np.float32)
        parts += [x, (x @ weights / np.linalg.norm(weights) + noise * rng.normal(size=count)).astype(np.float32)]
    if pictures:
        parts[0], parts[2] = (np.clip(128 + 40 * x, 0, 255).astype(np.uint8).reshape(-1, 1, 4, 4) for x in parts[::2])
    return LabelledDomain(name, *parts, f"made:{name}", 1, SHEET, "number")


def learned(**changes):
    adam = {"name": "adam", "learning_rate": 0.02}
    return training(**{"epochs": 3, "batch_size": 32, "optimizer": adam, **changes})


def test_determination_is_one_less_the_share_of_squared_error():
    y = torch.tensor([1.0, 2.0, 3.0])  # squared error of the mean: 2
    assert determination(0.0, y) == 1
    assert determination(0.5, y) == pytest.approx(0.75)
    assert determination(2.0, y) == 0  # the mean itself: chance
    assert determination(7.0, y) == 0  # worse is clipped


def both(train, *what, rule=None, **told):
    """Results by the population and by the reference, in double precision."""
    run = partial(train, *what, learned(convergence=rule), dtype=torch.float64, **told)
    return zip(run(), run(one_by_one=True), strict=True)


@pytest.mark.parametrize("rule", [None, {"patience": 1}])
def test_a_population_equals_the_reference(rule):
    """For networks of unequal depth, one of them linear."""
    data = LabelledData.of(linear("a", 5, noise=0.3))
    policies = [Policy(Architecture("dense", widths), 10 + k) for k, widths in enumerate([(), (4,), (3, 6), (9, 2)])]
    for a, b in both(train_chunk, data, policies, rule=rule, order_seed=5):
        assert a.performance == pytest.approx(b.performance, abs=1e-9)
        assert a.losses == pytest.approx(b.losses, rel=1e-9)
        assert a.validation == pytest.approx(b.validation, abs=1e-9)
        assert bool(a.validation) == (rule is not None)


def test_a_linear_network_reaches_what_the_noise_allows():
    """Least squares has the R² of the signal's share of the variance, 1 / (1 + noise²) = .8 for noise 1/2."""
    data = LabelledData.of(linear("a", 4, noise=0.5))
    (trial,) = train_chunk(data, [Policy(Architecture("dense", ()), 1)], learned(epochs=60), order_seed=2)
    x, y = data.train_x.numpy(), data.train_y.numpy()
    fit = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
    error = np.square(data.test_x.numpy() @ fit[:-1] + fit[-1] - data.test_y.numpy()).sum()
    assert trial.performance == pytest.approx(determination(float(error), data.test_y), abs=0.02)
    assert trial.performance == pytest.approx(0.8, abs=0.08)


def test_convolutional_networks_learn_numbers_of_pictures():
    data = LabelledData.of(linear("p", 16, pictures=True))
    (trial,) = train_chunk(data, [Policy(Architecture("convolutional", (4,), 16), 1)], learned(epochs=30), order_seed=1)
    assert trial.performance > 0.4


def test_mixtures_share_one_output_and_tell_nothing():
    a, b = linear("a", 3, seed=1), linear("b", 5, seed=2)
    data = mixed(a, b)
    assert (data.shape, data.outputs) == ((5,), 1)
    found = suite_interface([a, b])
    assert (found.shape, found.outputs, found.samples) == ((5,), 1, 200)
    assert mixed_on(found, a, b).outputs == 1
    told = {"proportions": [0.0, 0.5, 1.0], "repetitions": [0, 1], "samples": None, "seed": 3}
    for x, y in both(train_mixtures, data, Architecture("dense", (6,)), **told):
        assert (x.first, x.second) == pytest.approx((y.first, y.second), abs=1e-9)
        assert (x.first_told, x.second_told) == (None, None)


def test_domains_alone_equal_the_reference():
    data = LabelledData.of(linear("a", 4, noise=0.2))
    told = {"places": [(0.3, 0), (1.0, 0), (0.3, 1)], "samples": 150, "seed": 4}
    for x, y in both(train_alone, data, Architecture("dense", (5,)), **told):
        assert x.performance == pytest.approx(y.performance, abs=1e-9)
        assert x.told is None


def test_a_number_and_a_class_are_not_mixed():
    a = linear("a", 3)
    b = LabelledDomain("b", a.train_x, np.arange(200) % 2, a.test_x, np.arange(100) % 2, "made:b", 2, SHEET)
    with pytest.raises(TrainingError, match="in one classes are learned, in the other a number"):
        mixed(a, b)
