"""Tests of pictures, alone and merged: what is learned of them, and how well (2020 paper, "Merging Tests")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.domains.cartpole.physics import draw
from aiq.domains.control import ControlDomain
from aiq.errors import TrainingError
from aiq.training.data import LabelledData, MixedData, Sharing, common_shape, mixed, pad
from aiq.training.playing import play
from aiq.wings.similarity2020.network import Learned, Lesson, accuracy, learn
from aiq.wings.similarity2020.records import Kind, MergedRuns
from aiq.wings.similarity2020.settings import BlockNetwork


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
    sharing: Sharing = "apart"
    seed: int = 0
    device: str = "cpu"
    threads: int = 1

    def learned(self, lesson: Lesson, halvings: int, repetition: int) -> Learned:
        """Return a network that has learned a lesson."""
        keyed = {"halvings": halvings, "repetition": repetition, "seed": self.seed}
        return learn(lesson, self.network, **keyed, device=self.device, threads=self.threads)


def train_alone(
    domain: LabelledDomain,
    how: Training,
    *,
    repetitions: Sequence[int],
    halvings: int = 0,
    played: Mapping[str, Played] | None = None,
) -> MergedRuns:
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
    first: LabelledDomain,
    second: LabelledDomain,
    how: Training,
    *,
    at: float,
    repetitions: Sequence[int],
    halvings: int = 0,
    played: Mapping[str, Played] | None = None,
) -> MergedRuns:
    """Train on samples of which the share ``at`` is drawn from the first test, the others from the second.

    The larger training split is cut to the smaller; the number of samples is the same at every share. Smaller
    pictures are padded evenly with zeros. Both tests are measured on their full test splits.
    """
    data = mixed(first, second, sharing=how.sharing)
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
    """Train on pictures side by side with two labels each; a test with itself is the paper's control.

    The performance of each test is the accuracy of its half of the outputs.
    """

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


Measured = tuple[Learned, tuple[float, ...]]
"""A trained network and the performances on both tests."""


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
    """Return the mean length of episodes over the longest one, in [0, 1], where a network sees drawn pictures.

    The action is the largest of the outputs of the test's own classes, told apart from others: which test it is
    playing the network is told by the game.
    """
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
