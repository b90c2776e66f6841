"""Learners made elsewhere on labelled domains: estimators are fitted, torch modules are trained."""

from __future__ import annotations

import inspect
import pickle
import random
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding
from aiq.config.training import Training
from aiq.errors import AiqError, InputError, reason
from aiq.records.trial import Status
from aiq.training import reference
from aiq.training.data import LabelledData, determination
from aiq.training.device import computing, resolve
from aiq.training.feeds import shared_order

SEEDS = 2**32  # scikit-learn and NumPy take smaller seeds only

LEAST = 2
"""Fewest samples of a module's last batch: batch normalisation cannot train on one, which joins the batch before."""


@dataclass(frozen=True)
class Task:
    """What a factory that asks for a ``domain`` is told of it.

    Attributes:
        name: name in the suite.
        shape: shape of a sample, (features,) or (channels, height, width).
        inputs: numbers in a sample.
        outputs: classes to tell apart, numbered from 0; 1 where a number is learned.
        target: ``classes`` or ``number``.
        samples: of the training split.
        seed: root of all randomness of this learner, below 2**32.
    """

    name: str
    shape: tuple[int, ...]
    inputs: int
    outputs: int
    target: str
    samples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Lesson:
    """What came of a learner: its performance in [0, 1] (NaN if lost), why it failed, and the trained learner."""

    performance: float
    status: Status
    seconds: float
    reason: str = ""
    learner: Any = None
    losses: tuple[float, ...] = ()
    validation: tuple[float, ...] = ()


def learn(
    name: str,
    factory: Callable[..., Any],
    arguments: Mapping[str, Any],
    data: LabelledData,
    settings: Training,
    *,
    seed: int,
    device: str = "cpu",
    threads: int = 1,
) -> Lesson:
    """Make a learner, let it learn the training split and measure it on the test split.

    The factory gets its arguments, and besides, where it has parameters of these names: ``random_state`` or ``seed``
    (an integer below 2**32) and ``domain`` (a ``Task``). What it returns with ``fit`` and ``predict`` is fitted on
    vectors (float32, (n, inputs); pictures are flattened, 0 ... 1) and labels (int64), or numbers. A torch module is
    trained as the settings say; it maps samples (n, *shape) to outputs (n, outputs). Python's, NumPy's and torch's
    common generators are seeded meanwhile and put back afterwards. Whatever the learner raises makes it ``failed`` and
    stops nobody else.
    """
    begun, whole = time.perf_counter(), f"{name} on {data.name}"
    try:
        with seeded(seed % SEEDS), computing(threads):
            task = Task(
                data.name, data.shape, prod(data.shape), data.outputs, data.target, len(data.train_y), seed % SEEDS
            )
            made = factory(**arguments, **_asked(factory, arguments, task))
            if callable(getattr(made, "fit", None)) and callable(getattr(made, "predict", None)):
                return _fitted(made, data, begun)
            if isinstance(made, torch.nn.Module):
                with computing(threads, resolve(device)):
                    return _trained(made, data, settings, seed, resolve(device), begun)
        raise InputError(f"its factory returned {made!r}, which has no fit and predict and is no torch module")
    except Exception as error:
        said = str(error) if isinstance(error, AiqError) else f"it raised {reason(error)}"
        return Lesson(float("nan"), "failed", time.perf_counter() - begun, f"learner {whole}: {said}")


def compressed(learner: Any) -> int:
    """Return the bytes of a trained learner: its pickle after zlib at level 9; 0 where it cannot be pickled."""
    try:
        return len(zlib.compress(pickle.dumps(learner, protocol=5), 9))
    except Exception:  # whatever a class raises that cannot be pickled; the size in bytes is then not known
        return 0


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the common generators of Python, NumPy and torch, and put them back as they were."""
    plain, arrays = random.getstate(), np.random.get_state()  # noqa: NPY002  estimators use the common generator
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    try:
        with torch.random.fork_rng(devices=devices):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            torch.manual_seed(seed)
            yield
    finally:
        random.setstate(plain)
        np.random.set_state(arrays)  # noqa: NPY002


def _asked(factory: Callable[..., Any], arguments: Mapping[str, Any], task: Task) -> dict[str, Any]:
    try:
        names = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # compiled code that does not tell
        return {}
    offered = {"random_state": task.seed, "seed": task.seed, "domain": task}
    return {name: value for name, value in offered.items() if name in names and name not in arguments}


def _fitted(learner: Any, data: LabelledData, begun: float) -> Lesson:
    learner.fit(_vectors(data.train_x, data.scale), data.train_y.numpy().copy())
    answer = np.asarray(learner.predict(_vectors(data.test_x, data.scale)))
    if answer.shape == (len(data.test_y), 1):
        answer = answer[:, 0]
    if answer.shape != (len(data.test_y),):
        raise InputError(f"predict returned shape {answer.shape} for {len(data.test_y)} samples")
    return Lesson(_performance(answer, data), "finished", time.perf_counter() - begun, learner=learner)


def _performance(answer: npt.NDArray[Any], data: LabelledData) -> float:
    if not data.numeric:
        return float(np.mean(answer == data.test_y.numpy()))
    error = float(np.square(answer.astype(np.float64) - data.test_y.numpy()).sum())
    if not isfinite(error):
        raise InputError("predict returned numbers that are not finite")
    return determination(error, data.test_y)


def _trained(
    module: torch.nn.Module, data: LabelledData, settings: Training, seed: int, device: torch.device, begun: float
) -> Lesson:
    train, test = (
        reference.Samples(x, y, data.scale, device, torch.float32)
        for x, y in ((data.train_x, data.train_y), (data.test_x, data.test_y))
    )
    module.to(device)
    module.eval()
    with torch.no_grad():
        shape = tuple(module(train.batch(slice(0, 2))[0]).shape)
    if shape != (min(2, len(data.train_y)), data.outputs):
        raise InputError(f"the module returned shape {shape} for 2 samples; needed is (n, {data.outputs})")
    order = shared_order(seeding.integer(seed, "order"), len(data.train_y), settings.convergence)
    module.train()
    curve = reference.fit(module, train, order, settings, least=LEAST)
    module.eval()
    lost = curve.status == "diverged"
    reached = float("nan") if lost else reference.accuracy(module, test)
    reason = f"learner on {data.name}: its loss or its weights are no longer finite" if lost else ""
    spent = time.perf_counter() - begun
    return Lesson(reached, curve.ended, spent, reason, module, tuple(curve.losses), tuple(curve.validation))


def _vectors(x: torch.Tensor, scale: float) -> npt.NDArray[np.float32]:
    flat: npt.NDArray[np.float32] = x.reshape(len(x), -1).numpy().astype(np.float32)
    return flat if scale == 1 else flat * np.float32(scale)
