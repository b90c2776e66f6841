"""Trainings side by side are what they are alone, as many as there is room for; what they say they need."""

import math
import weakref

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakIdKeyDictionary

from aiq.config.training import Pool
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training.data import LabelledData, mixed
from aiq.training.device import rehearsal, side_by_side, whole
from aiq.training.supervised import train_alone_by_turns, train_chunk_by_turns, train_mixtures_by_turns
from tests.simulation.test_training import blobs
from tests.simulation.test_training_checkpoints import equal, numbers
from tests.simulation.test_training_gpu import CPU, RULE, policies, training


def filters(count=3):
    told = {"family": "convolutional", "layers": (1, 2), "width": (1, 4), "dense_nodes": 6}
    return networks.chunk(Pool(size=count, policies_per_chunk=count, **told), 1, "p", 0)


def pictures(name="p", n=160, seed=0):
    return LabelledData.of(blobs(name, shape=(1, 8, 8), n=n, seed=seed))


def works(dtype=torch.float32):
    """Trainings of every kind, by name: what starts each, and what it gives alone."""
    data, images = LabelledData.of(blobs(n=400)), pictures()
    pair = mixed(blobs("a", seed=1), blobs("b", seed=2))
    told = {"device": CPU, "dtype": dtype}
    mix = {"proportions": (0.0, 0.5, 1.0), "repetitions": (0,), "samples": 80, "seed": 3}
    single = {"places": [(0.5, 0), (1.0, 0)], "samples": 80, "seed": 3}
    network, converging = Architecture("dense", (6,)), training(epochs=9, convergence=RULE)
    return {
        "dense": lambda: train_chunk_by_turns(data, policies(), training(), order_seed=1, **told),
        "again": lambda: train_chunk_by_turns(data, policies(seed=2), converging, order_seed=2, **told),
        "filters": lambda: train_chunk_by_turns(images, filters(), training(), order_seed=1, **told),
        "mixture": lambda: train_mixtures_by_turns(pair, network, training(), **mix, **told),
        "alone": lambda: train_alone_by_turns(pair.first, network, training(), **single, **told),
    }


def test_trainings_side_by_side_are_what_they_are_alone_to_the_bit():
    with rehearsal():
        one_by_one = {name: numbers(whole(start())) for name, start in works().items()}
        crowd = dict(side_by_side(works(), 10**12))
        pairs = dict(side_by_side(works(), 2 * max(next(start()) for start in works().values())))
    for together in (crowd, pairs):
        assert equal({name: numbers(together[name]) for name in one_by_one}, one_by_one)


class Room:
    """Works that hold memory for some turns; keeps what was held at the same time."""

    def __init__(self, demands, turns=4, fails=()):
        self.held, self.most, self.begun, self.fails = {}, [], [], dict(fails)
        self.works = {name: lambda name=name, size=size: self.work(name, size, turns) for name, size in demands.items()}

    def work(self, name, size, turns):
        yield size
        self.held[name] = size
        self.begun.append(name)
        try:
            for _ in range(turns):
                self.most.append((sum(self.held.values()), len(self.held)))
                if len(self.held) > self.fails.get(name, math.inf):
                    raise torch.OutOfMemoryError("no room")
                yield 0
        finally:
            del self.held[name]
        return name.upper()


def test_as_many_are_under_way_as_there_is_room_for():
    demands = {"a": 4, "b": 4, "c": 3, "d": 20, "e": 1}
    room = Room(demands)
    found = list(side_by_side(room.works, 8))
    assert dict(found) == {name: name.upper() for name in demands}
    assert room.begun == list("abcde")
    assert {held for held, _ in room.most if held > 8} == {20}  # more than the budget: alone
    assert max(count for _, count in room.most) == 2


def test_without_a_budget_they_go_one_after_the_other():
    room = Room({"a": 0, "b": 7, "c": 1})
    assert [name for name, _ in side_by_side(room.works, 0)] == ["a", "b", "c"]
    assert max(count for _, count in room.most[4:]) == 1


def test_where_there_is_no_room_after_all_fewer_are_under_way(caplog):
    room = Room({"a": 1, "b": 1, "c": 1, "d": 1}, fails={"c": 2})
    found = list(side_by_side(room.works, 10))
    assert dict(found) == {"a": "A", "b": "B", "c": "C", "d": "D"}
    assert room.begun.count("c") >= 2
    assert "no room for c beside" in caplog.text
    late = room.most[room.begun.index("d") + 4 :]
    assert max(count for _, count in late) <= 3
    assert not room.held


def test_one_that_has_no_room_even_alone_is_refused_and_the_others_are_ended():
    room = Room({"a": 1}, fails={"a": 0})
    with pytest.raises(torch.OutOfMemoryError):
        list(side_by_side(room.works, 10))
    broken = Room({"a": 1, "b": 1})

    def fails():
        yield 1
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        list(side_by_side({**broken.works, "c": fails}, 10))
    assert not broken.held


class Alive(TorchDispatchMode):
    """Adds up the bytes of all tensors that operations have made and that are still there; keeps the peak."""

    def __init__(self):
        super().__init__()
        self.now, self.peak, self._known = 0, 0, WeakIdKeyDictionary()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for tensor in found if isinstance(found, tuple | list) else [found]:
            if isinstance(tensor, torch.Tensor):
                self._add(tensor.untyped_storage())
        return found

    def _add(self, storage):
        if storage in self._known:
            return
        self._known[storage] = size = storage.nbytes()
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._drop, size)

    def _drop(self, size):
        self.now -= size


def chunk(data, policies, **changes):
    return train_chunk_by_turns(data, policies, training(epochs=1, **changes), order_seed=1, device=CPU)


SIZES = {
    "dense": lambda: chunk(LabelledData.of(blobs(shape=(200,), n=2000)), policies(16), batch_size=64),
    "wide": lambda: chunk(
        LabelledData.of(blobs(shape=(64,), n=900)), [Policy(Architecture("dense", (200, 200)), i) for i in range(8)]
    ),
    "filters": lambda: chunk(pictures(n=600), filters(6), batch_size=64),
    "mixture": lambda: train_mixtures_by_turns(
        mixed(blobs("a", (60,), n=900), blobs("b", (60,), n=900)), Architecture("dense", (32, 32)),
        training(epochs=1, batch_size=32), proportions=(0.0, 0.25, 0.5, 0.75, 1.0), repetitions=range(4), samples=300,
        seed=3, device=CPU,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SIZES)
def test_trainings_hold_no_more_than_they_say_and_not_much_less(kind):
    with rehearsal(), Alive() as alive:
        turns = SIZES[kind]()
        told, before = next(turns), alive.now
        whole(turns)
    assert 0.2 * told <= alive.peak - before <= told
