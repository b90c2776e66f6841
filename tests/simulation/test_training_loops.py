"""Compiled loops of trainings: the numbers of torch, exactly or up to the order of sums."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torch.nn import functional

from aiq.config.training import Adam, AdamW
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training import processor, supervised, together
from aiq.training.data import LabelledData, mixed
from aiq.training.device import computing
from aiq.training.feeds import Table
from aiq.training.networks import streams, updates
from aiq.training.networks.convolutional import LOOK, ConvolutionalNet, channels_last
from aiq.training.networks.dense import DenseNets
from aiq.training.networks.first_convolution import FirstConvolution
from aiq.training.networks.flat import Flat
from aiq.training.networks.hits import counts, hits
from aiq.training.networks.loops import cross_entropy, numbers
from aiq.training.networks.pooling import largest
from aiq.training.networks.rounded_products import LOW
from aiq.training.portions import portions
from tests.simulation.test_training_exactness import pictures
from tests.simulation.test_training_products import training

here = pytest.mark.skipif(not processor.has_bfloat16(), reason="this processor does not multiply in bfloat16")


@pytest.fixture(autouse=True)
def one_thread():
    """The loops compute for one thread alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_every_number_of_bfloat16_is_read_as_torch_reads_it():
    every = np.arange(2**16, dtype=np.uint16)
    found = np.array([numbers.high(bits) for bits in every], dtype=np.float32)
    assert np.array_equal(found, torch.from_numpy(every).view(LOW).float().numpy(), equal_nan=True)


@settings(max_examples=300)
@given(st.floats(width=32, allow_nan=False))
def test_a_number_is_rounded_to_bfloat16_as_torch_rounds_it(number):
    assert numbers.low(np.float32(number)) == torch.tensor([number]).to(LOW).view(torch.uint16).item()


def test_ties_are_rounded_to_even_and_nan_stays():
    ties = (np.arange(2**12, dtype=np.uint32) << 16 | 0x8000).view(np.float32)
    found = [numbers.low(number) for number in ties]
    assert found == torch.from_numpy(ties).to(LOW).view(torch.uint16).tolist()
    assert np.isnan(numbers.high(numbers.low(np.float32(np.nan))))


# ---- the optimiser -----------------------------------------------------------------------------------

ADADELTA = {"name": "adadelta", "learning_rate": 1.0}
RULES = [Adam(name="adam", learning_rate=0.01), AdamW(name="adamw", learning_rate=0.02, weight_decay=0.1)]


@pytest.mark.parametrize("rule", RULES)
def test_a_rounded_step_of_adam_is_torchs_along_the_same_gradients(rule):
    torch.manual_seed(1)
    layouts = [Flat([(3,), (7, 33), (5,)], torch.device("cpu"), torch.float32, apart=1) for _ in range(2)]
    layouts[0].values.normal_()
    layouts[1].values.copy_(layouts[0].values)
    for flat in layouts:
        flat.optimize(rule)
    for number in range(40):
        gradient = torch.randn(7, 33).mul(10.0 ** (number % 5 - 3)).to(LOW)
        for flat in layouts:
            torch.manual_seed(number)
            flat.gradients.normal_()
        low = layouts[0].low()
        layouts[0].update(gradient)
        layouts[1].update(gradient.float())
        assert torch.equal(low, layouts[0].views(layouts[0].values)[1].to(LOW))
        assert torch.equal(low, layouts[0].low())
    assert torch.allclose(layouts[0].values, layouts[1].values, rtol=1e-5, atol=1e-6)
    for name, state in layouts[0].states().items():
        assert torch.allclose(state, layouts[1].states()[name], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("rule", [*RULES, {"name": "sgd", "learning_rate": 0.1}, ADADELTA])
def test_where_no_loop_computes_a_gradient_of_bfloat16_is_torchs_and_the_rounded_values_are_new(rule):
    rule = training(optimizer=rule).optimizer if isinstance(rule, dict) else rule
    gradient, found = torch.randn(4, 8).to(LOW), []
    torch.set_num_threads(2)
    for gradients in (gradient, gradient.float()):
        flat = Flat([(4, 8), (3,)], torch.device("cpu"), torch.float32)
        flat.optimize(rule)
        flat.low()
        flat.update(gradients)
        assert torch.equal(flat.low(), flat.views(flat.values)[0].to(LOW))
        found.append(flat.values)
    assert torch.equal(*found)


def test_a_value_that_is_lost_stays_lost():
    flat = Flat([(1, 16)], torch.device("cpu"), torch.float32)
    flat.optimize(RULES[0])
    flat.low()
    gradient = torch.zeros(1, 16)
    gradient[0, 3], gradient[0, 5] = np.nan, np.inf
    flat.update(gradient.to(LOW))
    assert flat.values.isnan().nonzero().flatten().tolist() == [3, 5]
    assert flat.low().isnan().nonzero()[:, 1].tolist() == [3, 5]
    assert isinstance(flat._update, updates.AdamUpdate)


# ---- samples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32])
@pytest.mark.parametrize(("count", "width"), [(1, 1), (3, 5), (4, 784), (10, 33)])
def test_rounded_samples_are_the_samples_rounded(kind, count, width):
    torch.manual_seed(count)
    x = torch.randint(0, 256, (20, width)) if kind == torch.uint8 else torch.rand(20, width)
    scale = 1 / 255 if kind == torch.uint8 else 1.0
    table = Table(x.to(kind), torch.arange(20), scale, device=torch.device("cpu"), dtype=torch.float32, drop=False)
    rows = torch.randint(0, 20, (2, count))
    plain, labels = table.gather(rows)
    table.round_batches()
    low, same = table.batch(rows)
    assert torch.equal(low, plain.to(LOW))
    assert torch.equal(labels, same)
    assert torch.equal(table.gather(rows)[0], plain)


# ---- between the products of networks with samples of their own ---------------------------------------


def test_the_exponential_is_within_two_units_of_the_last_place():
    x = -np.concatenate([np.geomspace(1e-8, 87, 20_000), np.arange(88), [0.0]]).astype(np.float32)
    found = np.array([cross_entropy.exponential(number) for number in x])
    known = np.exp(x.astype(np.float64))
    assert (np.abs(found - known) <= 2 * np.spacing(known.astype(np.float32))).all()
    assert cross_entropy.exponential(np.float32(0)) == 1
    assert cross_entropy.exponential(np.float32(-1e30)) < 1e-37
    assert cross_entropy.exponential(np.float32(-np.inf)) < 1e-37
    assert np.isnan(cross_entropy.exponential(np.float32(np.nan)))


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(2, 12), st.integers(1, 40)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.1, 3.0, 50.0]),
    st.booleans(),
)
def test_losses_and_their_gradients_are_those_of_autograd(shape, seed, size, missing):
    rng = np.random.default_rng(seed)
    networks_, outputs, samples = shape
    logits = rng.normal(0, size, shape).astype(np.float32)
    biases = rng.normal(0, 1, shape[:2]).astype(np.float32)
    labels = rng.integers(0, outputs + missing, (networks_, samples))
    labels[:, 0] = rng.integers(0, outputs, networks_)
    present = (labels < outputs).sum(1)
    leaf = torch.from_numpy(logits.astype(np.float64)).requires_grad_()
    bias = torch.from_numpy(biases.astype(np.float64))[:, :, None].requires_grad_()
    told = {"ignore_index": outputs, "reduction": "none"}
    known = functional.cross_entropy(leaf + bias, torch.from_numpy(labels), **told).sum(1)
    (known / torch.from_numpy(present)).sum().backward()
    shares, losses, of_biases = (1 / present).astype(np.float32), np.ones(networks_), np.empty_like(biases)
    cross_entropy.lose(logits, biases, labels, shares, losses, of_biases)
    assert losses - 1 == pytest.approx(known.detach().numpy(), rel=1e-5, abs=1e-5)
    assert logits == pytest.approx(leaf.grad.numpy(), rel=1e-4, abs=1e-6)
    assert of_biases == pytest.approx(bias.grad[:, :, 0].numpy(), rel=1e-4, abs=1e-6)


ADAM = Adam(name="adam", learning_rate=0.01)


def two_ways(widths, count=3):
    """The same networks by torch's calls and by loops."""
    architectures = [Architecture("dense", widths)] * count
    weights = [networks.initial_weights(architectures[0], (1, 6, 6), 4, seed) for seed in range(count)]
    made = DenseNets(architectures, weights, shared=False, rounded=True), streams.DenseStreams(architectures, weights)
    for nets in made:
        nets.optimize(ADAM)
    return made


def some_batch(number, count=3, samples=16, missing=False):
    """Pictures and labels, of which some are none."""
    torch.manual_seed(number)
    x, y = torch.rand(count, samples, 36), torch.randint(0, 4, (count, samples))
    y[:, 1:] = torch.where((torch.rand(count, samples - 1) < 0.3) & missing, -1, y[:, 1:])
    return x, y


@pytest.mark.parametrize("widths", [(1,), (9,), (9, 5), (32, 32), (7, 8, 9)])
def test_steps_of_loops_are_torchs(widths):
    torchs, ours = two_ways(widths)
    for number in range(12):
        x, y = some_batch(number, samples=16 if number % 3 else 5, missing=number % 2 == 0)
        for nets in (torchs, ours):
            nets.right(x, y.clamp(min=0))  # asked in between, which changes nothing
            (nets.step if number % 2 else nets.partial_step)(x, y)
        for index in range(3):
            for a, b in zip(torchs.gradients(index), ours.gradients(index), strict=True):
                assert (a - b).norm() <= 2.0**-7 * a.norm() + 1e-7  # a number may lie between two of bfloat16
    assert torch.allclose(torchs.losses(), ours.losses(), rtol=1e-4)
    assert not ours.losses().any()
    assert all(torch.allclose(a, b, atol=1e-3) for a, b in zip(torchs.weights(1), ours.weights(1), strict=True))


def test_a_network_of_the_loops_learns_the_same_alone_and_when_others_have_stopped():
    _, ours = two_ways((9, 5))
    _, kept = two_ways((9, 5))
    for number in range(6):
        x, y = some_batch(number)
        ours.step(x, y)
        if number == 3:
            kept = kept.keep([2, 0], ADAM)
        kept.step(*((x, y) if number < 3 else (x[[2, 0]], y[[2, 0]])))
    assert isinstance(kept, streams.DenseStreams)
    assert all(torch.equal(a, b) for a, b in zip(ours.weights(2), kept.weights(0), strict=True))
    assert all(torch.equal(a, b) for a, b in zip(ours.weights(0), kept.weights(1), strict=True))


def test_a_lost_network_of_the_loops_shows_and_the_others_go_on():
    _, ours = two_ways((9, 5))
    for at in (0, 2, 5):  # first weights, a bias below, a bias of outputs
        torchs, ours = two_ways((9, 5))
        ours._values[at].view(3, -1)[1, 0] = np.nan
        for number in range(2):
            ours.step(*some_batch(number))
            torchs.step(*some_batch(number))
        losses = ours.losses()
        assert losses.isnan().tolist() == [False, True, False]
        assert torch.allclose(losses[::2], torchs.losses()[::2], rtol=1e-4)
        assert ours.finite() == [True, False, True]


def test_the_loops_between_products_are_used_where_they_can_and_nowhere_else():
    architecture, flat = Architecture("dense", (4,)), Architecture("dense", ())
    data = LabelledData.of(pictures())
    weights = [networks.initial_weights(architecture, data.shape, data.outputs, 1)]

    def made(one=architecture, shared=False, rounded=True):
        given = weights if one is architecture else [networks.initial_weights(one, data.shape, data.outputs, 1)]
        return type(together.builder(data, shared, rounded)([one], given))

    assert made() is streams.DenseStreams
    assert {made(shared=True), made(rounded=False), made(flat)} == {DenseNets}
    torch.set_num_threads(2)
    assert made() is DenseNets


# ---- pooling -------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
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
    from aiq.training.networks.loops import pooling

    called, pool = [], pooling.pool
    monkeypatch.setattr(pooling, "pool", lambda *told: called.append(1) or pool(*told))
    raw = torch.randn(4, 6, 8, 8).contiguous(memory_format=torch.channels_last)
    first = largest(raw)[0]
    assert len(called) == 1
    assert torch.equal(largest(raw.double())[0], first.double())
    torch.set_num_threads(2)
    assert torch.equal(largest(raw)[0], first)
    assert len(called) == 1


# ---- the first convolution -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "side", "filters"), [(1, (2, 2), 1), (3, (9, 8), 5), (2, (32, 32), 17), (2, (28, 70), 3), (5, (7, 33), 2)]
)
def test_a_first_convolution_in_one_pass_is_that_of_autograd(count, side, filters):
    torch.manual_seed(count)
    layer = FirstConvolution(filters, (count, 1, *side))
    for _ in range(2):  # the buffers of the first time do not show in the second
        x = torch.rand(count, 1, *side)
        weight = torch.randn(filters, 1, 3, 3).requires_grad_()
        bias = torch.randn(filters).requires_grad_()
        known = functional.max_pool2d(functional.conv2d(x, weight, bias, padding=1), 2).relu()
        with torch.no_grad():
            found = layer.forward(x, weight.permute(0, 2, 3, 1).contiguous(), bias)
        assert torch.allclose(found.float(), known, rtol=2.0**-8, atol=1e-6)
        slopes = torch.randn(known.shape).to(LOW)
        layer.slopes.copy_(slopes)
        sums = layer.backward()
        known.backward(slopes.float())
        size = 1e-5 * float(slopes.float().abs().sum())
        assert torch.allclose(sums[:, :9].reshape(weight.shape), weight.grad, atol=size)
        assert torch.allclose(sums[:, 9], bias.grad, atol=size)


def test_a_lost_weight_of_the_first_convolution_shows():
    weight = torch.ones(2, 3, 3, 1)
    weight[1, 1, 1] = np.nan
    found = FirstConvolution(2, (1, 1, 6, 6)).forward(torch.ones(1, 1, 6, 6), weight, torch.zeros(2))
    assert found[0, 0].isfinite().all()
    assert found[0, 1].isnan().all()


def test_one_convolution_keeps_torchs_order_of_weights_and_takes_the_pass():
    architecture = Architecture("convolutional", (4,), 6, "pooling")
    weights = networks.initial_weights(architecture, (1, 9, 8), 3, 1)
    net = ConvolutionalNet(architecture, weights, side=(4, 4), shared=True, rounded=True)
    assert all(torch.equal(a, b) for a, b in zip(net.weights(0), weights, strict=True))
    assert net._planar
    x, y = torch.rand(20, 1, 9, 8), torch.randint(0, 3, (20,))
    plain = ConvolutionalNet(architecture, weights, side=(4, 4), shared=True)
    assert torch.equal(net.right(x, y), plain.right(x, y))


@pytest.mark.parametrize("channels", [1, 3])
def test_convolutions_of_many_pictures_are_evaluated_in_parts_to_the_bit(channels):
    torch.manual_seed(1)
    x, weight, bias = torch.rand(LOOK + 70, channels, 13, 12), torch.randn(5, channels, 3, 3), torch.randn(5)
    whole = functional.conv2d(channels_last(x), weight, bias, padding=1)
    parts = [functional.conv2d(channels_last(part), weight, bias, padding=1) for part in x.split(LOOK)]
    assert torch.equal(whole, torch.cat(parts))


# ---- counting what is right ----------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
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


# ---- populations ---------------------------------------------------------------------------------------


def test_rounded_products_train_in_larger_populations_of_the_same_networks():
    chunk = [Architecture("dense", (32, 32))] * 55
    single, low = portions(chunk, 784, 20, 32), portions(chunk, 784, 20, 32, rounded=True)
    assert sorted(i for part in low for i in part) == list(range(55))
    assert len(low) < len(single)


@here
@pytest.mark.parametrize("threads", [1, 2])
def test_a_rounded_training_learns_the_same_with_the_loops_and_without(threads):
    data = LabelledData.of(pictures(n=2000))
    for widths, family in (((16, 8), "dense"), ((4,), "convolutional"), ((4, 4), "convolutional")):
        chunk = [Policy(Architecture(family, widths, 16 if family == "convolutional" else 0), 1)]
        told = {"order_seed": 1, "threads": threads}
        low = supervised.train_chunk(data, chunk, training(epochs=4), **told)[0]
        single = supervised.train_chunk(data, chunk, training(epochs=4, products="float32"), **told)[0]
        assert low.losses[0] == pytest.approx(single.losses[0], abs=0.03)
        assert abs(low.performance - single.performance) < 0.06


def test_tiny_numbers_are_flushed_in_the_loops_too():
    flat = Flat([(1, 32)], torch.device("cpu"), torch.float32)
    flat.optimize(RULES[0])
    flat.low()
    flat.states()["mean"].fill_(1e-38)
    with computing(1):
        flat.update(torch.zeros(1, 32, dtype=LOW))
    assert not flat.states()["mean"].any()
