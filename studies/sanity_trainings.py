"""Trainings of the sanity suite, by the library's own trainers, kept on disk so that analysis needs no training.

Every array is kept as ``results/studies/sanity/KIND-HASH.npz``, the hash taken over the domain's arrays and all
settings.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding
from aiq.config.training import Adam, Network, Pool, Training
from aiq.policies import networks
from aiq.records.trial import Architecture, Policy
from aiq.training import together
from aiq.training.data import LabelledData
from aiq.training.device import computing, whole
from aiq.training.supervised import mixtures_task, train_chunk, weights_seed
from studies.cells import KEPT
from studies.sanity_domains import SEED, Domain, Interface

Floats = npt.NDArray[np.float64]

STORE = KEPT / "sanity"
ADAM = Adam(name="adam", learning_rate=0.003)
TRAINING = Training(epochs=12, batch_size=32, optimizer=ADAM)
MIXING = Training(epochs=12, batch_size=32, optimizer=ADAM)
POINTS = tuple(i / 10 for i in range(11))
POOL = Pool(size=64, policies_per_chunk=8, layers=(1, 3), width=(1, 32))
NETWORK = Network(layers=2, width=32)
AGENTS = (
    Network(layers=1, width=2),
    Network(layers=1, width=8),
    Network(layers=2, width=8),
    Network(layers=2, width=32),
    Network(layers=3, width=64),
)


@dataclass(frozen=True, eq=False)
class Trials:
    """A pool on one domain: performance, parameters and chunk of each policy, (n,)."""

    performance: Floats
    parameters: npt.NDArray[np.int64]
    chunk: npt.NDArray[np.int64]
    largest: int


def kept(kind: str, key: Sequence[object], make: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return arrays from disk, or else those of ``make``, which are then kept."""
    digest = hashlib.sha256(repr((kind, *key)).encode()).hexdigest()[:16]
    path = STORE / f"{kind}-{digest}.npz"
    if path.exists():
        with np.load(path) as file:
            return dict(file)
    found = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(partial, **found)  # type: ignore[arg-type]  # numpy's stub takes one array type
    partial.rename(path)
    return found


def fingerprint(domain: Domain) -> str:
    """Return a hash of a domain's arrays and names."""
    digest = hashlib.sha256(f"{domain.name} {domain.label_space} {domain.outputs}".encode())
    for array in (domain.train_x, domain.train_y, domain.test_x, domain.test_y):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def pool(domain: Domain, *, first: int = 0, size: int = 64, epochs: int = TRAINING.epochs) -> Trials:
    """Train members ``first`` to ``first + size`` of the pool on a domain; architectures are those of every domain."""
    settings = with_epochs(TRAINING, epochs)
    per = POOL.policies_per_chunk
    key = (fingerprint(domain), first, size, settings.model_dump_json(), POOL.model_dump_json())

    def make() -> dict[str, np.ndarray]:
        data, wide = domain.data(), POOL.model_copy(update={"size": first + size})
        rows = []
        for chunk in range(first // per, (first + size) // per):
            order = seeding.integer(SEED, "order", domain.name, chunk)
            trials = train_chunk(data, networks.chunk(wide, SEED, domain.name, chunk), settings, order_seed=order)
            rows += [(trial.performance, trial.parameters, chunk) for trial in trials]
        performance, parameters, chunk = zip(*rows, strict=True)
        return {"performance": np.array(performance), "parameters": np.array(parameters), "chunk": np.array(chunk)}

    found = kept("pool", key, make)
    return Trials(found["performance"], found["parameters"], found["chunk"], largest(domain))


def largest(domain: Domain) -> int:
    """Return the parameters of the largest network of the pool's design on a domain."""
    deep, wide = POOL.layers[1], POOL.width[1]
    inputs, outputs = domain.train_x.shape[1], domain.outputs
    return (inputs + 1) * wide + (deep - 1) * (wide + 1) * wide + (wide + 1) * outputs


def with_epochs(settings: Training, epochs: int) -> Training:
    """Return the settings with another number of epochs."""
    return settings.model_copy(update={"epochs": epochs})


@dataclass(frozen=True)
class Mixing:
    """How mixtures are trained: samples a training, repetitions, width of the network's two layers, epochs."""

    samples: int = 300
    repetitions: int = 10
    width: int = 32
    epochs: int = 30


def mixtures(interface: Interface, a: Domain, b: Domain, how: Mixing) -> Floats:
    """Train a pair's mixtures at 11 proportions.

    Returns:
        Accuracies (repetition, proportion, domain, told): on the full test split of each of the two domains,
        scored over all outputs, and over the outputs of that domain alone.
    """
    key = (fingerprint(a), fingerprint(b), interface, how)

    def make() -> dict[str, np.ndarray]:
        places = [(p, r) for p in POINTS for r in range(how.repetitions)]
        found = _fit(interface, a, b, how, how.samples, places)
        return {"accuracy": found.reshape(len(POINTS), how.repetitions, 2, 2).swapaxes(0, 1)}

    return kept("mixtures", key, make)["accuracy"]


def alone(interface: Interface, a: Domain, how: Mixing, ends: int, same_steps: bool) -> tuple[Floats, Floats]:
    """Train a domain alone at the numbers of samples that it has in the mixtures.

    Args:
        interface: of the suite.
        a: the domain.
        how: as for the mixtures.
        ends: trainings on all samples.
        same_steps: whether a batch shrinks with the samples, so that the domain alone takes as many steps as a
            mixture does, with as many of its own samples in each; else batches stay and the steps are fewer.

    Returns:
        Accuracies (repetition, proportion, told) at the proportions 0.1 ... 0.9 of the samples, and
        (ends, told) at all samples.
    """
    key = (fingerprint(a), interface, how, ends, same_steps)

    def make() -> dict[str, np.ndarray]:
        inner = []
        for p in POINTS[1:-1]:
            places = [(1.0, r) for r in range(how.repetitions)]
            batch = max(1, round(p * MIXING.batch_size)) if same_steps else MIXING.batch_size
            inner.append(_fit(interface, a, a, how, round(p * how.samples), places, batch)[:, 0])
        full = _fit(interface, a, a, how, how.samples, [(1.0, 1000 + r) for r in range(ends)])[:, 0]
        return {"inner": np.stack(inner, axis=1), "full": full}

    found = kept("alone", key, make)
    return found["inner"], found["full"]


def _fit(
    interface: Interface,
    a: Domain,
    b: Domain,
    how: Mixing,
    samples: int,
    places: Sequence[tuple[float, int]],
    batch: int = MIXING.batch_size,
) -> Floats:
    """Train one network a place (proportion, repetition); return accuracies (place, domain, told)."""
    data = interface.mixed(a, b)
    architecture = networks.from_network(NETWORK.model_copy(update={"width": how.width}))
    members = [(p, r, weights_seed(data, p, r, SEED)) for p, r in places]
    settings = MIXING.model_copy(update={"epochs": how.epochs, "batch_size": batch})
    with computing(1):
        seed = seeding.integer(SEED, "samples", samples)
        task = mixtures_task(data, architecture, settings, members=members, samples=samples, seed=seed)
        outcomes = whole(together.fit(task, device=torch.device("cpu")))
        weights = [outcome.weights for outcome in outcomes]
        scores = [_scores(interface, domain, weights, architecture) for domain in (a, b)]
    return np.stack(scores, axis=1)


def _scores(
    interface: Interface, domain: Domain, weights: list[list[torch.Tensor]], architecture: Architecture
) -> Floats:
    """Return accuracies (network, told) on a domain: over all outputs, and over its own alone."""
    data = interface.data(domain)
    networks = [architecture] * len(weights)
    (everything,) = together.evaluate(networks, weights, data)
    rows = interface.own(domain)
    cut = [[*tensors[:-2], *(tensor[rows].contiguous() for tensor in tensors[-2:])] for tensors in weights]
    told_y = data.test_y - rows.start
    own = LabelledData(
        data.name, data.train_x, data.train_y - rows.start, data.test_x, told_y, rows.stop - rows.start, data.scale
    )
    (told,) = together.evaluate(networks, cut, own)
    return np.stack([everything, told], axis=-1)


def agents(domain: Domain, repetitions: int) -> Floats:
    """Train the agents on a domain, each repetition by itself; return performances (agent, repetition)."""
    key = (fingerprint(domain), repetitions, TRAINING.model_dump_json(), [n.model_dump_json() for n in AGENTS])

    def make() -> dict[str, np.ndarray]:
        data = domain.data()
        table = np.empty((len(AGENTS), repetitions))
        for i, network in enumerate(AGENTS):
            for r in range(repetitions):
                word = ("agent", domain.name, i, r)
                policy = Policy(networks.from_network(network), seeding.integer(SEED, *word, "weights"))
                order = seeding.integer(SEED, *word, "order")
                table[i, r] = train_chunk(data, [policy], TRAINING, order_seed=order)[0].performance
        return {"performance": table}

    return kept("agents", key, make)["performance"]
