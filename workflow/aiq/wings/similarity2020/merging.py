"""Tests of pictures, alone and merged: what is learned of them, and how well (2020 paper, "Merging Tests").

The network is that of its image tests ("Baseline Agent", "Baseline Agent Validation"): two convolution layers into a
max pooling, three times, then a dense layer with ReLU; Adam, categorical cross-entropy. Its figure is missing in print.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.domains.cartpole import draw
from aiq.domains.control import ControlDomain
from aiq.errors import TrainingError
from aiq.training.data import LabelledData, MixedData, common_shape, mixed, pad
from aiq.training.device import accelerated, computing, resolve
from aiq.training.feeds import shuffles
from aiq.training.playing import play
from aiq.training.reference import build as build_optimizer
from aiq.wings.similarity2020.reduction import Kind, MergedRuns
from aiq.wings.similarity2020.settings import BlockNetwork

Predict = Callable[[torch.Tensor], torch.Tensor]
"""Samples (n, channels, height, width), as stored -> logits (n, outputs)."""

_SLAB = 500


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is learned in one training; its name names its streams of random numbers.

    ``x``: samples (n, channels, height, width): bytes, which the network sees over 255, or float32 as they are. ``y``:
    labels (n, heads), int64; head h counts from 0 among its own ``outputs[h]`` outputs, which stand in this order.
    """

    name: str
    x: torch.Tensor
    y: torch.Tensor
    outputs: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse labels that do not go with samples or heads, and samples that are no pictures."""
        if self.x.ndim != 4:
            raise TrainingError(f"{self.name} has samples of shape {tuple(self.x.shape[1:])}; pictures are needed")
        if self.y.shape != (len(self.x), len(self.outputs)) or not len(self.x):
            raise TrainingError(f"{self.name}: {len(self.x)} samples have labels of shape {tuple(self.y.shape)}")


@dataclass(frozen=True, eq=False)
class Learned:
    """A trained network: ``logits`` of samples as they are stored; NaN in the weights makes it ``lost``."""

    logits: Predict
    parameters: int
    lost: bool
    seconds: float


def build(network: BlockNetwork, halvings: int, shape: Sequence[int], outputs: int) -> nn.Sequential:
    """Return the network for samples (channels, height, width) with torch's own initial weights."""
    channels, height, width = shape
    layers: list[nn.Module] = []
    for filters in network.halved(halvings):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU()]
        layers += [nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels, height, width = filters, height // 2, width // 2
    if not (height and width):
        raise TrainingError(f"{len(network.filters)} blocks leave nothing of pictures of {shape[1]}x{shape[2]} pixels")
    layers += [nn.Flatten(), nn.Linear(channels * height * width, network.dense_nodes), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(network.dense_nodes, outputs))


def learn(
    lesson: Lesson, network: BlockNetwork, *, halvings: int = 0, repetition: int = 0, seed: int, device: str = "cpu",
    threads: int = 1,
) -> Learned:  # fmt: skip
    """Train one network by the mean cross-entropy of all heads; lesson, halvings and repetition key all draws."""
    begun, where = time.perf_counter(), resolve(device)
    key = ("blocks", lesson.name, halvings, repetition)
    with computing(threads, where), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seeding.integer(seed, *key, "weights") % 2**63)
        model = build(network, halvings, lesson.x.shape[1:], sum(lesson.outputs))
        model = model.to(where, memory_format=torch.channels_last)
        optimizer = build_optimizer(network.optimizer, model.parameters())
        x, y = lesson.x.to(where), lesson.y.to(where)
        for order in _orders(len(x), network.epochs, seed, key, where):
            for batch in order.split(network.batch_size):
                optimizer.zero_grad(set_to_none=True)
                parts = model(_seen(x[batch], where)).split(list(lesson.outputs), dim=1)
                losses = [nn.functional.cross_entropy(part, y[batch, h]) for h, part in enumerate(parts)]
                torch.stack(losses).mean().backward()
                optimizer.step()
    model.eval()

    def logits(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad(), computing(threads, where):
            return torch.cat([model(_seen(part, where)) for part in x.split(_SLAB)]).cpu()

    parameters = sum(p.numel() for p in model.parameters())
    lost = not all(bool(p.isfinite().all()) for p in model.parameters())
    return Learned(logits, parameters, lost, time.perf_counter() - begun)


def _orders(
    count: int, epochs: int, seed: int, key: tuple[str | int, ...], device: torch.device
) -> Iterator[torch.Tensor]:
    """Yield the order of the samples in each epoch, on the device: NumPy's on a CPU, made there on a GPU."""
    if accelerated(device):
        seeds = [seeding.integer(seed, *key, "order", epoch) for epoch in range(epochs)]
        yield from (shuffles([epoch_seed], count, device)[0] for epoch_seed in seeds)
        return
    rng = seeding.generator(seed, *key, "order")
    for _ in range(epochs):
        yield torch.from_numpy(rng.permutation(count))


def accuracy(learned: Learned, x: torch.Tensor, y: torch.Tensor, outputs: tuple[int, ...]) -> tuple[float, ...]:
    """Return each head's share of right answers on samples with labels (n, heads); NaN of a lost network."""
    if learned.lost:
        return (np.nan,) * len(outputs)
    halves = learned.logits(x).split(list(outputs), dim=1)
    return tuple(float((half.argmax(1) == y[:, h]).double().mean()) for h, half in enumerate(halves))


def _seen(x: torch.Tensor, device: torch.device) -> torch.Tensor:
    seen = x.to(device).float() / 255 if x.dtype == torch.uint8 else x.to(device)
    return seen.contiguous(memory_format=torch.channels_last)


# ---- Tests alone and merged ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Played:
    """A control problem that a network which tells its pictures apart has to play: the domain, and its episodes."""

    domain: ControlDomain
    episodes: int


@dataclass(frozen=True)
class Training:
    """How every test is learned: see ``Similarities``, whose keys these are."""

    network: BlockNetwork
    samples: int | None = None
    seed: int = 0
    device: str = "cpu"
    threads: int = 1

    def learned(self, lesson: Lesson, halvings: int, repetition: int) -> Learned:
        """Return a network that has learned a lesson."""
        keyed = {"halvings": halvings, "repetition": repetition, "seed": self.seed}
        return learn(lesson, self.network, **keyed, device=self.device, threads=self.threads)


def train_alone(
    domain: LabelledDomain, how: Training, *, repetitions: Sequence[int], halvings: int = 0,
    played: Mapping[str, Played] | None = None,
) -> MergedRuns:  # fmt: skip
    """Train on one test and measure accuracy on its test split, or the balance time of one that is played.

    Raises:
        TrainingError: more samples are asked for than there are, or they are no pictures.
    """
    data = LabelledData.of(domain)
    count = _checked(how.samples, len(data.train_y), domain.name)

    def measured(r: int) -> Measured:
        rows = _drawn(len(data.train_y), count, how.seed, domain.name, "alone", r)
        lesson = Lesson(domain.name, data.train_x[rows], data.train_y[rows][:, None], (data.outputs,))
        learned = how.learned(lesson, halvings, r)
        return learned, (_score(learned, data, how, played, r),) * 2

    return _repeated(("alone", domain.name, domain.name, 1.0, halvings), repetitions, measured)


def train_sampled(
    first: LabelledDomain, second: LabelledDomain, how: Training, *, at: float, repetitions: Sequence[int],
    halvings: int = 0, played: Mapping[str, Played] | None = None,
) -> MergedRuns:  # fmt: skip
    """Train on samples of which the share ``at`` is drawn from the first test, the others from the second.

    The larger training split is cut to the smaller; the number of samples is the same at every share. Smaller
    pictures are padded evenly with zeros. Both tests are measured on their full test splits.
    """
    data = mixed(first, second)
    fewest = min(len(data.first.train_y), len(data.second.train_y))
    count = _checked(how.samples, fewest, f"{first.name} and {second.name}")

    def measured(r: int) -> Measured:
        learned = how.learned(_sampled(data, at, count, how.seed, r), halvings, r)
        on_first, on_second = (_score(learned, part, how, played, r) for part in (data.first, data.second))
        return learned, (on_first, on_second)

    return _repeated(("sampled", first.name, second.name, at, halvings), repetitions, measured)


def train_stitched(
    first: LabelledDomain, second: LabelledDomain, how: Training, *, repetitions: Sequence[int], halvings: int = 0
) -> MergedRuns:
    """Train on pictures side by side with two labels each; a test's performance is the accuracy of its half."""

    def measured(r: int) -> Measured:
        pairing = seeding.integer(how.seed, "stitched", first.name, second.name, r)
        lesson, test = stitched(first, second, seed=pairing, samples=how.samples)
        learned = how.learned(lesson, halvings, r)
        return learned, accuracy(learned, test.x, test.y, test.outputs)

    return _repeated(("stitched", first.name, second.name, 0.5, halvings), repetitions, measured)


def stitched(
    first: LabelledDomain, second: LabelledDomain, *, seed: int, samples: int | None = None
) -> tuple[Lesson, Lesson]:
    """Stitch two domains of pictures, or one to itself: what is learned, and the test split; two labels a sample.

    Pictures are zero-padded evenly to the larger height, width and number of channels and put side by side. Each split
    has as many samples as the smaller of the two; which samples meet is random, each is used at most once in a half. In
    a control (a domain with itself, the paper's AA and BB) both halves are shuffled on their own. The 2020 paper
    compares this merge with the sampled one and rejects it, as it breaks sufficiency.

    Raises:
        TrainingError: fewer than 1 sample is asked for, or more than the smaller training split has.
    """
    both = LabelledData.of(first), LabelledData.of(second)
    fewest = min(len(data.train_y) for data in both)
    count = fewest if samples is None else samples
    if not 1 <= count <= fewest:
        raise TrainingError(
            f"{count} stitched samples of {first.name} and {second.name} were asked for; there can be 1 to {fewest}"
        )
    shape, outputs = common_shape(*(_pictures(data).shape for data in both)), (both[0].outputs, both[1].outputs)
    lessons = []
    for split, number in (("train", count), ("test", min(len(data.test_y) for data in both))):
        x, y = [], []
        for place, data in enumerate(both):
            rng = seeding.generator(seed, "stitched", first.name, second.name, split, place)
            labels = getattr(data, f"{split}_y")
            rows = torch.from_numpy(rng.permutation(len(labels))[:number].astype(np.int64))
            x.append(pad(getattr(data, f"{split}_x")[rows].numpy(), shape))
            y.append(labels[rows])
        pictures = torch.from_numpy(np.concatenate(x, axis=3))
        lessons.append(Lesson(f"{first.name}|{second.name}", pictures, torch.stack(y, 1), outputs))
    return lessons[0], lessons[1]


def _pictures(data: LabelledData) -> LabelledData:
    """Return data of pictures; others are refused."""
    Lesson(data.name, data.train_x, data.train_y[:, None], (data.outputs,))
    return data


Measured = tuple[Learned, tuple[float, ...]]  # a trained network and the performances on both tests


def _repeated(
    what: tuple[Kind, str, str, float, int], repetitions: Sequence[int], measured: Callable[[int], Measured]
) -> MergedRuns:
    """Return the record of some repetitions of a training; ``what``: its kind, tests, share and halvings."""
    made = [measured(r) for r in repetitions]
    first, second = np.array([scores for _, scores in made]).T
    seconds = float(sum(learned.seconds for learned, _ in made))
    return MergedRuns(*what, made[-1][0].parameters, first, second, seconds)


def _checked(samples: int | None, fewest: int, what: str) -> int:
    count = samples or fewest
    if not 2 <= count <= fewest:
        raise TrainingError(f"{count} samples of {what} were asked for; there can be 2 to {fewest}")
    return count


def _drawn(size: int, count: int, seed: int, *key: str | int | float) -> torch.Tensor:
    """Return which samples are drawn, without replacement, (count,)."""
    rng = seeding.generator(seed, "merged samples", *(str(word) for word in key))
    return torch.from_numpy(rng.permutation(size)[:count].astype(np.int64))


def _sampled(data: MixedData, at: float, count: int, seed: int, repetition: int) -> Lesson:
    """Return the merged samples: the rounded share of the first test, the rest of the second."""
    many = round(at * count)
    name = f"{data.first.name}+{data.second.name}+{at:.12g}"
    parts = [
        (part, _drawn(len(part.train_y), number, seed, name, place, repetition))
        for place, (part, number) in enumerate(((data.first, many), (data.second, count - many)))
    ]
    x = torch.cat([_alike(part.train_x[rows], data) for part, rows in parts])
    y = torch.cat([part.train_y[rows] for part, rows in parts])
    return Lesson(name, x, y[:, None], (data.outputs,))


def _alike(x: torch.Tensor, data: MixedData) -> torch.Tensor:
    """Return samples in the number format of both: bytes where both are, else numbers in [0, 1]."""
    if data.first.train_x.dtype == data.second.train_x.dtype:
        return x
    return x.float() / 255 if x.dtype == torch.uint8 else x


def _score(
    learned: Learned, data: LabelledData, how: Training, played: Mapping[str, Played] | None, repetition: int
) -> float:
    """Return the accuracy on the test split, or the balance time over the longest one of a test that is played."""
    if learned.lost:
        return float("nan")
    if played and data.name in played:
        episodes = range(played[data.name].episodes)
        seeds = [seeding.integer(how.seed, "balance", data.name, repetition, k) for k in episodes]
        return balance(learned, data, played[data.name], seeds)
    return accuracy(learned, data.test_x, data.test_y[:, None], (data.outputs,))[0]


def balance(learned: Learned, data: LabelledData, played: Played, seeds: Sequence[int]) -> float:
    """Return the mean length of episodes over the longest, in [0, 1], by the largest of a test's own outputs."""
    own = list(data.own) if data.own is not None else list(range(data.outputs))
    if len(own) != played.domain.actions:
        raise TrainingError(
            f"{data.name} has {len(own)} classes, the game that is played {played.domain.actions} actions"
        )

    def choose(observations: np.ndarray, numbers: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        pictures = torch.from_numpy(np.ascontiguousarray(pad(draw(observations), data.shape)))
        return np.asarray(learned.logits(pictures)[:, own].argmax(1))

    lengths = play(played.domain, seeds, choose).lengths
    return float(lengths.mean() / played.domain.horizon)
