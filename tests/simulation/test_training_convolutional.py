"""Convolutional networks trained fast equal their plain modules: gradients, weights, stops, in batches too."""

import numpy as np
import pytest
import torch
from torch import nn

from aiq.config.training import Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.policies import networks
from aiq.policies.size import reduced_sides
from aiq.records.trial import Architecture, Policy
from aiq.training import reference, together, together_streams
from aiq.training.data import LabelledData, mixed
from aiq.training.feeds import OwnFeed, SharedFeed, Table
from aiq.training.networks.convolutional import ConvolutionalNet, channels_last
from aiq.training.networks.convolutional_batch import ConvolutionalNets
from aiq.training.orders import mixture_order, shared_order
from aiq.training.population import Member, train
from aiq.training.turns import whole

CPU = torch.device("cpu")
ADAM = {"name": "adam", "learning_rate": 0.003}
KINDS = [((3,), "pooling"), ((4, 5), "pooling"), ((2, 3), "stride"), ((1,), "pooling")]


def pictures(name="pictures", channels=1, side=9, classes=3, n=160, seed=0):
    generator = np.random.default_rng(seed)
    y = np.arange(n, dtype=np.int64) % classes
    prototypes = generator.integers(0, 256, size=(classes, channels, side, side))
    noise = generator.integers(-120, 120, size=(n, channels, side, side))
    x = np.clip(prototypes[y] + noise, 0, 255).astype(np.uint8)
    sheet = DataSheet("b", "b", "b", (0, 255))
    return LabelledDomain(name, x[: n // 2], y[: n // 2], x[n // 2 :], y[n // 2 :], name, classes, sheet)


def training(**changes):
    return Training.model_validate({"epochs": 1, "batch_size": 16, "optimizer": ADAM} | changes)


def chunk():
    return [Policy(Architecture("convolutional", w, 6, r), i) for i, (w, r) in enumerate(KINDS)]


def alone(data, policy, settings, dtype):
    samples = reference.Samples(data.train_x, data.train_y, data.scale, CPU, dtype)
    module = networks.network(policy.architecture, data.shape, data.outputs, policy.seed, dtype)
    return module, reference.fit(module, samples, shared_order(4, len(data.train_y), settings.convergence), settings)


def largest_difference(weights, module):
    return max(float((a - b.detach()).abs().max()) for a, b in zip(weights, module.parameters(), strict=True))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("widths", "reduction"), KINDS)
def test_gradients_equal_those_of_autograd(channels, widths, reduction):
    architecture, shape = Architecture("convolutional", widths, 6, reduction), (channels, 9, 8)
    module = networks.network(architecture, shape, 3, 1, torch.float64)
    net = ConvolutionalNet(
        architecture, list(module.parameters()), side=reduced_sides(architecture, shape), shared=True
    )
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, *shape, generator=generator, dtype=torch.float64)
    y = torch.randint(0, 3, (5,), generator=generator)
    net.differentiate(x, y)
    loss = nn.functional.cross_entropy(module(x), y)
    loss.backward()
    assert net.losses()[0] / 5 == pytest.approx(float(loss.detach()), abs=1e-13)
    for ours, weights in zip(net.gradients(0), module.parameters(), strict=True):
        assert torch.allclose(ours, weights.grad, rtol=0, atol=1e-14)
    for ours, weights in zip(net.weights(0), module.parameters(), strict=True):
        assert torch.equal(ours, weights)


def test_pictures_of_one_channel_are_taken_for_channels_last():
    result = nn.functional.conv2d(channels_last(torch.rand(4, 1, 8, 8)), torch.rand(3, 3, 3, 1).permute(0, 3, 1, 2))
    assert result.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_chunk_equals_its_policies_alone(channels):
    data, settings = LabelledData.of(pictures(channels=channels)), training(epochs=2)
    outcomes = together.fit_chunk(data, chunk(), settings, order_seed=4, device=CPU, dtype=torch.float64)
    for policy, outcome in zip(chunk(), outcomes, strict=True):
        module, curve = alone(data, policy, settings, torch.float64)
        assert largest_difference(outcome.weights, module) < 1e-12
        assert outcome.curve.losses == pytest.approx(curve.losses, abs=1e-12)


def test_a_chunk_equals_its_policies_alone_after_a_hundred_single_steps():
    data, settings = LabelledData.of(pictures(n=3200)), training()
    outcomes = together.fit_chunk(data, chunk(), settings, order_seed=4, device=CPU, dtype=torch.float32)
    for policy, outcome in zip(chunk(), outcomes, strict=True):
        module, _ = alone(data, policy, settings, torch.float32)
        assert outcome.steps == 100
        assert largest_difference(outcome.weights, module) < 1e-5


def test_policies_that_stop_early_stop_alike():
    rule = {"validation": 0.2, "patience": 1, "improvement": 0.02}
    data, settings = LabelledData.of(pictures()), training(epochs=8, convergence=rule)
    outcomes = together.fit_chunk(data, chunk(), settings, order_seed=4, device=CPU, dtype=torch.float64)
    assert len({outcome.steps for outcome in outcomes}) > 1
    for policy, outcome in zip(chunk(), outcomes, strict=True):
        module, curve = alone(data, policy, settings, torch.float64)
        assert (outcome.curve.status, outcome.curve.validation) == (curve.status, curve.validation)
        assert largest_difference(outcome.weights, module) < 1e-12


def test_mixtures_equal_their_networks_alone():
    pair, settings = mixed(pictures("one"), pictures("two", channels=2, side=7, seed=1)), training(epochs=2)
    architecture = Architecture("convolutional", (4, 3), 6)
    members = [(p, 0, i) for i, p in enumerate((0.0, 0.4, 1.0))]
    call = {"members": members, "samples": 64, "seed": 6, "device": CPU, "dtype": torch.float64}
    outcomes = together_streams.fit_mixtures(pair, architecture, settings, **call)
    samples = reference.mixture_samples(pair, CPU, torch.float64)
    for (p, repetition, seed), outcome in zip(members, outcomes, strict=True):
        module = networks.network(architecture, pair.shape, pair.outputs, seed, torch.float64)
        reference.fit(module, samples, mixture_order(pair, p, repetition, 64, 6, None), settings)
        assert largest_difference(outcome.weights, module) < 1e-12
    ours = whole(together_streams.train_mixtures(pair, architecture, settings, progress=None, **call))
    theirs = reference.train_mixtures(pair, architecture, settings, progress=None, **call)
    assert [(r.first, r.second) for r in ours] == [(r.first, r.second) for r in theirs]


@pytest.mark.parametrize("shared", [True, False])
def test_batches_of_networks_equal_their_networks_alone(shared):
    """The path for GPUs, on tensors of the CPU (it was not measured on a GPU)."""
    data = LabelledData.of(pictures(channels=2))
    rule = {"validation": 0.2, "patience": 1, "improvement": 0.02}
    settings = training(epochs=6, convergence=rule)
    policies = chunk() if shared else [Policy(Architecture("convolutional", (3, 2), 6), i) for i in range(3)]
    table = Table(data.train_x, data.train_y, data.scale, device=CPU, dtype=torch.float64, flatten=False)
    orders = [shared_order(4 if shared else 4 + i, len(table.y), settings.convergence) for i in range(len(policies))]
    feed = SharedFeed(table, orders[0]) if shared else OwnFeed(table, orders)
    members = [
        Member(p.architecture, networks.initial_weights(p.architecture, data.shape, 3, p.seed, torch.float64))
        for p in policies
    ]
    outcomes = train(members, feed, settings, lambda a, w: ConvolutionalNets(a, w, shared=shared))
    samples = reference.Samples(data.train_x, data.train_y, data.scale, CPU, torch.float64)
    for policy, order, outcome in zip(policies, orders, outcomes, strict=True):
        module = networks.network(policy.architecture, data.shape, 3, policy.seed, torch.float64)
        curve = reference.fit(module, samples, order, settings)
        assert outcome.curve.validation == curve.validation
        assert largest_difference(outcome.weights, module) < 1e-12


def test_convolutional_networks_learn():
    policies = [Policy(Architecture("convolutional", (4,), 16), i) for i in range(2)]
    settings = training(epochs=8, optimizer={**ADAM, "learning_rate": 0.01})
    call = {"order_seed": 1, "device": CPU, "dtype": torch.float32, "progress": None}
    trials = whole(together.train_chunk(LabelledData.of(pictures()), policies, settings, **call))
    assert all(trial.performance > 0.9 for trial in trials)
