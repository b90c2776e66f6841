"""Members of a population come out as if each were trained alone: weights, losses, stops, gradients."""

from contextlib import nullcontext

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torch import nn
from torch.nn import functional

from aiq.config.training import Pool, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.policies import networks
from aiq.policies.networks import reduced_sides
from aiq.records.trial import Architecture, Policy
from aiq.training import flat, reference, together
from aiq.training.convolutional import LOOK, ConvolutionalNet, channels_last
from aiq.training.data import LabelledData, mixed, training_split
from aiq.training.dense import DenseNets
from aiq.training.device import rehearsal, whole
from aiq.training.flat import counts, hits, largest
from aiq.training.supervised import chunk_task, mixtures_task
from aiq.training.together import portions

CPU = torch.device("cpu")
LAYOUTS = {"cpu": nullcontext, "gpu": rehearsal}
OPTIMIZERS = {
    "adam": {"name": "adam", "learning_rate": 0.003},
    "adamw": {"name": "adamw", "learning_rate": 0.003},
    "sgd": {"name": "sgd", "learning_rate": 0.1},
    "adadelta": {"name": "adadelta", "learning_rate": 1.0},
}
KINDS = [((3,), "pooling"), ((4, 5), "pooling"), ((2, 3), "stride"), ((1,), "pooling")]
EVERY = [
    *(("dense", name, "cpu") for name in OPTIMIZERS),
    ("convolutional", "adam", "cpu"),
    ("dense", "adam", "gpu"),
    ("convolutional", "adam", "gpu"),
]
"""Family, optimiser and layout."""


def pictures(name="pictures", side=8, border=2, classes=4, n=330, seed=0, channels=1):
    """Noisy pictures of class prototypes inside a border of zeros that test pictures do not have."""
    generator = np.random.default_rng(seed)
    inner = side - 2 * border
    prototypes = generator.integers(0, 256, size=(classes, inner, inner))
    y = generator.integers(0, classes, size=n).astype(np.int64)
    y[:classes] = np.arange(classes)
    noise = generator.integers(-90, 90, size=(n, channels, inner, inner))
    x = np.zeros((n, channels, side, side), dtype=np.uint8)
    x[:, :, border : side - border, border : side - border] = np.clip(prototypes[y][:, None] + noise, 0, 255)
    test = x[n // 2 :].copy()
    test[:, 0, 0] = generator.integers(0, 256, size=(len(test), side))
    sheet = DataSheet("b", "b", "b", (0, 255))
    return LabelledDomain(name, x[: n // 2], y[: n // 2], test, y[n // 2 :], name, classes, sheet)


def training(optimizer="adam", **changes):
    return Training.model_validate({"epochs": 1, "batch_size": 32, "optimizer": OPTIMIZERS[optimizer]} | changes)


def policies(count=9, seed=2, **ranges):
    settings = Pool(size=count, policies_per_chunk=count, **({"width": (1, 12)} | ranges))
    return networks.chunk(settings, seed, "pictures", 0)


def filters():
    return [Policy(Architecture("convolutional", w, 6, r), i) for i, (w, r) in enumerate(KINDS)]


def fit(task, dtype=torch.float64):
    """Train the networks of a task together."""
    return whole(together.fit(task, device=CPU, dtype=dtype))


def largest_difference(weights, module):
    pairs = zip(weights, module.parameters(), strict=True)
    return max(float((ours - theirs.detach()).abs().max()) for ours, theirs in pairs)


def check_alone(task, dtype=torch.float64, within=1e-12):
    """Train a task together and each network by the reference, compare, and return what came together."""
    outcomes = fit(task, dtype)
    samples = reference.Samples(*training_split(task.data, dtype), CPU, dtype)
    for place, outcome in enumerate(outcomes):
        order = task.orders[0 if task.shared else place]
        shape, outputs = task.data.shape, task.data.outputs
        module = networks.network(task.architectures[place], shape, outputs, task.seeds[place], dtype)
        curve = reference.fit(module, samples, order, task.settings)
        assert largest_difference(outcome.weights, module) < within
        if dtype == torch.float64:
            assert outcome.curve.losses == pytest.approx(curve.losses, abs=1e-12)
            assert (outcome.curve.status, outcome.curve.validation) == (curve.status, curve.validation)
    return outcomes


@pytest.mark.parametrize(("family", "optimizer", "layout"), EVERY)
def test_a_chunk_equals_its_policies_alone_in_double_precision(family, optimizer, layout):
    dense = family == "dense"
    data = LabelledData.of(pictures() if dense else pictures(side=9, border=0, channels=2, n=160))
    chunk = [*policies(), Policy(Architecture("dense", ()), 5)] if dense else filters()
    with LAYOUTS[layout]():
        check_alone(chunk_task(data, chunk, training(optimizer, epochs=2), 4))


@pytest.mark.parametrize(("family", "optimizer", "layout"), EVERY[:-2])
def test_a_chunk_equals_its_policies_alone_after_a_hundred_single_steps(family, optimizer, layout):
    dense, settings = family == "dense", training(optimizer, batch_size=32 if family == "dense" else 16)
    data = LabelledData.of(pictures(n=200 * settings.batch_size))
    outcomes = check_alone(
        chunk_task(data, policies(count=5) if dense else filters(), settings, 4), torch.float32, 1e-5
    )
    assert {outcome.steps for outcome in outcomes} == {100}


@pytest.mark.parametrize(("family", "optimizer", "layout"), EVERY)
def test_policies_that_stop_early_stop_alike_and_disturb_nobody(family, optimizer, layout):
    rule, dense = {"patience": 2, "improvement": 0.01}, family == "dense"
    data, settings = LabelledData.of(pictures(n=1000)), training(optimizer, epochs=14, convergence=rule)
    with LAYOUTS[layout]():
        chunk = policies(count=12, width=(1, 7)) if dense else filters()
        outcomes = check_alone(chunk_task(data, chunk, settings, 4), within=1e-11)
    assert len({outcome.steps for outcome in outcomes}) > 1 + dense


def test_dropped_columns_keep_their_initial_weights_and_count_on_the_test_split():
    data, settings = LabelledData.of(pictures()), training()
    chunk = policies()
    task = chunk_task(data, chunk, settings, 4)
    ours = whole(together.train(task, device=CPU, dtype=torch.float64))
    theirs = reference.train(task, device=CPU, dtype=torch.float64)
    assert [one.scores for one in ours] == [one.scores for one in theirs]
    outcome, policy = fit(chunk_task(data, chunk[:1], settings, 4))[0], chunk[0]
    initial = networks.initial_weights(policy.architecture, data.shape, data.outputs, policy.seed, torch.float64)[0]
    border = torch.ones(8, 8, dtype=torch.bool)
    border[2:6, 2:6] = False
    unchanged = (outcome.weights[0] == initial).all(0)
    assert torch.equal(unchanged, border.flatten())


@pytest.mark.parametrize(
    ("family", "optimizer", "layout", "widths"),
    [*((*how, (7, 5)) for how in EVERY), ("dense", "adam", "cpu", (9,)), ("dense", "adam", "cpu", ())],
)
def test_mixtures_equal_their_networks_alone(family, optimizer, layout, widths):
    pair = mixed(pictures("one", seed=1), pictures("two", side=6, border=1, seed=2, channels=2))
    rule = {"patience": 1, "improvement": 0.02}
    settings = training(optimizer, epochs=4, convergence=rule)
    members = [(p, r, 10 * r + i) for i, p in enumerate((0.0, 0.4, 1.0)) for r in (0, 1)]
    dense = Architecture("dense", widths)
    architecture = dense if family == "dense" else Architecture("convolutional", widths or (2,), 6)
    task = mixtures_task(pair, architecture, settings, members=members, samples=150, seed=6)
    with LAYOUTS[layout]():
        check_alone(task)
        ours = whole(together.train(task, device=CPU, dtype=torch.float64))
        theirs = reference.train(task, device=CPU, dtype=torch.float64)
    assert [one.scores for one in ours] == [one.scores for one in theirs]


@pytest.mark.parametrize("shared", [True, False])
def test_gradients_of_dense_networks_equal_those_of_autograd(shared):
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
        for ours, weights in zip(nets._member(nets._gradients, index), module.parameters(), strict=True):
            assert torch.allclose(ours, weights.grad, rtol=0, atol=1e-14)


def test_portions_hold_every_policy_once_similar_ones_together():
    wide = [p.architecture for p in policies(count=64, width=(8, 256))]
    narrow = [p.architecture for p in policies(count=64, width=(1, 8))]
    for architectures in (wide, narrow, [Architecture("dense", ())] * 3, [*narrow[:2], Architecture("dense", ())]):
        found = portions(tuple(architectures), 784, 10, 32)
        assert sorted(i for part in found for i in part) == list(range(len(architectures)))
        depths = [len(architectures[i].widths) for part in found for i in part]
        assert depths == sorted(depths, reverse=True)
    counts = [len(portions(tuple(some), 784, 10, 32)) for some in (wide, narrow, narrow[:2])]
    assert counts[0] > counts[1] >= counts[2] == 1


def test_both_products_train_alike(monkeypatch):
    """By whichever library is faster: oneDNN's are preferred for large products of single precision alone."""
    a = torch.zeros(250, 300)
    assert flat.preferred(a, 40) == flat.available()
    assert not flat.preferred(a.double(), 40)
    assert not flat.preferred(a[:2], 40)
    data, settings = LabelledData.of(pictures(side=40, n=3200 * 2)), training()
    chunk = [Policy(Architecture("dense", (40,)), 1), Policy(Architecture("dense", (30, 9)), 2)]
    available, found = flat.available(), []
    for library in (True, False):
        monkeypatch.setattr(flat, "available", lambda library=library: library and available)
        found.append(fit(chunk_task(data, chunk, settings, 4), torch.float32))
    for one, two in zip(*found, strict=True):
        for ours, theirs in zip(one.weights, two.weights, strict=True):
            assert float((ours - theirs).abs().max()) < 1e-5


# ---- Convolutional networks alone ----------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("widths", "reduction"), KINDS)
def test_gradients_of_convolutional_networks_equal_those_of_autograd(channels, widths, reduction):
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
    for ours, view, weights in zip(net._gradients, net._values, module.parameters(), strict=True):
        assert torch.allclose(net._columns(ours, view, back=True), weights.grad, rtol=0, atol=1e-14)
    for ours, weights in zip(net.weights(0), module.parameters(), strict=True):
        assert torch.equal(ours, weights)


# ---- Pooling, hits, evaluation -------------------------------------------------------------------


@pytest.fixture(autouse=True)
def one_thread():
    """The loops compute for one thread alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@hypothesis.settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 35), st.integers(2, 9), st.integers(2, 9)),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_pooling_is_torchs_to_the_bit_with_ties_and_nan(shape, seed, odd):
    rng = np.random.default_rng(seed)
    raw = rng.integers(-2, 3, shape).astype(np.float32)  # many ties
    if odd:
        raw[rng.random(shape) < 0.1] = np.nan
        raw[rng.random(shape) < 0.1] = -np.inf
    pictures_ = torch.from_numpy(raw).contiguous(memory_format=torch.channels_last)
    found, places = largest(pictures_)
    known, where = torch.ops.aten.max_pool2d_with_indices(pictures_, (2, 2), (2, 2))
    assert torch.equal(found.nan_to_num(7), known.nan_to_num(7))
    assert torch.equal(found.isnan(), known.isnan())
    assert torch.equal(places, where)


def test_the_loop_of_pooling_is_used_by_one_thread_in_single_precision_alone(monkeypatch):
    called, pool = [], flat.pool
    monkeypatch.setattr(flat, "pool", lambda: called.append(1) or pool())
    raw = torch.randn(4, 6, 8, 8).contiguous(memory_format=torch.channels_last)
    first = largest(raw)[0]
    assert len(called) == 1
    assert torch.equal(largest(raw.double())[0], first.double())
    torch.set_num_threads(2)
    assert torch.equal(largest(raw)[0], first)
    assert len(called) == 1


@pytest.mark.parametrize("channels", [1, 3])
def test_convolutions_of_many_pictures_are_evaluated_in_parts_to_the_bit(channels):
    torch.manual_seed(1)
    x, weight, bias = torch.rand(LOOK + 70, channels, 13, 12), torch.randn(5, channels, 3, 3), torch.randn(5)
    whole = functional.conv2d(channels_last(x), weight, bias, padding=1)
    parts = [functional.conv2d(channels_last(part), weight, bias, padding=1) for part in x.split(LOOK)]
    assert torch.equal(whole, torch.cat(parts))


@hypothesis.settings(max_examples=200, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 6)).flatmap(
        lambda shape: st.tuples(
            arrays.arrays(np.float32, shape, elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf, np.nan])),
            arrays.arrays(np.int64, (1, shape[2]), elements=st.integers(0, shape[1] - 1)),
            st.sets(st.integers(0, shape[1] - 1), min_size=1),
        )
    )
)
def test_hits_are_those_of_argmax(drawn):
    logits, labels, own = torch.from_numpy(drawn[0]), torch.from_numpy(drawn[1]), sorted(drawn[2])
    assert torch.equal(hits(logits, labels), logits.argmax(1) == labels)
    labels = torch.tensor(own)[labels % len(own)]
    among = torch.tensor(own)[logits[:, own].argmax(1)] == labels
    assert torch.equal(hits(logits, labels, own), among)
    assert torch.equal(counts(logits, labels, own), torch.stack([(logits.argmax(1) == labels).sum(1), among.sum(1)]))


@pytest.mark.parametrize("family", ["dense", "convolutional"])
def test_both_accuracies_of_one_evaluation_are_those_of_modules(family):
    pair = mixed(pictures("a", n=300), pictures("b", n=200, seed=1), sharing="apart")
    architecture = Architecture(family, (6,), 5 if family == "convolutional" else 0)
    weights = [networks.initial_weights(architecture, pair.shape, pair.outputs, seed) for seed in range(3)]
    for part in (pair.first, pair.second):
        found = together.evaluate([architecture] * 3, weights, part, tell=True)
        for seed in range(3):
            module = networks.network(architecture, pair.shape, pair.outputs, seed)
            with torch.no_grad():
                logits = module(part.test_x.float() * part.scale)
            own = torch.tensor(part.own)
            told = own[logits[:, own].argmax(1)] == part.test_y
            assert found[0][seed] == (logits.argmax(1) == part.test_y).double().mean()
            assert found[1][seed] == told.double().mean()
