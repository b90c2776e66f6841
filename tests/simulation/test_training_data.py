"""Data as training wants it: outputs, shapes, orders, a suite's interface; a domain alone: its ends and controls."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch
from test_training_checkpoints import check_every_boundary, equal, numbers
from test_training_exactness import CPU, check_alone, pictures, training

from aiq import seeding
from aiq.config.training import Convergence, Training
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.records.domains import Interface
from aiq.records.trial import Architecture
from aiq.training import data, reference, together
from aiq.training.data import alone, mixed_on, suite_interface
from aiq.training.device import rehearsal, whole
from aiq.training.feeds import alone_order, mixture_order, shared_order
from aiq.training.reference import Task
from aiq.training.supervised import mixtures_task, train_alone, train_mixtures

SHEET = DataSheet("made up", "test", "none", (0, 1))


def domain(name, shape, labels, *, space=None, of=10, dtype=np.uint8, n=20):
    generator = np.random.default_rng(len(name))
    x = generator.integers(1, 256, size=(n, *shape)).astype(dtype)
    y = np.resize(np.array(labels, dtype=np.int64), n)
    return LabelledDomain(name, x, y, x[:8], y[:8], space or name, of, SHEET)


def test_classes_are_counted_compactly():
    source = domain("a", (1, 4, 4), [2, 5, 7])
    compact = data.LabelledData.of(source)
    assert compact.outputs == 3
    assert compact.train_y[:3].tolist() == [0, 1, 2]
    assert compact.train_x.dtype == torch.uint8
    assert compact.scale == 1 / 255


def test_one_label_space_is_shared_and_two_are_disjoint():
    low, high = domain("low", (3,), [0, 1], space="s"), domain("high", (3,), [1, 4], space="s")
    shared = data.mixed(low, high)
    assert shared.outputs == 3
    assert shared.first.train_y[:2].tolist() == [0, 1]
    assert shared.second.train_y[:2].tolist() == [1, 2]
    apart = data.mixed(low, domain("other", (3,), [0, 3]))
    assert apart.outputs == 4
    assert apart.second.train_y[:2].tolist() == [2, 3]


def test_pictures_are_padded_centred_and_channels_behind():
    small, large = domain("s", (1, 4, 4), [0, 1]), domain("large", (3, 8, 7), [0, 1])
    pair = data.mixed(small, large)
    assert pair.shape == (3, 8, 7)
    padded = pair.first.train_x.numpy()
    assert np.array_equal(padded[:, :1, 2:6, 1:5], small.train_x)
    assert padded.sum() == small.train_x.sum()
    assert np.array_equal(pair.second.train_x.numpy(), large.train_x)


def test_a_picture_meets_a_vector_flattened():
    picture, vector = domain("p", (1, 4, 4), [0, 1]), domain("vec", (5,), [0, 1], dtype=np.float32)
    pair = data.mixed(picture, vector)
    assert pair.shape == (16,)
    assert np.array_equal(pair.first.train_x.numpy(), picture.train_x.reshape(-1, 16))
    assert np.array_equal(pair.second.train_x.numpy()[:, :5], vector.train_x)
    assert not pair.second.train_x.numpy()[:, 5:].any()


def test_each_epoch_visits_every_sample_once_and_never_a_held_out_one():
    order = shared_order(3, 50, Convergence())
    assert (len(order.held_out), len(shared_order(3, 50, None).held_out)) == (5, 0)
    epochs = [order.epoch(number) for number in range(3)]
    for epoch in epochs:
        assert sorted(torch.cat([epoch, order.held_out]).tolist()) == list(range(50))
    assert not torch.equal(epochs[0], epochs[1])
    assert torch.equal(epochs[2], shared_order(3, 50, Convergence()).epoch(2))
    assert not torch.equal(epochs[2], shared_order(4, 50, Convergence()).epoch(2))


@pytest.mark.parametrize("proportion", [0.0, 0.3, 1.0])
def test_a_mixture_draws_in_proportion_without_replacement(proportion):
    pair = data.mixed(domain("a", (3,), [0, 1], n=2000), domain("bb", (3,), [0, 1], n=1000))
    rows = mixture_order(pair, proportion, 0, 1000, 5, None).fit
    assert len(rows.unique()) == 1000
    assert float((rows < 2000).double().mean()) == pytest.approx(proportion, abs=0.05)


def test_a_split_that_is_exhausted_is_drawn_anew():
    pair = data.mixed(domain("a", (3,), [0, 1]), domain("bb", (3,), [0, 1]))
    rows = mixture_order(pair, 1.0, 0, 50, 5, None).fit
    counts = torch.bincount(rows)
    assert len(counts) == 20
    assert set(counts.tolist()) == {2, 3}


def test_a_domain_with_itself_is_drawn_from_one_permutation():
    source = domain("a", (3,), [0, 1])
    for proportion in (0.0, 0.5, 1.0):
        rows = mixture_order(data.mixed(source, source), proportion, 0, 20, 5, None).fit
        assert sorted(rows.tolist()) == list(range(20))


def test_every_mixture_has_its_own_stream():
    pair = data.mixed(domain("a", (3,), [0, 1]), domain("bb", (3,), [0, 1]))
    base = mixture_order(pair, 0.5, 0, 20, 5, None)
    others = [
        mixture_order(pair, 0.6, 0, 20, 5, None),
        mixture_order(pair, 0.5, 1, 20, 5, None),
        mixture_order(pair, 0.5, 0, 20, 6, None),
    ]
    assert not any(torch.equal(base.epoch(0), other.epoch(0)) for other in others)


# ---- the interface of a suite -------------------------------------------------------------------


def test_the_interface_of_a_suite_by_hand():
    suite = [
        domain("s", (1, 4, 4), [0, 1], n=30), domain("large", (3, 8, 7), [0, 3]),
        domain("vec", (5,), [2, 9], dtype="f4"),
        domain("low", (2,), [0, 1], space="both", dtype="f4"), domain("high", (2,), [1, 4], space="both", dtype="f4"),
    ]  # fmt: skip
    found = suite_interface(suite)
    assert found == Interface((168,), (3, 8, 7), 3 + 2, 20)
    assert found == suite_interface(reversed(suite))
    assert suite_interface(suite, samples=7) == Interface((168,), (3, 8, 7), 5, 7)
    assert suite_interface(suite, sharing="shared").outputs == 3
    assert suite_interface(suite[:2]) == Interface((3, 8, 7), None, 4, 20)
    assert suite_interface([domain("long", (200,), [0, 1], dtype="f4"), *suite]).shape == (200,)
    with pytest.raises(TrainingError, match="label spaces of their own"):
        suite_interface([*suite, domain("more", (2,), [0, 1], space="both", of=11)])


def test_pictures_are_centred_before_they_are_flattened_among_vectors():
    small, vector = domain("s", (1, 2, 2), [0, 1]), domain("vec", (40,), [0, 1], dtype=np.float32)
    common = suite_interface([small, vector, domain("wide", (1, 6, 4), [0, 1])])
    ours = mixed_on(common, small, vector).first.train_x.numpy()
    assert ours.shape == (20, 40)
    assert np.array_equal(ours[:, :24].reshape(-1, 1, 6, 4)[:, :, 2:4, 1:3], small.train_x)
    assert ours.sum() == small.train_x.sum()


def test_under_an_interface_the_first_domain_has_the_first_outputs():
    low, high = domain("low", (3,), [1, 4], space="s"), domain("high", (3,), [1, 2], space="s")
    other = domain("other", (3,), [0, 7])
    common = suite_interface([low, high, other])
    assert common.outputs == 5
    pair = mixed_on(common, low, high)
    assert (pair.first.own, pair.second.own, pair.outputs) == ((0, 1), (0, 2), 5)
    assert pair.second.train_y[:2].tolist() == [0, 2]
    assert mixed_on(common, low, other).second.own == (2, 3)
    assert mixed_on(common, low, other, sharing="shared").second.own == (0, 1)
    for pair in (mixed_on(common, high, low), mixed_on(common, high, other)):
        assert torch.equal(pair.first.train_y, alone(high, common).train_y)
    assert mixed_on(common, low, low).same


def test_shared_outputs_begin_alike_and_own_outputs_are_those_of_the_classes_that_occur():
    pair = data.mixed(domain("a", (3,), [1, 2, 5]), domain("bb", (3,), [0, 3]), sharing="shared")
    assert (pair.outputs, pair.first.own, pair.second.own) == (3, (0, 1, 2), (0, 1))
    low, high = domain("low", (3,), [0, 1], space="s"), domain("high", (3,), [1, 4], space="s")
    pair = data.mixed(low, high)
    assert (pair.first.own, pair.second.own) == ((0, 1), (1, 2))


# ---- A domain alone ------------------------------------------------------------------------------

NET = Architecture("dense", (7, 5))
PLACES = [(p, r) for p in (0.05, 0.3, 0.7, 1.0) for r in (0, 1)]


def suite(**changes):
    """Two domains and their interface."""
    one, two = pictures("one", seed=1, n=300), pictures("two", seed=2, side=6, border=1, n=260)
    return suite_interface([one, two], **changes), one, two


def train(settings, network=NET, **changes):
    interface, one, _ = suite()
    told = {"places": PLACES, "samples": 110, "seed": 6, "dtype": torch.float64} | changes
    return train_alone(alone(one, interface), network, settings, **told)


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "sgd", "adadelta"])
@pytest.mark.parametrize("widths", [(7, 5), ()])
def test_a_population_of_unequal_streams_equals_its_networks_alone(optimizer, widths):
    """Lengths of some 5, 33, 77 and 110 samples in batches of 32: last batches smaller, one smaller throughout."""
    interface, one, _ = suite()
    data, settings = alone(one, interface), training(optimizer, epochs=3)
    orders = [alone_order(("o", r), len(data.train_y), p, 110, 3, None) for p, r in PLACES]
    assert len({len(order.fit) for order in orders}) > 4
    outcomes = check_alone(Task(data, [Architecture("dense", widths)] * 8, range(10, 18), orders, settings))
    assert [o.steps for o in outcomes] == [3 * -(-len(order.fit) // settings.batch_size) for order in orders]


@pytest.mark.parametrize("rule", [None, {"patience": 1, "improvement": 0.02}])
@pytest.mark.parametrize("network", [NET, Architecture("convolutional", (2,), 5)])
def test_the_reference_gives_the_same_results(rule, network):
    ours = train(training(epochs=3, convergence=rule), network=network)
    theirs = train(training(epochs=3, convergence=rule), network=network, one_by_one=True)
    assert [(r.proportion, r.repetition) for r in ours] == PLACES
    assert equal(numbers(ours), numbers(theirs))


@pytest.mark.parametrize("network", [NET, Architecture("convolutional", (2,), 5)])
@pytest.mark.parametrize("on_gpu", [False, True])
def test_streams_that_train_on_as_many_samples_may_hold_out_different_numbers(network, on_gpu):
    """Of 54 and 55 samples a tenth is 5 and 6: both train on 49."""
    interface, one, _ = suite()
    data, settings = alone(one, interface), training(epochs=3, convergence={})
    orders = [alone_order(("o", n), len(data.train_y), 1.0, n, 3, settings.convergence) for n in (54, 55, 54, 30)]
    assert [(len(order.fit), len(order.held_out)) for order in orders] == [(49, 5), (49, 6), (49, 5), (27, 3)]
    task = Task(data, [network] * 4, range(10, 14), orders, settings)
    with rehearsal() if on_gpu else nullcontext():
        assert all(len(outcome.curve.validation) == 3 for outcome in check_alone(task))


@pytest.mark.parametrize("sharing", ["apart", "shared"])
@pytest.mark.parametrize("network", [NET, Architecture("convolutional", (2,), 5)])
def test_an_end_is_the_mixture_at_proportion_one_with_the_same_key_to_the_bit(sharing, network):
    """Samples, order, weights, and accuracies in single precision; the pictures of both fill the same columns."""
    one, two = pictures("one", seed=1, n=300), pictures("two", seed=2, n=260)
    interface = suite_interface([two, one], sharing=sharing)
    pair, data = mixed_on(interface, one, two, sharing=sharing), alone(one, interface)
    settings = training(epochs=3)
    members = [(1.0, r, 5 + r) for r in (0, 1, 2)]
    orders = [alone_order(("mixture", "one", "two", r, "1"), 150, 1.0, 130, 6, None) for r in (0, 1, 2)]
    for order, (_, r, _) in zip(orders, members, strict=True):
        assert torch.equal(order.epoch(1), mixture_order(pair, 1.0, r, 130, 6, None).epoch(1))
    task = mixtures_task(pair, network, settings, members=members, samples=130, seed=6)
    theirs = whole(together.train(task, device=CPU))
    ours = whole(together.train(Task(data, [network] * 3, task.seeds, orders, settings, tell=True), device=CPU))
    for a, b in zip(ours, theirs, strict=True):
        assert all(torch.equal(x, y) for x, y in zip(a.weights, b.weights, strict=True))
        assert a.scores[0] == b.scores[0]
    assert len({one.scores[0] for one in ours}) > 1


def test_ends_do_not_depend_on_which_other_domains_the_suite_has():
    interface, one, _ = suite()
    other = suite_interface([pictures("new", seed=9, side=4, border=1, n=260), one])
    assert interface == other
    assert torch.equal(alone(one, interface).train_y, alone(one, other).train_y)


def test_the_number_of_samples_is_that_of_a_mixture_and_never_nothing():
    counts = [len(alone_order(("x", r), 500, 0.3, 400, 1, None).fit) for r in range(200)]
    assert np.mean(counts) == pytest.approx(120, abs=3 * np.sqrt(400 * 0.21 / 200))
    assert np.var(counts) == pytest.approx(400 * 0.21, rel=0.35)
    assert len(alone_order(("x",), 500, 1e-9, 400, 1, None).fit) == 1
    rule = training(convergence={}).convergence
    order = alone_order(("x",), 500, 1e-9, 400, 1, rule)
    assert (len(order.fit), len(order.held_out)) == (1, 1)
    assert len(alone_order(("x",), 50, 1.0, 120, 1, None).fit.unique()) == 50


def test_interrupted_anywhere_it_ends_with_the_same_bits():
    """There is a population for each size of a batch."""
    places = [(0.2, 0), (0.5, 0), (0.9, 0), (0.2, 1)]
    told = {"places": places, "dtype": torch.float32}
    check_every_boundary(lambda memory: train(training(epochs=3), memory=memory, **told))


def constant(first, second, told):
    """A domain of vectors whose test is told from its one feature."""
    x = np.array([[1.0], [-1.0]] * 20, dtype=np.float32) * first + second
    y = np.array([0, 1] * 20, dtype=np.int64)
    return LabelledDomain(told, x, y, x, y, told, 2, DataSheet("b", "b", "b", (-9, 9)))


@pytest.mark.parametrize("one_by_one", [False, True])
def test_told_scores_the_domains_own_outputs_alone(one_by_one):
    """Two domains that look the same: by all outputs half is right at best, told which test it is all of it."""
    one, two = constant(1, 0, "one"), constant(1, 0, "two")
    pair = mixed_on(suite_interface([one, two]), one, two)
    assert (pair.first.own, pair.second.own) == ((0, 1), (2, 3))
    adam = {"name": "adam", "learning_rate": 0.05}
    settings = Training.model_validate({"epochs": 60, "optimizer": adam, "batch_size": 8})
    told = {"proportions": (0.5,), "repetitions": (0,), "samples": 80, "seed": 1, "one_by_one": one_by_one}
    (result,) = train_mixtures(pair, Architecture("dense", (8,)), settings, **told)
    assert result.first + result.second == pytest.approx(1.0, abs=0.6)
    assert result.performance < 0.8
    assert (result.first_told, result.second_told, result.told) == (1.0, 1.0, 1.0)


def test_a_domain_larger_than_the_interface_is_refused_in_a_sentence():
    interface, one, two = suite()
    with pytest.raises(TrainingError, match="the interface of its suite has 3"):
        mixed_on(Interface(interface.shape, None, 3, 10), one, two)
    with pytest.raises(TrainingError, match="the interface of its suite takes"):
        alone(one, Interface((1, 2, 2), None, 30, 10))


@pytest.mark.parametrize("one_by_one", [False, True])
def test_controls_of_equal_steps_are_trained_with_batches_of_their_share(one_by_one):
    """Each proportion is what it is alone with batches of its share, and takes the steps of a mixture."""
    settings, data = training(epochs=3), alone(suite()[1], suite()[0])
    found = train(settings, one_by_one=one_by_one)
    assert [(r.proportion, r.repetition) for r in found] == PLACES
    for (p, r), result in zip(PLACES, found, strict=True):
        batch, key = max(1, round(p * settings.batch_size)), ("one", r, f"{p:.12g}")
        order = alone_order(("alone", *key), len(data.train_y), p, 110, 6, None)
        assert -(-len(order.fit) // batch) == pytest.approx(110 / settings.batch_size, rel=0.75)
        rule, seeds = settings.model_copy(update={"batch_size": batch}), [seeding.integer(6, "weights alone", *key)]
        task, how = Task(data, [NET], seeds, [order], rule, tell=True), {"device": CPU, "dtype": torch.float64}
        (one,) = reference.train(task, **how) if one_by_one else whole(together.train(task, **how))
        assert one.scores == ((result.performance, result.told),)
