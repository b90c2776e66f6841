"""A training interrupted at any end of an epoch and taken up again ends with the bits of one that was not."""

import copy
import logging

import numpy as np
import pytest
import torch
from test_training_exactness import OPTIMIZERS, pictures, policies, training

from aiq.config.training import Training
from aiq.records.trial import Architecture, Policy
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData, mixed
from aiq.training.supervised import train_chunk, train_mixtures

STOPPING = {"patience": 2, "improvement": 0.02}


class Interrupted(Exception):
    """Power is out."""


class Disk:
    """Keeps copies of states, and interrupts after a number of them."""

    def __init__(self, stop=None):
        self.states, self.stop = [], stop

    def __call__(self, make, finished):
        self.states.append(copy.deepcopy(dict(make())))
        if self.stop is not None and len(self.states) == self.stop:
            raise Interrupted


def numbers(results):
    """Everything about results but the time they took."""
    return [
        {name: getattr(r, name) for name in r.__dataclass_fields__ if name not in ("seconds", "core_seconds")}
        for r in results
    ]


def equal(a, b):
    """Whether two results are alike to the bit: floats are written with all their digits, NaN as NaN."""
    return repr(a) == repr(b)


def check_every_boundary(train, *, least=3):
    """Interrupt in the middle and at the end, then at every place where a state is offered, one after the other.

    Returns the states that are offered where nothing is interrupted.
    """
    whole = numbers(train(None))
    disk = Disk()
    assert equal(numbers(train(Memory({}, disk))), whole)
    boundaries = len(disk.states)
    assert boundaries >= least
    for stop in (boundaries // 2, boundaries):
        broken = Disk(stop)
        with pytest.raises(Interrupted):
            train(Memory({}, broken))
        rest = Disk()
        assert equal(numbers(train(Memory(broken.states[-1], rest))), whole), stop
        if stop < boundaries:
            assert len(rest.states) == boundaries - stop  # nothing was done twice
    state = {}
    for _ in range(boundaries):
        once = Disk(1)
        with pytest.raises(Interrupted):
            train(Memory(state, once))
        state = once.states[-1]
    assert equal(numbers(train(Memory(state, Disk()))), whole)
    return disk.states


def check_starts_anew(train, stop, spoil, reason, caplog):
    """Interrupt, spoil what was kept, and go on: all is done again from the start, and one sentence says why."""
    undisturbed, broken, rest = Disk(), Disk(stop), Disk()
    whole = numbers(train(Memory({}, undisturbed)))
    with pytest.raises(Interrupted):
        train(Memory({}, broken))
    state = broken.states[-1]
    spoil(state["000000"])
    with caplog.at_level(logging.WARNING, "aiq"):
        assert equal(numbers(train(Memory(state, rest))), whole)
    assert len(rest.states) == len(undisturbed.states)
    (record,) = caplog.records
    assert reason in record.getMessage()
    assert "starts anew" in record.getMessage()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_chunk_with_early_stops(optimizer):
    data = LabelledData.of(pictures(classes=6, n=1200))
    settings = training(optimizer, epochs=8, batch_size=16, convergence=STOPPING)
    chunk = policies(6)
    assert len({t.epochs for t in train_chunk(data, chunk, settings, order_seed=4)}) > 2
    check_every_boundary(lambda memory: train_chunk(data, chunk, settings, order_seed=4, memory=memory))


def test_a_chunk_of_both_families():
    convolutional = Architecture("convolutional", (2,), dense_nodes=4)
    chunk = [*policies(3), Policy(convolutional, 3), Policy(convolutional, 4)]
    data, settings = LabelledData.of(pictures()), training("adam", epochs=2)
    check_every_boundary(lambda memory: train_chunk(data, chunk, settings, order_seed=4, memory=memory))


def test_mixtures():
    what = mixed(pictures("a"), pictures("b", seed=1)), Architecture("dense", (6,)), training("adamw", epochs=3)
    told = {"proportions": (0.0, 0.5, 1.0), "repetitions": (0, 1), "samples": 100, "seed": 9}
    check_every_boundary(lambda memory: train_mixtures(*what, **told, memory=memory))


def test_a_diverged_policy_stays_diverged():
    data = LabelledData.of(pictures())
    settings = Training.model_validate(
        {"epochs": 3, "batch_size": 32, "optimizer": {"name": "sgd", "learning_rate": 1e30}}
    )
    assert "diverged" in {t.status for t in train_chunk(data, policies(4), settings, order_seed=4)}
    check_every_boundary(lambda memory: train_chunk(data, policies(4), settings, order_seed=4, memory=memory), least=1)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda s: s["nets"].update(device="cuda"), "taken on cuda"),
        (lambda s: s["nets"]["optimizer"].pop("mean"), "its optimiser keeps"),
        (lambda s: s["nets"].update(values=s["nets"]["values"][:-1]), "numbers"),
        (lambda s: s["nets"].update(values=s["nets"]["values"][::-1].copy()), "another order"),
        (lambda s: s["curves"].popitem(), "members"),
        (lambda s: s.pop("epoch"), "epoch"),
    ],
)
def test_a_state_of_another_training_is_left_aside_and_said(spoil, reason, caplog):
    what = LabelledData.of(pictures()), policies(3), training(epochs=3)
    check_starts_anew(lambda memory: train_chunk(*what, order_seed=4, memory=memory), 2, spoil, reason, caplog)


def test_what_is_kept_holds_arrays_and_single_values_only():
    disk = Disk()
    train_chunk(LabelledData.of(pictures()), policies(2), training(), order_seed=1, memory=Memory({}, disk))

    def leaves(tree):
        for item in tree.values():
            yield from leaves(item) if isinstance(item, dict) else (item,)

    kept = list(leaves(disk.states[-1]))
    assert kept
    assert all(isinstance(item, np.ndarray | str | int | float | None) for item in kept)
    assert not any(isinstance(item, torch.Tensor) for item in kept)
