"""The path of GPUs, on tensors of the CPU: orders, layouts, launching, and settings of the device."""

import itertools
import warnings
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from aiq.config.training import Adam, Pool, Training
from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training import device, population, together
from aiq.training.convolutional import ConvolutionalNets
from aiq.training.data import LabelledData
from aiq.training.dense import DenseNets
from aiq.training.device import RENT, Launcher, accelerated, exactly, rehearsal, resolve
from aiq.training.feeds import STEP, Table, bits, shared_order, shuffles
from aiq.training.supervised import train_chunk
from tests.simulation.test_training import blobs, timeless

CPU = torch.device("cpu")
ADAM = {"name": "adam", "learning_rate": 0.01}
RULE = {"patience": 2, "improvement": 0.02}


def training(**changes):
    return Training.model_validate({"epochs": 3, "batch_size": 16, "optimizer": ADAM} | changes)


def policies(count=6, seed=1, **more):
    return networks.chunk(Pool(size=count, policies_per_chunk=count, width=(2, 9), **more), seed, "blobs", 0)


# ---- permutations ------------------------------------------------------------------------------


def test_bits_are_those_of_splitmix64():
    """The first numbers of the seed 1234567, as published with Java's SplittableRandom and the C of Vigna."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    states = [(1234567 + k * STEP) % 2**64 for k in range(1, 5)]
    signed = torch.tensor([s - 2**64 if s >= 2**63 else s for s in states])
    assert [int(b) % 2**64 for b in bits(signed)] == published


@given(seeds=st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=4), count=st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_shuffles_are_permutations_that_hang_on_their_seed_alone(seeds, count):
    found = shuffles(seeds, count, CPU)
    assert all(sorted(row) == list(range(count)) for row in found.tolist())
    for seed, row in zip(seeds, found, strict=True):
        assert torch.equal(shuffles([seed], count, CPU)[0], row)


def test_every_permutation_is_as_likely_as_every_other():
    """Chi-squared over the 24 permutations of four: within the 99.9 % point of 23 degrees of freedom (49.7)."""
    drawn = 24_000
    counts = Counter(map(tuple, shuffles(range(drawn), 4, CPU).tolist()))
    assert len(counts) == 24
    assert sum((c - drawn / 24) ** 2 / (drawn / 24) for c in counts.values()) < 49.7


def test_orders_are_made_on_the_device_only_there():
    order = shared_order(3, 50, training(convergence=RULE).convergence)
    with rehearsal():
        made = order.epoch(2)
        assert accelerated(CPU)
    assert not accelerated(CPU)
    assert not torch.equal(made, order.epoch(2))
    assert torch.equal(made.sort().values, order.fit.sort().values)
    with rehearsal():
        assert torch.equal(made, order.epoch(2))
        assert not torch.equal(made, order.epoch(3))


# ---- the layouts of GPUs give what networks give alone --------------------------------------------


class Looks(TorchDispatchMode):
    """Counts single numbers that are brought from the device, each of which waits for all that was started."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("diverges", [False, True])
def test_an_epoch_is_looked_at_once_and_twice_where_weights_are_lost(diverges, monkeypatch):
    data, rule = LabelledData.of(blobs()), training(epochs=5, convergence=RULE | {"patience": 9})
    if diverges:
        rule = training(epochs=5, optimizer={"name": "sgd", "learning_rate": 1e9})
    chunk = [Policy(Architecture("dense", widths), 1) for widths in ((16, 16, 16), (), (16, 16), ())]
    lists, tolist = [], torch.Tensor.tolist
    monkeypatch.setattr(torch.Tensor, "tolist", lambda tensor: lists.append(tensor) or tolist(tensor))
    looks = Looks()
    with rehearsal(), looks:
        trials = train_chunk(data, chunk, rule, order_seed=1)
    lost = sum(trial.status == "diverged" for trial in trials)
    assert lost == (2 if diverges else 0)
    assert looks.count == 0
    assert len(lists) == 5 + 1 + (1 if diverges else 0)  # epochs, the test split, and who it was


# ---- no operation waits for the device -------------------------------------------------------------


def test_the_steps_of_dense_networks_never_wait_for_the_device():
    """On tensors of a GPU without numbers: whatever asks for one, or mixes host and device, is refused."""
    shapes = [(8, 4), (5,), (), (6, 6, 6)]
    chunk = [Architecture("dense", widths) for widths in shapes]
    initial = [networks.initial_weights(a, (12,), 3, i) for i, a in enumerate(chunk)]
    with FakeTensorMode(allow_non_fake_inputs=True):
        weights = [[torch.empty(t.shape, device="cuda") for t in tensors] for tensors in initial]
        nets = DenseNets(chunk, weights, shared=True)
        nets.flat.optimize(Adam(name="adam", learning_rate=0.1))
        x = torch.empty(16, 12, device="cuda")
        y = torch.zeros(16, dtype=torch.int64, device="cuda")
        nets.step(x, y)
        told = (nets.losses(), nets.sound(), nets.right(x, y), shuffles([1, 2], 16, x.device))
        kept = nets.keep([0, 2], Adam(name="adam", learning_rate=0.1))
        kept.step(x, y)
    assert [part.device.type for part in told] == ["cuda"] * 4
    assert [tuple(part.shape) for part in told] == [(4,), (), (4,), (2, 16)]


def test_the_steps_of_convolutional_networks_never_wait_for_the_device():
    chunk = [Architecture("convolutional", widths, 6) for widths in ((3,), (2, 4), (4,))]
    initial = [networks.initial_weights(a, (1, 8, 8), 3, i) for i, a in enumerate(chunk)]
    nets = ConvolutionalNets(chunk, [[t.to("meta") for t in tensors] for tensors in initial], shared=True)
    nets.flat.optimize(Adam(name="adam", learning_rate=0.1))
    x, y = torch.empty(16, 1, 8, 8, device="meta"), torch.empty(16, dtype=torch.int64, device="meta")
    nets.step(x, y)
    told = (nets.losses(), nets.sound(), nets.right(x, y))
    assert [(part.device.type, tuple(part.shape)) for part in told] == [("meta", (3,)), ("meta", ()), ("meta", (3,))]


# ---- launching ---------------------------------------------------------------------------------


class Recorded:
    """Stands in for the recording of a GPU: counts recordings and steps taken either way."""

    def __init__(self):
        self.recordings, self.replayed, self.plain = [], 0, 0

    def __call__(self, steps, rows):
        self.recordings.append(tuple(rows.shape))

        def replay(rows):
            self.replayed += 1
            steps(rows)

        return replay


def of_32(rows):
    """How many steps of 32 samples a window has."""
    return -(-len(rows) // 32)


def test_windows_are_recorded_once_they_have_cost_as_much_as_a_recording():
    seen, record = [], Recorded()
    launch = Launcher(lambda rows: seen.append(len(rows)), of_32, record)
    epochs = 20
    for _ in range(epochs):  # of 1000 samples: windows of 16 steps and one of 15 and a bit
        for rows in torch.arange(1010).split(512):
            launch(rows)
    assert seen == [512, 498] * epochs
    assert record.recordings == [(512,), (498,)]
    assert record.replayed == 2 * (epochs - RENT // 16)


def test_a_short_tail_is_never_recorded_and_the_cost_is_at_most_twice_the_least():
    for windows, tails in itertools.product((1, 3, 5, 40), (1, 20, 60)):
        record, plain = Recorded(), []
        launch = Launcher(lambda rows, plain=plain: plain.append(of_32(rows)), of_32, record)
        for rows in [torch.arange(512)] * windows + [torch.arange(8)] * tails:
            launch(rows)
        assert (8,) not in record.recordings
        cost = RENT * len(record.recordings) + sum(plain) - 16 * record.replayed
        least = min(RENT, 16 * windows) + min(RENT, tails)
        assert cost <= 2 * least


def test_steps_are_the_same_when_windows_are_replayed(monkeypatch):
    data, chunk = LabelledData.of(blobs(n=1200)), policies()
    with rehearsal():
        plain = train_chunk(data, chunk, training(epochs=9), order_seed=1)
        record = Recorded()
        monkeypatch.setattr(population, "Launcher", lambda steps, count: Launcher(steps, count, record))
        recorded = train_chunk(data, chunk, training(epochs=9), order_seed=1)
    assert record.recordings
    assert record.replayed
    assert timeless(plain) == timeless(recorded)


# ---- settings of the device ------------------------------------------------------------------------


def test_products_are_exact_and_repeatable_inside_and_as_they_were_outside():
    def numerics():
        backends = torch.backends
        precision = backends.cuda.matmul.fp32_precision, backends.cudnn.conv.fp32_precision
        short = backends.cuda.matmul.allow_bf16_reduced_precision_reduction
        return *precision, torch.are_deterministic_algorithms_enabled(), backends.cudnn.benchmark, short

    before = numerics()
    with exactly():
        assert numerics() == ("ieee", "ieee", True, False, False)
        assert not torch.utils.deterministic.fill_uninitialized_memory
    assert numerics() == before
    with pytest.raises(KeyError), exactly():
        raise KeyError
    assert numerics() == before


def test_the_warning_about_pools_that_do_not_overlap_is_left_out_and_others_are_shown():
    with exactly(), warnings.catch_warnings(record=True) as caught:
        for what in ("max_pool2d_with_indices_backward_cuda", "something_else"):
            warnings.warn(f"{what} does not have a deterministic implementation", stacklevel=1)
    assert [str(one.message).split(" ")[0] for one in caught] == ["something_else"]


def test_a_gpu_is_chosen_by_its_number_and_a_device_that_is_none_is_refused(monkeypatch):
    for name in ("tpu", "cpu:1", "cuda:x"):
        with pytest.raises(TrainingError, match="allowed are cpu and cuda"):
            resolve(name)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    assert resolve("cuda") == torch.device("cuda", 0)
    assert resolve("cuda:1") == torch.device("cuda", 1)
    assert device.os.environ["CUBLAS_WORKSPACE_CONFIG"] == device.WORKSPACE
    with pytest.raises(TrainingError, match="'cuda:2' but this process sees 2 CUDA devices, numbered from 0"):
        resolve("cuda:2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(TrainingError, match="finds no CUDA device here; take 'cpu'"):
        resolve("cuda:1")


def test_tables_are_made_once_for_all_who_train_on_a_gpu(monkeypatch):
    data, made = LabelledData.of(blobs()), []
    monkeypatch.setattr(together, "Table", lambda *x, **more: made.append(len(x[0])) or Table(*x, **more))
    for _ in range(2):
        train_chunk(data, policies(2), training(), order_seed=1)
    assert made == 2 * [len(data.train_y), len(data.test_y)]
    made.clear()
    with rehearsal():
        for _ in range(2):
            train_chunk(data, policies(2), training(), order_seed=1)
    assert made == [len(data.train_y), len(data.test_y)]
