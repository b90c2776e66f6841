"""Networks that learn numbers: populations equal the reference, and what they reach is R² clipped to [0, 1]."""

import numpy as np
import pytest
import torch

from aiq.config import validate
from aiq.config.training import Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.records.trial import Architecture, Policy
from aiq.training import supervised
from aiq.training.data import LabelledData, determination, mixed, mixed_on, suite_interface

SHEET = DataSheet("made", "made", "CC0", (0.0, 1.0))
ADAM = {"name": "adam", "learning_rate": 0.02}


def domain(name, features, noise=0.0, seed=0, pictures=False):
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


def settings(trainer, **changes):
    return validate(Training, {"epochs": 3, "batch_size": 32, "optimizer": ADAM, "trainer": trainer, **changes})


def test_determination_is_one_less_the_share_of_squared_error():
    y = torch.tensor([1.0, 2.0, 3.0])  # squared error of the mean: 2
    assert determination(0.0, y) == 1
    assert determination(0.5, y) == pytest.approx(0.75)
    assert determination(2.0, y) == 0  # the mean itself: chance
    assert determination(7.0, y) == 0  # worse is clipped


def both(train, *what, rule=None, **told):
    """Results by the population and by the reference, in double precision."""
    settings_of = [settings(trainer, convergence=rule) for trainer in ("population", "reference")]
    return zip(*(train(*what, own, dtype=torch.float64, **told) for own in settings_of), strict=True)


@pytest.mark.parametrize("rule", [None, {"validation": 0.2, "patience": 1}])
def test_a_population_equals_the_reference(rule):
    """For networks of unequal depth, one of them linear."""
    data = LabelledData.of(domain("a", 5, noise=0.3))
    policies = [Policy(Architecture("dense", widths), 10 + k) for k, widths in enumerate([(), (4,), (3, 6), (9, 2)])]
    for a, b in both(supervised.train_chunk, data, policies, rule=rule, order_seed=5):
        assert a.performance == pytest.approx(b.performance, abs=1e-9)
        assert a.losses == pytest.approx(b.losses, rel=1e-9)
        assert a.validation == pytest.approx(b.validation, abs=1e-9)
        assert bool(a.validation) == (rule is not None)


def test_a_linear_network_reaches_what_the_noise_allows():
    """Least squares has the R² of the signal's share of the variance, 1 / (1 + noise²) = .8 for noise 1/2."""
    data = LabelledData.of(domain("a", 4, noise=0.5))
    (trial,) = supervised.train_chunk(
        data, [Policy(Architecture("dense", ()), 1)], settings("population", epochs=60), order_seed=2
    )
    x, y = data.train_x.numpy(), data.train_y.numpy()
    fit = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y, rcond=None)[0]
    error = np.square(data.test_x.numpy() @ fit[:-1] + fit[-1] - data.test_y.numpy()).sum()
    assert trial.performance == pytest.approx(determination(float(error), data.test_y), abs=0.02)
    assert trial.performance == pytest.approx(0.8, abs=0.08)


def test_convolutional_networks_learn_numbers_of_pictures():
    data = LabelledData.of(domain("p", 16, pictures=True))
    (trial,) = supervised.train_chunk(
        data, [Policy(Architecture("convolutional", (4,), 16), 1)], settings("population", epochs=30), order_seed=1
    )
    assert trial.performance > 0.4


def test_mixtures_share_one_output_and_tell_nothing():
    a, b = domain("a", 3, seed=1), domain("b", 5, seed=2)
    data = mixed(a, b)
    assert (data.shape, data.outputs) == ((5,), 1)
    found = suite_interface([a, b])
    assert (found.shape, found.outputs, found.samples) == ((5,), 1, 200)
    assert mixed_on(found, a, b).outputs == 1
    told = {"proportions": [0.0, 0.5, 1.0], "repetitions": [0, 1], "samples": None, "seed": 3}
    for x, y in both(supervised.train_mixtures, data, Architecture("dense", (6,)), **told):
        assert (x.first, x.second) == pytest.approx((y.first, y.second), abs=1e-9)
        assert (x.first_told, x.second_told) == (None, None)


def test_domains_alone_equal_the_reference():
    data = LabelledData.of(domain("a", 4, noise=0.2))
    told = {"places": [(0.3, 0), (1.0, 0), (0.3, 1)], "samples": 150, "seed": 4}
    for x, y in both(supervised.train_alone, data, Architecture("dense", (5,)), **told):
        assert x.performance == pytest.approx(y.performance, abs=1e-9)
        assert x.told is None


def test_a_number_and_a_class_are_not_mixed():
    a = domain("a", 3)
    b = LabelledDomain("b", a.train_x, np.arange(200) % 2, a.test_x, np.arange(100) % 2, "made:b", 2, SHEET)
    with pytest.raises(TrainingError, match="in one classes are learned, in the other a number"):
        mixed(a, b)
