"""Members of a population come out as if each were trained alone: weights, losses, stops, gradients."""

import numpy as np
import pytest
import torch
from torch import nn

from aiq.config.training import Pool, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.policies import networks, pool
from aiq.records.trial import Architecture, Policy
from aiq.training import reference, together, together_streams
from aiq.training.data import LabelledData, mixed
from aiq.training.networks import matrix_products
from aiq.training.networks.dense import DenseNets
from aiq.training.orders import mixture_order, shared_order
from aiq.training.portions import portions
from aiq.training.turns import whole

CPU = torch.device("cpu")
OPTIMIZERS = {
    "adam": {"name": "adam", "learning_rate": 0.003},
    "adamw": {"name": "adamw", "learning_rate": 0.003, "weight_decay": 0.1},
    "momentum": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9},
    "sgd": {"name": "sgd", "learning_rate": 0.1},
    "adadelta": {"name": "adadelta", "learning_rate": 1.0},
}


def pictures(name="pictures", side=8, border=2, classes=4, n=330, seed=0):
    """Noisy pictures of class prototypes inside a border of zeros that test pictures do not have."""
    generator = np.random.default_rng(seed)
    inner = side - 2 * border
    prototypes = generator.integers(0, 256, size=(classes, inner, inner))
    y = generator.integers(0, classes, size=n).astype(np.int64)
    y[:classes] = np.arange(classes)
    noise = generator.integers(-90, 90, size=(n, inner, inner))
    x = np.zeros((n, 1, side, side), dtype=np.uint8)
    x[:, 0, border : side - border, border : side - border] = np.clip(prototypes[y] + noise, 0, 255)
    test = x[n // 2 :].copy()
    test[:, 0, 0] = generator.integers(0, 256, size=(len(test), side))
    sheet = DataSheet("b", "b", "b", (0, 255))
    return LabelledDomain(name, x[: n // 2], y[: n // 2], test, y[n // 2 :], name, classes, sheet)


def training(optimizer="adam", **changes):
    values = {"epochs": 1, "batch_size": 32, "optimizer": OPTIMIZERS[optimizer]} | changes
    return Training.model_validate(values)


def policies(count=9, seed=2, **ranges):
    settings = Pool(size=count, policies_per_chunk=count, **({"width": (1, 12)} | ranges))
    return pool.chunk(settings, seed, "pictures", 0)


def alone(data, policy, settings, dtype, order_seed=4):
    """Train one policy by the reference and return its module and learning curve."""
    order = shared_order(order_seed, len(data.train_y), settings.convergence)
    samples = reference.Samples(data.train_x, data.train_y, data.scale, CPU, dtype)
    module = networks.network(policy.architecture, data.shape, data.outputs, policy.seed, dtype)
    return module, reference.fit(module, samples, order, settings)


def largest_difference(weights, module):
    pairs = zip(weights, module.parameters(), strict=True)
    return max(float((ours - theirs.detach()).abs().max()) for ours, theirs in pairs)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_dense_chunk_equals_its_policies_alone_in_double_precision(optimizer, seed):
    data, settings = LabelledData.of(pictures()), training(optimizer, epochs=2)
    chunk = [*policies(seed=seed), Policy(Architecture("dense", ()), 5)]
    outcomes = together.fit_chunk(data, chunk, settings, order_seed=4, device=CPU, dtype=torch.float64)
    for policy, outcome in zip(chunk, outcomes, strict=True):
        module, curve = alone(data, policy, settings, torch.float64)
        assert largest_difference(outcome.weights, module) < 1e-12
        assert outcome.curve.losses == pytest.approx(curve.losses, abs=1e-12)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_dense_chunk_equals_its_policies_alone_after_a_hundred_single_steps(optimizer):
    data, settings = LabelledData.of(pictures(n=3200 * 2)), training(optimizer)
    chunk = policies(count=5)
    outcomes = together.fit_chunk(data, chunk, settings, order_seed=4, device=CPU, dtype=torch.float32)
    for policy, outcome in zip(chunk, outcomes, strict=True):
        module, _ = alone(data, policy, settings, torch.float32)
        assert outcome.steps == 100
        assert largest_difference(outcome.weights, module) < 1e-5


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "momentum", "adadelta"])
def test_policies_that_stop_early_stop_alike_and_disturb_nobody(optimizer):
    rule = {"validation": 0.2, "patience": 2, "improvement": 0.01}
    data, settings = LabelledData.of(pictures(n=1000)), training(optimizer, epochs=14, convergence=rule)
    chunk = policies(count=12, width=(1, 7))
    outcomes = together.fit_chunk(data, chunk, settings, order_seed=4, device=CPU, dtype=torch.float64)
    assert len({outcome.steps for outcome in outcomes}) > 2
    for policy, outcome in zip(chunk, outcomes, strict=True):
        module, curve = alone(data, policy, settings, torch.float64)
        assert (outcome.curve.status, outcome.curve.validation) == (curve.status, curve.validation)
        assert largest_difference(outcome.weights, module) < 1e-11


def test_dropped_columns_keep_their_initial_weights_and_count_on_the_test_split():
    data, settings = LabelledData.of(pictures()), training()
    chunk = policies()
    order = {"order_seed": 4, "device": CPU, "dtype": torch.float64, "progress": None}
    ours = whole(together.train_chunk(data, chunk, settings, **order))
    theirs = reference.train_chunk(data, chunk, settings, **order)
    assert [t.performance for t in ours] == [t.performance for t in theirs]
    assert [t.compressed for t in ours] == pytest.approx([t.compressed for t in theirs], abs=8)
    outcome = together.fit_chunk(data, chunk[:1], settings, order_seed=4, device=CPU, dtype=torch.float64)[0]
    policy = chunk[0]
    initial = networks.initial_weights(policy.architecture, data.shape, data.outputs, policy.seed, torch.float64)[0]
    border = torch.zeros(8, 8, dtype=torch.bool)
    border[[0, 1, 6, 7]] = True
    border[:, [0, 1, 6, 7]] = True
    unchanged = (outcome.weights[0] == initial).all(0)
    assert torch.equal(unchanged, border.flatten())


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "momentum", "adadelta"])
@pytest.mark.parametrize("widths", [(9,), (7, 5), ()])
def test_mixtures_equal_their_networks_alone(optimizer, widths):
    pair = mixed(pictures("one", seed=1), pictures("two", side=6, border=1, seed=2))
    rule = {"validation": 0.2, "patience": 1, "improvement": 0.02}
    settings = training(optimizer, epochs=4, convergence=rule)
    members = [(p, r, 10 * r + i) for i, p in enumerate((0.0, 0.4, 1.0)) for r in (0, 1)]
    architecture = Architecture("dense", widths)
    outcomes = together_streams.fit_mixtures(
        pair, architecture, settings, members=members, samples=150, seed=6, device=CPU, dtype=torch.float64
    )
    samples = reference.mixture_samples(pair, CPU, torch.float64)
    for (p, repetition, seed), outcome in zip(members, outcomes, strict=True):
        order = mixture_order(pair, p, repetition, 150, 6, settings.convergence)
        module = networks.network(architecture, pair.shape, pair.outputs, seed, torch.float64)
        curve = reference.fit(module, samples, order, settings)
        assert largest_difference(outcome.weights, module) < 1e-12
        assert outcome.curve.validation == curve.validation


def test_mixtures_equal_their_networks_alone_after_a_hundred_single_steps():
    pair = mixed(pictures("one", seed=1, n=6400), pictures("two", seed=2, n=6400))
    settings, architecture = training(), Architecture("dense", (9, 6))
    members = [(p, 0, i) for i, p in enumerate((0.0, 0.4, 1.0))]
    outcomes = together_streams.fit_mixtures(
        pair, architecture, settings, members=members, samples=3200, seed=6, device=CPU, dtype=torch.float32
    )
    samples = reference.mixture_samples(pair, CPU, torch.float32)
    for (p, repetition, seed), outcome in zip(members, outcomes, strict=True):
        module = networks.network(architecture, pair.shape, pair.outputs, seed)
        reference.fit(module, samples, mixture_order(pair, p, repetition, 3200, 6, None), settings)
        assert outcome.steps == 100
        assert largest_difference(outcome.weights, module) < 1e-5


@pytest.mark.parametrize("shared", [True, False])
def test_gradients_equal_those_of_autograd(shared):
    widths = [(3, 5, 2), (4,), (7, 7, 7), (), (2, 9), (6,)] if shared else [(4, 5)] * 3
    architectures = [Architecture("dense", w) for w in widths]
    modules = [networks.network(a, (10,), 3, i, torch.float64) for i, a in enumerate(architectures)]
    nets = DenseNets(architectures, [list(m.parameters()) for m in modules], shared=shared)
    generator = torch.Generator().manual_seed(0)
    shape = (8,) if shared else (3, 8)
    x = torch.randn(*shape, 10, generator=generator, dtype=torch.float64)
    y = torch.randint(0, 3, shape, generator=generator)
    nets.differentiate(x, y)
    for index, (module, loss) in enumerate(zip(modules, nets.losses(), strict=True)):
        own = (x, y) if shared else (x[index], y[index])
        expected = nn.functional.cross_entropy(module(own[0]), own[1])
        expected.backward()
        assert loss / 8 == pytest.approx(float(expected.detach()), abs=1e-13)
        for ours, weights in zip(nets.gradients(index), module.parameters(), strict=True):
            assert torch.allclose(ours, weights.grad, rtol=0, atol=1e-14)


def test_portions_hold_every_policy_once_similar_ones_together():
    wide = [p.architecture for p in policies(count=64, width=(8, 256))]
    narrow = [p.architecture for p in policies(count=64, width=(1, 8))]
    for architectures in (wide, narrow, [Architecture("dense", ())] * 3, [*narrow[:2], Architecture("dense", ())]):
        found = portions(architectures, 784, 10, 32)
        assert sorted(i for part in found for i in part) == list(range(len(architectures)))
        depths = [len(architectures[i].widths) for part in found for i in part]
        assert depths == sorted(depths, reverse=True)
    assert len(portions(wide, 784, 10, 32)) > len(portions(narrow, 784, 10, 32)) >= 1
    assert len(portions(narrow[:2], 784, 10, 32)) == 1


def test_products_by_the_other_library_are_those_of_double_precision():
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(250, 300, generator=generator, dtype=torch.float64)
    b = torch.randn(40, 300, generator=generator, dtype=torch.float64)
    assert not matrix_products.preferred(a, 40)
    assert not matrix_products.preferred(a[:2].float(), 40)
    assert matrix_products.preferred(a.float(), 40) == matrix_products.available()
    if not matrix_products.available():
        pytest.skip("this processor takes the usual product")
    for one, two in ((a, b), (a.t().contiguous().t(), b), (a, b.t().contiguous().t())):
        found = matrix_products.times_transposed(one.float(), two.float())
        assert float((found - a @ b.t()).abs().max()) < 1e-4


def test_both_products_train_alike(monkeypatch):
    data, settings = LabelledData.of(pictures(side=40, n=3200 * 2)), training()
    chunk = [Policy(Architecture("dense", (40,)), 1), Policy(Architecture("dense", (30, 9)), 2)]
    available, found = matrix_products.available(), []
    for library in (True, False):
        monkeypatch.setattr(matrix_products, "available", lambda library=library: library and available)
        found.append(together.fit_chunk(data, chunk, settings, order_seed=4, device=CPU, dtype=torch.float32))
    for one, two in zip(*found, strict=True):
        for ours, theirs in zip(one.weights, two.weights, strict=True):
            assert float((ours - theirs).abs().max()) < 1e-5
