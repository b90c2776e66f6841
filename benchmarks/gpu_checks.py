"""Whether trainings on a device give the numbers of a CPU, and the same ones whenever and beside whatever they run."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from training_contenders import Case, pictures

from aiq.config.training import Pool, Reinforcement, Training
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.settings import CartPole
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training import device as torch_device
from aiq.training import reinforcement, together
from aiq.training.data import LabelledData, mixed
from aiq.training.device import computing, rehearsal, side_by_side, whole
from aiq.training.feeds import shuffles
from aiq.training.supervised import chunk_task, mixtures_task, train_alone, train_chunk, train_chunk_by_turns
from aiq.wings.similarity2020.merging import Lesson, learn
from aiq.wings.similarity2020.settings import BlockNetwork

CPU = torch.device("cpu")
NEAR, ROUGH = 1e-7, 2e-3
"""Largest difference from the CPU, over the largest number: in double precision, and in single over some steps."""

OPTIMIZERS = {
    "adam": {"name": "adam", "learning_rate": 0.002},
    "adamw": {"name": "adamw", "learning_rate": 0.002},
    "sgd": {"name": "sgd", "learning_rate": 0.05},
    "adadelta": {"name": "adadelta", "learning_rate": 1.0},
}
RULE = {"patience": 1, "improvement": 0.02}


@dataclass(frozen=True)
class Row:
    """One line of the verdict: what was measured, what was wanted, and ``yes``, ``no``, ``not run`` or ``told``."""

    part: str
    what: str
    measured: float
    wanted: str
    verdict: str
    note: str = ""


@dataclass(frozen=True)
class Scale:
    """How large the checks are."""

    samples: int = 640
    policies: int = 8
    side: int = 12
    epochs: int = 2
    steps: int = 300


Numbers = np.ndarray[Any, np.dtype[np.float64]]
Train = Callable[[torch.device, torch.dtype], Numbers]


def rows(device: torch.device, scale: Scale) -> Iterator[Callable[[], list[Row]]]:
    """Yield the checks one by one; each gives its lines."""
    yield lambda: [_exact_products(device), _same_permutations(device)]
    for name, (train, dtype) in trainers(scale).items():
        yield lambda name=name, train=train, dtype=dtype: [_like_the_cpu(name, train, dtype, device)]
    for name in ("dense, adam", "convolutional, pooling", "mixtures, dense", "one domain alone"):
        yield lambda name=name: [_repeats(name, trainers(scale)[name][0], device)]
    yield lambda: [_recorded(device, scale), _beside_others(device, scale)]


def told(check: Callable[[], list[Row]], part: str) -> list[Row]:
    """Return a check's lines; where it raised, one that says so."""
    try:
        return check()
    except Exception as error:  # a table that stops at the first fault would tell nothing of the others
        traceback.print_exc()
        return [Row(part, "raised an error", math.nan, "none", "no", f"{type(error).__name__}: {error}"[:200])]


def _on(train: Train, device: torch.device, dtype: torch.dtype) -> Numbers:
    """Train on a device; on a CPU as on a GPU."""
    with rehearsal(), computing(1, device):
        return train(device, dtype)


def _like_the_cpu(name: str, train: Train, dtype: torch.dtype, device: torch.device) -> Row:
    """Compare all numbers of a training with those of the CPU."""
    ours, theirs = _on(train, device, dtype), _on(train, CPU, dtype)
    limit = NEAR if dtype == torch.float64 else ROUGH
    return _row("numbers of the CPU", f"{name}, {str(dtype)[6:]}", _apart(ours, theirs), limit)


def _apart(ours: Numbers, theirs: Numbers) -> float:
    """Return the largest difference of two lists of numbers, over the largest number."""
    if ours.shape != theirs.shape or not np.array_equal(np.isnan(ours), np.isnan(theirs)):
        return math.inf
    known = ~np.isnan(theirs)
    return float(np.abs(ours - theirs)[known].max() / np.abs(theirs[known]).max())


def _row(part: str, what: str, measured: float, limit: float) -> Row:
    """Return the line of a difference that must not be larger than a limit."""
    return Row(part, what, measured, f"at most {limit:g}", "yes" if measured <= limit else "no")


def _repeats(name: str, train: Train, device: torch.device) -> Row:
    """Train twice and compare to the bit."""
    one, two = (_on(train, device, torch.float32) for _ in range(2))
    return _row("repeated", name, 0.0 if np.array_equal(one, two, equal_nan=True) else _apart(one, two), 0.0)


def _exact_products(device: torch.device) -> Row:
    """Measure the error of a product and of a convolution of single precision: TF32 would give one of 1e-3."""
    random = np.random.default_rng(0)
    a, b = (torch.from_numpy(random.normal(size=(512, 512))) for _ in range(2))
    x, k = torch.from_numpy(random.normal(size=(8, 32, 16, 16))), torch.from_numpy(random.normal(size=(32, 32, 3, 3)))
    with computing(1, device):
        pairs = [
            ((a.float().to(device) @ b.float().to(device)).cpu().double(), a.float().double() @ b.float().double()),
            (
                torch.conv2d(x.float().to(device), k.float().to(device)).cpu().double(),
                torch.conv2d(x.float().double(), k.float().double()),
            ),
        ]
    error = max(float((one - two).abs().max() / two.abs().max()) for one, two in pairs)
    return _row("settings", "error of products and convolutions of single precision", error, 1e-5)


def _same_permutations(device: torch.device) -> Row:
    """Compare permutations made on the device with those made on the CPU."""
    seeds = [3, 2**62 + 1, 77]
    differ = (shuffles(seeds, 5000, device).cpu() != shuffles(seeds, 5000, CPU)).sum()
    return _row("settings", "places of permutations that differ from the CPU's", float(differ), 0.0)


def _recorded(device: torch.device, scale: Scale) -> Row:
    """Compare steps that are recorded and replayed with the same steps taken one operation after the other."""
    train = trainers(Scale(scale.samples, scale.policies, scale.side, 5 * scale.epochs))["dense, adam"][0]
    replayed = _on(train, device, torch.float32)
    with patch.object(torch_device, "RENT", math.inf):
        plain = _on(train, device, torch.float32)
    return _row("recorded", "difference of replayed steps from plain ones", _apart(replayed, plain), 0.0)


def _beside_others(device: torch.device, scale: Scale) -> Row:
    """Compare trainings side by side with the same ones alone."""
    data, rule = data_of(scale), training(scale)

    def start(seed: int) -> Any:
        return train_chunk_by_turns(data, dense_pool(scale, seed), rule, order_seed=seed, device=device)

    with rehearsal(), computing(1, device):
        crowd = dict(side_by_side({str(k): lambda k=k: start(k) for k in range(4)}, 2**34, device))
        alone = {str(k): whole(start(k)) for k in range(4)}
    pairs = [(_of_trials(crowd[name]), _of_trials(alone[name])) for name in alone]
    return _row("side by side", "difference of four chunks from each alone", max(_apart(*p) for p in pairs), 0.0)


# ---- the trainers ------------------------------------------------------------------------------


def trainers(scale: Scale) -> dict[str, tuple[Train, torch.dtype]]:
    """Return every trainer with the precision in which it is compared."""
    double, single = torch.float64, torch.float32
    found: dict[str, tuple[Train, torch.dtype]] = {
        f"dense, {name}": (_chunk(scale, "dense", optimizer=settings), double) for name, settings in OPTIMIZERS.items()
    }
    found["dense, until convergence"] = (_chunk(scale, "dense", convergence=RULE, epochs=3 * scale.epochs), double)
    found["dense, one at a time"] = (_reference(scale), double)
    found["convolutional, pooling"] = (_chunk(scale, "pooling"), double)
    found["convolutional, stride"] = (_chunk(scale, "stride"), double)
    found["mixtures, dense"] = (_mixtures(scale, Architecture("dense", (16, 8))), double)
    found["mixtures, convolutional"] = (_mixtures(scale, Architecture("convolutional", (4,), 8)), double)
    found["one domain alone"] = (_alone(scale), double)
    found["blocks of 2020"] = (_blocks(scale), single)
    found["deep Q-learning"] = (_acting(scale), double)
    found["deep Q-learning, mixtures"] = (_acting_on_two(scale), double)
    return found


def training(scale: Scale, **changes: Any) -> Training:
    """Return the settings of a training; batches of 48 leave a shorter last one."""
    told_ = {"epochs": scale.epochs, "batch_size": 48, "optimizer": OPTIMIZERS["adam"]}
    return Training.model_validate(told_ | changes)


def data_of(scale: Scale, name: str = "one", seed: int = 1) -> LabelledData:
    """Return the data of a domain."""
    return LabelledData.of(domain_of(scale, name, seed))


def domain_of(scale: Scale, name: str = "one", seed: int = 1) -> Any:
    """Return a domain of noisy pictures in a border of zeros."""
    return pictures(Case(name, samples=scale.samples, side=scale.side, border=1), name, seed)


def dense_pool(scale: Scale, seed: int = 1) -> list[Policy]:
    """Return policies of the dense family."""
    return networks.chunk(Pool(size=scale.policies, policies_per_chunk=scale.policies), seed, "gpu", 0)


def _filters(scale: Scale, reduction: str) -> list[Policy]:
    """Return policies of the convolutional family."""
    told_ = {"family": "convolutional", "layers": (1, 2), "width": (1, 6), "dense_nodes": 12, "reduction": reduction}
    return networks.chunk(Pool(size=scale.policies, policies_per_chunk=scale.policies, **told_), 1, "gpu", 0)


def _chunk(scale: Scale, kind: str, **changes: Any) -> Train:
    """Return what trains a chunk and gives all its numbers."""
    data, rule = data_of(scale), training(scale, **changes)
    chunk = dense_pool(scale) if kind == "dense" else _filters(scale, kind)

    def train(device: torch.device, dtype: torch.dtype) -> Numbers:
        outcomes = whole(together.fit(chunk_task(data, chunk, rule, 1), device=device, dtype=dtype))
        (accuracies,) = together.evaluate([p.architecture for p in chunk], [o.weights for o in outcomes], data)
        return _of_outcomes(outcomes, accuracies)

    return train


def _reference(scale: Scale) -> Train:
    """Return what trains one policy after the other by torch's own modules."""
    data, rule = data_of(scale), training(scale)
    call = {"order_seed": 1, "one_by_one": True}
    return lambda device, dtype: _of_trials(
        train_chunk(data, dense_pool(scale)[:3], rule, **call, device=str(device), dtype=dtype)
    )


def _mixtures(scale: Scale, architecture: Architecture) -> Train:
    """Return what trains on mixtures and gives all numbers."""
    pair = mixed(domain_of(scale), domain_of(scale, "two", 2))
    members = [(p, 0, place) for place, p in enumerate((0.0, 0.3, 1.0))]

    def train(device: torch.device, dtype: torch.dtype) -> Numbers:
        call = {"members": members, "samples": scale.samples // 2, "seed": 6}
        task = mixtures_task(pair, architecture, training(scale), **call)
        outcomes = whole(together.fit(task, device=device, dtype=dtype))
        weights = [o.weights for o in outcomes]
        (accuracies,) = together.evaluate([architecture] * len(members), weights, pair.second)
        return _of_outcomes(outcomes, accuracies)

    return train


def _alone(scale: Scale) -> Train:
    """Return what trains on streams of unequal length."""
    data, places = data_of(scale), [(0.3, 0), (0.7, 0), (1.0, 1)]
    call = {"places": places, "samples": scale.samples // 2 + 5, "seed": 2}

    def train(device: torch.device, dtype: torch.dtype) -> Numbers:
        found = train_alone(
            data, Architecture("dense", (12,)), training(scale), **call, device=str(device), dtype=dtype
        )
        return np.array([[r.performance, r.told, r.samples] for r in found])

    return train


def _blocks(scale: Scale) -> Train:
    """Return what trains the network of the 2020 paper for one epoch and gives its logits."""
    data = data_of(scale)
    network = BlockNetwork.model_validate(
        {"kind": "blocks", "filters": [4, 4], "dense_nodes": 8, "epochs": 1, "batch_size": 64}
        | {"optimizer": {"name": "sgd", "learning_rate": 0.05}}
    )
    lesson = Lesson("one", data.train_x, data.train_y[:, None], (data.outputs,))
    return lambda device, dtype: learn(lesson, network, seed=1, device=str(device)).logits(data.test_x).double().numpy()


def _dqn(scale: Scale) -> Reinforcement:
    """Return the settings of a short deep Q-learning."""
    evaluation = {"every": scale.steps // 2, "episodes": 2, "final_episodes": 4}
    told_ = {"steps": scale.steps, "learning_starts": 50, "replay": 200, "optimizer": OPTIMIZERS["adam"]}
    return Reinforcement.model_validate({"algorithm": "dqn", "evaluation": evaluation} | told_)


def _cartpole(name: str, **constants: float) -> CartPoleDomain:
    """Return a cart-pole, whose physics are computed on the device."""
    return CartPoleDomain(name, CartPole(source="cartpole", **constants))


def _acting(scale: Scale) -> Train:
    """Return what trains agents by reward and gives all numbers."""
    chunk = [Policy(Architecture("dense", widths), seed) for seed, widths in enumerate(((8,), (16, 16), (4, 4, 4)))]

    def train(device: torch.device, dtype: torch.dtype) -> Numbers:
        told_ = {"seeds": [1, 2, 3], "device": str(device), "dtype": dtype}
        found = reinforcement.train_agents(_cartpole("pole"), chunk, _dqn(scale), **told_)
        weights = [tensor.cpu().double().numpy().ravel() for agent in found for tensor in agent.last]
        return np.concatenate([_of_trials([agent.trial for agent in found]), *weights])

    return train


def _acting_on_two(scale: Scale) -> Train:
    """Return what trains one network by reward on two domains."""

    def train(device: torch.device, dtype: torch.dtype) -> Numbers:
        pair = (_cartpole("light"), _cartpole("heavy", gravity=30.0))
        call = {"proportions": [0.0, 0.5], "repetitions": [0], "seed": 4, "device": str(device), "dtype": dtype}
        found = reinforcement.train_mixtures(*pair, Architecture("dense", (8,)), _dqn(scale), **call)
        return np.array([[r.first, r.second] for r in found])

    return train


def _of_outcomes(outcomes: Sequence[Any], accuracies: Sequence[float]) -> Numbers:
    """Return losses, accuracies and weights as one list."""
    weights = [tensor.detach().cpu().double().numpy().ravel() for o in outcomes for tensor in o.weights]
    curves = [np.array([*o.curve.losses, *o.curve.validation, o.steps], float) for o in outcomes]
    return np.concatenate([*weights, *curves, np.array(accuracies)])


def _of_trials(trials: Sequence[Any]) -> Numbers:
    """Return accuracies, losses and held-out accuracies as one list."""
    return np.concatenate([np.array([t.performance, *t.losses, *t.validation]) for t in trials])
